"""Flat Monte Carlo: every action in the same sampled worlds, by rollouts, and the choice by the mean."""

from __future__ import annotations

import numpy as np

from german_whist.agents.inference.world_sampling_kernels import (
    count_hands,
    count_opponent_unseen,
    write_known_state,
    write_sampled_cards,
)
from german_whist.agents.monte_carlo.rollout_kernels import (
    distinct_actions,
    rollout_margin,
)
from german_whist.envs.engine.state_kernels import play
from german_whist.envs.utils.bit_kernels import highest, lowest, popcount
from german_whist.envs.utils.jit import kernel

_ONE = np.uint64(1)


@kernel
def add_margins(game, views, keys, first, last, table, scratch, totals):
    """Add up the margins of every distinct action over the same worlds of each view.

    Views with a single distinct action are skipped; where nothing is hidden only world 0 is tried.

    Args:
        game: the rules, ``GAME`` array (1,).
        views: what the seats to act know, ``VIEW`` array of shape (n,), consistent.
        keys: random keys of the worlds, uint64[n].
        first: first world.
        last: the world after the last.
        table: ``EndgameTable`` for these views' kind of game.
        scratch: three states, one view, one record of hand counts, and transposition tables.
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
        end = min(last, 1) if popcount(hidden.cards) == hidden.held else last
        for world in range(first, end):
            states[1] = states[0]
            write_sampled_cards(rules, views[row], hidden, keys[row], np.uint64(world), states[1])
            actions = distinct
            while actions:
                action = lowest(actions)
                actions &= actions - _ONE
                states[2] = states[1]
                play(rules, states[2], action)
                totals[row, action] += rollout_margin(rules, states[2], view, table, transpositions)


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
