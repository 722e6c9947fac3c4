"""Rollouts in sampled worlds: the heuristic bot plays on for both seats, and the endgame gets its exact value."""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.bot_kernels import heuristic_action
from german_whist.agents.inference.world_sampling_kernels import OPPONENT, SELF
from german_whist.envs.engine.scoring import signed_margin
from german_whist.envs.engine.state import PLAY
from german_whist.envs.engine.state_kernels import counted_tricks, legal_actions, play
from german_whist.envs.observation.view_kernels import write_view
from german_whist.envs.utils.bit_kernels import lowest, popcount
from german_whist.envs.utils.jit import kernel
from german_whist.solver.search.alpha_beta_kernels import WINDOW_HIGH, WINDOW_LOW, alpha_beta
from german_whist.solver.search.race_kernels import RACE_WINDOW_HIGH, RACE_WINDOW_LOW, race_alpha_beta
from german_whist.solver.search.value_kernels import encode_position
from german_whist.solver.tablebase.position_kernels import MAX_CARDS

# Larger races take milliseconds to solve, too long for a rollout.
MAX_RACE_CARDS = 7
NEAR_GOAL = 3

_ONE = np.uint64(1)


@kernel
def distinct_actions(view):
    """Return the legal actions without those equivalent to a lower one: cards with no unplayed card between them.

    Cards of the stock to pick are never equivalent: one seat may get the higher of two neighbours, the other the lower.
    """
    if view.choice:
        return view.legal
    in_play = view.hand | view.unseen | view.opponent_known | view.face_up
    if view.led >= 0:
        in_play |= _ONE << np.uint64(view.led)
    return without_equivalents(view.legal, in_play)


@kernel
def distinct_actions_in_world(game, state):
    """Return the legal actions in a world, as ``distinct_actions`` does for a view."""
    if state.decision != PLAY:
        return legal_actions(state)
    in_play = game.deck & ~(state.played[SELF] | state.played[OPPONENT])
    if state.led >= 0:
        in_play |= _ONE << np.uint64(state.led)
    return without_equivalents(legal_actions(state), in_play)


@kernel
def without_equivalents(legal, in_play):
    """Return cards of a hand without those that have no card in play between them and a lower one of these cards."""
    distinct = np.uint64(0)
    last = np.int64(-1)
    while legal:
        card = lowest(legal)
        legal &= legal - _ONE
        if not is_neighbour(last, card, in_play):
            distinct |= _ONE << np.uint64(card)
        last = card
    return distinct


@kernel
def is_neighbour(below, card, in_play):
    """Return whether no card in play lies between a card and a lower one of the same suit (−1 for none)."""
    if below < 0 or below // 13 != card // 13:
        return False
    between = ((_ONE << np.uint64(card)) - _ONE) & ~((_ONE << np.uint64(below + 1)) - _ONE)
    return not in_play & between


@kernel
def is_open_endgame(game, state):
    """Return whether a state is an endgame with open hands that is small enough for the solver."""
    if state.face_up or state.top < game.cards or state.decision != PLAY or game.humbug:
        return False
    return popcount(state.hands[state.turn]) <= MAX_CARDS


@kernel
def is_solvable_endgame(game, state):
    """Return whether a rollout stops at this state: an open endgame that is solved in microseconds."""
    if not is_open_endgame(game, state):
        return False
    if game.race and popcount(state.hands[state.turn]) > MAX_RACE_CARDS:
        leading = max(counted_tricks(game, state, SELF), counted_tricks(game, state, OPPONENT))
        return game.race - leading <= NEAR_GOAL
    return True


@kernel
def solved_margin(game, state, table, transpositions):
    """Return seat 0's margin of the deal with perfect play from an endgame on."""
    leader = np.int64(state.winner)
    hands = state.hands
    position, cards, led = encode_position(
        table, hands[leader], hands[1 - leader], np.int64(state.trump), np.int64(state.led)
    )
    if game.race:
        own = np.int64(game.race) - counted_tricks(game, state, leader)
        other = np.int64(game.race) - counted_tricks(game, state, 1 - leader)
        value = race_alpha_beta(
            table, transpositions, position, cards, led, own, other, RACE_WINDOW_LOW, RACE_WINDOW_HIGH
        )
        margin = value - (other - own)
    else:
        margin = 2 * alpha_beta(table, transpositions.plain, position, cards, led, WINDOW_LOW, WINDOW_HIGH) - cards
    return signed_margin(game, state, SELF) + (margin if leader == SELF else -margin)


@kernel
def rollout_margin(game, state, view, table, transpositions):
    """Play a rollout with the heuristic bot to the endgame, or else to the end, and return seat 0's margin.

    Args:
        game: the rules, a ``GAME`` record.
        state: changed in place.
        view: scratch.
        table: ``EndgameTable`` for this kind of game.
        transpositions: ``RaceTranspositionTable`` of the search.
    """
    while not state.done:
        if is_solvable_endgame(game, state):
            return solved_margin(game, state, table, transpositions)
        write_view(game, state, np.int64(state.turn), view)
        play(game, state, heuristic_action(view))
    return signed_margin(game, state, SELF)
