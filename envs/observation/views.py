"""What one seat knows of a deal, with perfect memory and nothing more.

Agents are handed views, never states, so no agent can peek. A view does not say which seat it belongs to: everything
stands from its owner's side.
"""

from __future__ import annotations

import numpy as np

from german_whist.envs.engine.state_kernels import PLAY, legal_actions
from german_whist.envs.utils.bit_kernels import popcount
from german_whist.envs.utils.jit import kernel

# hand, played_self, played_opponent, opponent_known, unseen, face_up and out part the deck among them.
VIEW = np.dtype(
    [
        ("hand", np.uint64),  # own cards
        ("legal", np.uint64),  # actions this seat may choose now; 0 when it is not its turn
        ("played_self", np.uint64),  # every card this seat has played, one it has led included
        ("played_opponent", np.uint64),
        ("opponent_known", np.uint64),  # cards the opponent was seen to take and has not played
        ("own_known", np.uint64),  # own cards that the opponent saw this seat take
        ("unseen", np.uint64),  # cards that are in the opponent's hand or face down, nobody told where
        ("face_up", np.uint64),  # open cards of the stock
        ("out", np.uint64),  # cards this seat knows to be out of play (humbug)
        ("void_self", np.int8, (4,)),  # trick (from 1) at which this seat last showed a void, 0 = never
        ("void_opponent", np.int8, (4,)),
        ("drawn_self", np.int8, (4,)),  # unseen cards drawn since that void was shown, 0 when never shown
        ("drawn_opponent", np.int8, (4,)),
        ("tricks_self", np.int8, (2,)),  # by stage: foreplay, endgame
        ("tricks_opponent", np.int8, (2,)),
        ("led", np.int8),  # card led to the current trick, by whichever seat, -1 when there is none
        ("trump", np.int8),  # suit, -1 for none
        ("low", np.int8),  # 1 when the fewest counted tricks win
        ("stock", np.int8),  # cards left in the stock, the open ones included
        ("dealer", np.int8),  # 1 when this seat dealt
        ("turn", np.int8),  # 1 when this seat is to act
        ("choice", np.int8),  # 1 while a choice that is not a card from the hand is made, by whichever seat
        ("exchanged_self", np.int8),  # 1 when this seat swapped its hand for a blind (humbug)
        ("exchanged_opponent", np.int8),
        ("all_count", np.int8),  # 1 when foreplay tricks count too
        ("draft", np.int8),  # 1 when the winner of a foreplay trick may leave the face-up card to the loser
        ("race", np.int8),  # counted tricks that end the deal, 0 when it is played out
    ],
    align=True,
)


@kernel
def write_view(game, state, seat, view):
    """Write what ``seat`` knows of a state into a view record."""
    other = 1 - seat
    turn = not state.done and state.turn == seat
    view.hand = state.hands[seat]
    view.legal = legal_actions(state) if turn else np.uint64(0)
    view.played_self = state.played[seat]
    view.played_opponent = state.played[other]
    view.opponent_known = state.known[other]
    view.own_known = state.known[seat]
    view.face_up = state.face_up
    view.out = state.out[seat]
    located = state.hands[seat] | state.played[0] | state.played[1] | state.known[other]
    view.unseen = game.deck & ~(located | state.face_up | state.out[seat])
    for suit in range(4):
        _write_void(state, seat, suit, view.void_self, view.drawn_self)
        _write_void(state, other, suit, view.void_opponent, view.drawn_opponent)
    for stage in range(2):
        view.tricks_self[stage] = state.tricks[stage, seat]
        view.tricks_opponent[stage] = state.tricks[stage, other]
    view.led = state.led
    view.trump = state.trump
    view.low = state.low
    view.stock = popcount(state.face_up) + game.cards - state.top
    view.dealer = 1 if state.dealer == seat else 0
    view.turn = 1 if turn else 0
    view.choice = 1 if state.decision != PLAY else 0
    view.exchanged_self = state.exchanged[seat]
    view.exchanged_opponent = state.exchanged[other]
    view.all_count = game.all_count
    view.draft = game.draft
    view.race = game.race


@kernel
def _write_void(state, seat, suit, void, drawn):
    trick = state.void_trick[seat, suit]
    void[suit] = trick
    drawn[suit] = state.drawn[seat] - state.void_drawn[seat, suit] if trick else 0


@kernel
def write_views(game, states, rows, seats, views):
    """Write the views of ``seats[i]`` (−1: the seat to act) of ``states[rows[i]]``."""
    for i in range(rows.shape[0]):
        state = states[rows[i]]
        seat = np.int64(seats[i])
        write_view(game[0], state, np.int64(state.turn) if seat < 0 else seat, views[i])


@kernel
def cards_of_view(view):
    """Return the mask of the deck: a view parts it among its masks."""
    held = view.hand | view.played_self | view.played_opponent | view.opponent_known
    return held | view.unseen | view.face_up | view.out
