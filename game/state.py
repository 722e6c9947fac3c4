"""The full state of a deal, hidden cards included: one record of a structured array.

Each record is one deal, so every batch size runs the same code (``state_kernels``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

FOREPLAY, ENDGAME = 0, 1

# Kinds of decisions.
PLAY, PICK, PICK_AFTER, DRAFT, EXCHANGE = range(5)

# Actions that are not cards.
TAKE, LEAVE = 52, 53
KEEP, SWAP = 52, 53


class NonCardAction(NamedTuple):
    """An action that is not a card.

    Attributes:
        number: the action.
        name: its name in text, which is that of its event in histories, too.
        setting: the setting of the rules that allows it.
        decision: the kind of decision in which it is legal.
        meaning: what the player does, in the third person.
        clause: the same about a player who may be addressed in the second person: ``{s}`` is the verb's ending,
            ``{card}`` the face-up card. Empty where the cards that move tell it.
    """

    number: int
    name: str
    setting: str
    decision: int
    meaning: str
    clause: str


NON_CARD_ACTIONS = (
    NonCardAction(TAKE, "take", "draft", DRAFT, "chooses to take the face-up card", ""),
    NonCardAction(LEAVE, "leave", "draft", DRAFT, "chooses to leave the face-up card", "leave{s} the {card}"),
    NonCardAction(KEEP, "keep", "humbug", EXCHANGE, "keeps the hand", "keep{s} the hand"),
    NonCardAction(
        SWAP, "swap", "humbug", EXCHANGE, "swaps the hand for a blind one", "swap{s} the hand for a blind one"
    ),
)

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
