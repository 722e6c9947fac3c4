"""The full state of a deal, hidden cards included: one record of a structured array.

Each record is one deal, so every batch size runs the same code (``state_kernels``).
"""

from __future__ import annotations

import numpy as np

FOREPLAY, ENDGAME = 0, 1

# Kinds of decisions.
PLAY, PICK, PICK_AFTER, DRAFT, EXCHANGE = range(5)

# Actions that are not cards. DRAFT: take or leave the face-up card. EXCHANGE: keep the hand or swap it for a blind one.
TAKE, LEAVE = 52, 53
KEEP, SWAP = 52, 53

STATE = np.dtype(
    [
        ("hands", np.uint64, (2,)),  # cards in hand, by seat
        ("known", np.uint64, (2,)),  # by seat: cards that the other saw it take and it still holds
        ("played", np.uint64, (2,)),  # by seat: cards it has played, including a card it has just led
        ("discarded", np.uint64, (2,)),  # by seat: cards that it knows to be out of play (humbug)
        ("face_up", np.uint64),  # the face-up cards of the stock
        ("deck", np.int8, (52,)),  # dealing order; only the deck's own cards are used
        ("void_trick", np.int8, (2, 4)),  # by seat and suit: the last trick (from 1) with a void shown, 0 = never
        ("void_drawn", np.int8, (2, 4)),  # by seat and suit: cards the seat had drawn unseen by then
        ("drawn", np.int8, (2,)),  # by seat: cards drawn unseen
        ("tricks", np.int8, (2, 2)),  # tricks won, by stage (foreplay, endgame) and seat
        ("exchanged", np.int8, (2,)),  # by seat: 1 if it has swapped its hand (humbug)
        ("top", np.int8),  # position of the next face-down card in the deck; the deck's size if there is none
        ("trump", np.int8),  # suit, -1 for none
        ("low", np.int8),  # 1 if the fewest counted tricks win
        ("dealer", np.int8),  # seat that dealt
        ("turn", np.int8),  # seat to act
        ("decision", np.int8),  # 0 card to play, 1 and 2 winner and loser pick a face-up card, 3 take or leave, 4 swap
        ("winner", np.int8),  # seat that won the last trick and leads the next
        ("led", np.int8),  # card led to the current trick, -1 if none
        ("done", np.bool_),  # whether the deal is finished
    ],
    align=True,
)
