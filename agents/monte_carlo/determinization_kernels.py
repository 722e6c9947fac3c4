"""Every action in the same sampled worlds, by rollouts or by search with open cards, and the choice by the mean."""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.bot_kernels import heuristic_action
from german_whist.agents.inference.world_sampling_kernels import (
    SELF,
    count_hands,
    count_opponent_unseen,
    write_known_state,
    write_sampled_cards,
)
from german_whist.agents.monte_carlo.rollout_kernels import (
    distinct_actions,
    distinct_actions_in_world,
    is_solvable_endgame,
    rollout_margin,
    solved_margin,
)
from german_whist.envs.engine.scoring import signed_margin
from german_whist.envs.engine.state import PLAY
from german_whist.envs.engine.state_kernels import play
from german_whist.envs.observation.view_kernels import write_view
from german_whist.envs.utils.bit_kernels import highest, lowest, popcount
from german_whist.envs.utils.jit import kernel

ROLLOUT = 0  # depth of the open-card search for none
PLIES_PER_TRICK = 4  # two cards and, where cards of the stock are picked, two picks

_ONE = np.uint64(1)
# A recursive kernel is cached only if it calls itself with the types that it was called with: int64.
_LOW, _HIGH = np.int64(-99), np.int64(99)  # beyond every margin
_FIRST_PLY = np.int64(2)


@kernel
def tricks_played(state):
    """Return the number of tricks played in both stages."""
    tricks = state.tricks
    return np.int64(tricks[0, 0]) + np.int64(tricks[0, 1]) + np.int64(tricks[1, 0]) + np.int64(tricks[1, 1])


@kernel
def open_card_margin(game, states, ply, horizon, alpha, beta, view, table, transpositions):
    """Return seat 0's margin if both seats see all cards, or a bound on it: fail-soft alpha-beta.

    A world whose foreplay ends before the horizon is solved exactly. At the horizon the heuristic bot plays on for both
    seats, each by its own view, to the endgame.

    Args:
        game: the rules, a ``GAME`` record.
        states: ``STATE`` array with one state for each ply; ``states[ply]`` is searched, and changed.
        ply: number of the state.
        horizon: number of tricks played at which the search stops.
        alpha: lower end of the window.
        beta: upper end of the window.
        view: scratch.
        table: ``EndgameTable`` for this kind of game.
        transpositions: ``RaceTranspositionTable`` of the endgame search.
    """
    state = states[ply]
    if state.done:
        return signed_margin(game, state, SELF)
    if is_solvable_endgame(game, state):
        return solved_margin(game, state, table, transpositions)
    if tricks_played(state) >= horizon and state.led < 0 and state.decision == PLAY:
        return rollout_margin(game, state, view, table, transpositions)
    actions = distinct_actions_in_world(game, state)
    write_view(game, state, np.int64(state.turn), view)
    # The heuristic bot's action comes first: good moves first narrow the window.
    action = highest(actions & ((_ONE << np.uint64(heuristic_action(view) + 1)) - _ONE))
    own = state.turn == SELF
    best = _LOW if own else _HIGH
    while True:
        states[ply + 1] = state
        play(game, states[ply + 1], action)
        value = open_card_margin(game, states, ply + 1, horizon, alpha, beta, view, table, transpositions)
        if own:
            best = max(best, value)
            alpha = max(alpha, value)
        else:
            best = min(best, value)
            beta = min(beta, value)
        actions &= ~(_ONE << np.uint64(action))
        if alpha >= beta or not actions:
            return best
        action = lowest(actions)


@kernel
def add_margins(game, views, keys, first, last, depth, table, scratch, totals):
    """Add up the margins of every distinct action over the same worlds of each view.

    Views with a single distinct action are skipped; where nothing is hidden only world 0 is tried.

    Args:
        game: the rules, ``GAME`` array (1,).
        views: what the seats to act know, ``VIEW`` array of shape (n,), consistent.
        keys: random keys of the worlds, uint64[n].
        first: first world.
        last: the world after the last.
        depth: tricks searched with open cards, the current one included; ``ROLLOUT`` for rollouts.
        table: ``EndgameTable`` for these views' kind of game.
        scratch: ``PLIES_PER_TRICK * depth + 3`` states, one view, one record of hand counts, and transposition tables.
        totals: int64[n, 54], added to.
    """
    states, seen, counts, transpositions = scratch
    rules, view, hidden = game[0], seen[0], counts[0]
    for row in range(views.shape[0]):
        distinct = distinct_actions(views[row])
        if popcount(distinct) == 1:
            continue
        write_known_state(rules, views[row], states[0])
        count_hands(rules, views[row], hidden)
        horizon = tricks_played(states[0]) + depth
        if views[row].choice:  # the trick is over, but its cards are still to be drawn
            horizon -= 1
        end = min(last, 1) if popcount(hidden.cards) == hidden.held else last
        for world in range(first, end):
            states[1] = states[0]
            write_sampled_cards(rules, views[row], hidden, keys[row], np.uint64(world), states[1])
            actions = distinct
            while actions:
                action = lowest(actions)
                actions &= actions - _ONE
                states[_FIRST_PLY] = states[1]
                play(rules, states[_FIRST_PLY], action)
                if depth == ROLLOUT:
                    margin = rollout_margin(rules, states[_FIRST_PLY], view, table, transpositions)
                else:
                    margin = open_card_margin(
                        rules, states, _FIRST_PLY, horizon, _LOW, _HIGH, view, table, transpositions
                    )
                totals[row, action] += margin


@kernel
def choose_best(views, totals, preferred, actions):
    """Write the action with the highest total; ties go to the preferred action, then to the lowest.

    Args:
        views: what the seats to act know, ``VIEW`` array of shape (n,).
        totals: of distinct actions, int64[n, 54].
        preferred: legal actions, int64[n].
        actions: written to, int64[n].
    """
    for row in range(views.shape[0]):
        distinct = distinct_actions(views[row])
        tried = distinct
        best = lowest(tried)
        while tried:
            action = lowest(tried)
            tried &= tried - _ONE
            if totals[row, action] > totals[row, best]:
                best = action
        # The action that was tried for the preferred one: the highest distinct action up to it.
        tried_action = highest(distinct & ((_ONE << np.uint64(preferred[row] + 1)) - _ONE))
        actions[row] = preferred[row] if totals[row, tried_action] == totals[row, best] else best


@kernel
def write_mean_margins(game, views, totals, worlds, margins):
    """Write the mean margin of each legal action, NaN where none was tried.

    Args:
        game: the rules, ``GAME`` array (1,).
        views: what the seats to act know, ``VIEW`` array of shape (n,).
        totals: of distinct actions, int64[n, 54].
        worlds: number of worlds for each view.
        margins: float64[n, 54], written.
    """
    for row in range(views.shape[0]):
        view = views[row]
        margins[row] = np.nan
        distinct = distinct_actions(view)
        if popcount(distinct) == 1:
            continue
        tried = (
            1 if popcount(view.unseen) == count_opponent_unseen(game[0], view) else worlds
        )  # nothing hidden: one world
        legal = view.legal
        while legal:
            action = lowest(legal)
            legal &= legal - _ONE
            tried_action = highest(distinct & ((_ONE << np.uint64(action + 1)) - _ONE))
            margins[row, action] = totals[row, tried_action] / tried
