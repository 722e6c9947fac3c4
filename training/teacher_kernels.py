"""What every action of a position is worth when the heuristic bot plays on for both seats and the endgame is solved."""

from __future__ import annotations

import numpy as np

from german_whist.agents.heuristic_bot import heuristic_action
from german_whist.envs.bits import lowest
from german_whist.envs.jit import kernel
from german_whist.envs.state import PLAY, counted_tricks, legal_actions, play
from german_whist.envs.views import write_view
from german_whist.solver.search import NO_CARD, search
from german_whist.solver.values import packed

_ONE = np.uint64(1)
_LOW_END, _HIGH_END = np.int64(-1), np.int64(14)


@kernel
def in_foreplay(game, state):
    """Return whether the stock lasts, or a trick or a choice that belongs to it is under way."""
    return not state.done and (state.face_up != 0 or state.top < game.cards or state.decision != PLAY)


@kernel
def exact_margin(game, state, table, memory):
    """Return seat 0's counted tricks minus seat 1's when the endgame that begins now is played perfectly."""
    margin = counted_tricks(game, state, 0) - counted_tricks(game, state, 1)
    if state.done:
        return margin
    leader = np.int64(state.turn)
    hands = state.hands
    position, cards, _ = packed(table, hands[leader], hands[1 - leader], np.int64(state.trump), NO_CARD)
    own = 2 * search(table, memory, position, cards, NO_CARD, _LOW_END, _HIGH_END) - cards
    return margin + (own if leader == 0 else -own)


@kernel
def write_worth(game, states, table, memory, scratch, views, worth):
    """Write what each legal action leads to, in counted tricks of the seat to act minus the other's.

    Every action is tried in the true deal: hidden cards are what they are, so that over many deals the mean is taken
    over all that the seat could hold possible, at the price of one world a position. All actions of a position meet the
    same world.

    Args:
        game: the rules: a high game with an open endgame and no race.
        states: ``STATE`` array (rows,), in the foreplay.
        table: the solver's table for such games.
        memory: of the solver's search.
        scratch: ``STATE`` array (1,).
        views: ``VIEW`` array (1,).
        worth: float32[rows, actions], written; 0 for actions that are not legal, and where there is no choice.
    """
    for row in range(states.shape[0]):
        state = states[row]
        seat = np.int64(state.turn)
        worth[row] = 0
        gone = state.played[0] | state.played[1]
        if state.led >= 0:
            gone &= ~(_ONE << np.uint64(state.led))
        legal = legal_actions(state)
        if not legal & (legal - _ONE):
            continue
        margin, last = 0, -1
        while legal:
            action = lowest(legal)
            legal &= legal - _ONE
            if state.decision != PLAY or not _neighbours(last, action, gone):
                scratch[0] = states[row]
                play(game[0], scratch[0], action)
                while in_foreplay(game[0], scratch[0]):
                    write_view(game[0], scratch[0], np.int64(scratch[0].turn), views[0])
                    play(game[0], scratch[0], np.int64(heuristic_action(views[0])))
                margin = exact_margin(game[0], scratch[0], table, memory)
            worth[row, action] = margin if seat == 0 else -margin
            last = action


@kernel
def _neighbours(lower, card, gone):
    """Return whether all cards between two are gone: then they are worth the same."""
    if lower < 0 or lower // 13 != card // 13:
        return False
    between = ((_ONE << np.uint64(card)) - _ONE) & ~((_ONE << np.uint64(lower + 1)) - _ONE)
    return not between & ~gone
