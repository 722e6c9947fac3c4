"""Kernels that turn states into views."""

from __future__ import annotations

import numpy as np

from german_whist.game.state import PLAY
from german_whist.game.state_kernels import legal_actions
from german_whist.game.utils.bit_kernels import popcount
from german_whist.game.utils.jit import kernel
from german_whist.game.utils.row_kernels import row_kernel


@kernel
def write_view(rules, state, seat, view):
    """Write what ``seat`` knows of a state into a ``VIEW`` record."""
    other = 1 - seat
    turn = not state.done and state.turn == seat
    view.hand = state.hands[seat]
    view.legal = legal_actions(state) if turn else np.uint64(0)
    view.played_self = state.played[seat]
    view.played_opponent = state.played[other]
    view.opponent_known = state.known[other]
    view.own_known = state.known[seat]
    view.face_up = state.face_up
    view.discarded = state.discarded[seat]
    # Unseen are the cards that this seat cannot locate: by elimination, so that no hidden field is read.
    located = state.hands[seat] | state.played[0] | state.played[1] | state.known[other]
    view.unseen = rules.deck & ~(located | state.face_up | state.discarded[seat])
    for suit in range(4):
        _write_void(state, seat, suit, view.void_self, view.drawn_self)
        _write_void(state, other, suit, view.void_opponent, view.drawn_opponent)
    for stage in range(2):
        view.tricks_self[stage] = state.tricks[stage, seat]
        view.tricks_opponent[stage] = state.tricks[stage, other]
    view.led = state.led
    view.trump = state.trump
    view.low = state.low
    view.stock = popcount(state.face_up) + rules.cards - state.top
    view.dealer = 1 if state.dealer == seat else 0
    view.turn = 1 if turn else 0
    view.choice = 1 if state.decision != PLAY else 0
    view.exchanged_self = state.exchanged[seat]
    view.exchanged_opponent = state.exchanged[other]
    write_settings(rules, view)


@kernel
def write_settings(rules, view):
    """Write the settings of the rules that a view tells."""
    view.all_count = rules.all_count
    view.draft = rules.draft
    view.race = rules.race


@kernel
def _write_void(state, seat, suit, void, drawn):
    trick = state.void_trick[seat, suit]
    void[suit] = trick
    drawn[suit] = state.drawn[seat] - state.void_drawn[seat, suit] if trick else 0


@row_kernel
def write_views(i, rules, states, rows, seats, views):
    """Write the view of ``seats[i]`` in ``states[rows[i]]``; −1 is the seat to act."""
    state = states[rows[i]]
    seat = np.int64(seats[i])
    write_view(rules[0], state, np.int64(state.turn) if seat < 0 else seat, views[i])


@kernel
def cards_of_view(view):
    """Return the mask of the whole deck, the union of a view's card masks."""
    held = view.hand | view.played_self | view.played_opponent | view.opponent_known
    return held | view.unseen | view.face_up | view.discarded


@kernel
def next_illegal(actions, legal, first):
    """Return the first row from ``first`` on whose action is not in its mask ``legal``, uint64[n]; −1 for none."""
    for i in range(first, actions.shape[0]):
        action = actions[i]
        if action < 0 or action >= 64 or not (legal[i] >> np.uint64(action)) & np.uint64(1):
            return np.int64(i)
    return np.int64(-1)
