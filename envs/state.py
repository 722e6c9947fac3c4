"""The whole truth of a deal, as one row of a structured array, and what moves it.

These kernels are the only place where the rules of play exist. Each takes one row (a record), so that every batch size
runs the same code.
"""

from __future__ import annotations

import numpy as np

from german_whist.envs.jit import kernel

FOREPLAY, ENDGAME = 0, 1

STATE = np.dtype(
    [
        ("hands", np.uint64, (2,)),  # by seat
        ("known", np.uint64, (2,)),  # cards of a seat that the other saw it take and it has not played yet
        ("played", np.uint64, (2,)),  # cards a seat has played, the card led included
        ("deck", np.int8, (52,)),  # dealing order; only the deck's own cards are used
        ("void_trick", np.int8, (2, 4)),  # trick (from 1) at which a seat last showed it was void of a suit, 0 = never
        ("void_losses", np.int8, (2, 4)),  # foreplay tricks the seat had lost before that trick
        ("tricks", np.int8, (2, 2)),  # by stage, then seat
        ("top", np.int8),  # position of the face-up card in the deck; the deck's size when the stock is gone
        ("trump", np.int8),  # suit
        ("dealer", np.int8),  # seat
        ("turn", np.int8),  # seat to act
        ("led", np.int8),  # card led to the current trick, -1 when there is none
        ("done", np.bool_),
    ],
    align=True,
)

_ONE = np.uint64(1)
_SUIT = np.uint64(0x1FFF)


@kernel
def card_bit(card):
    """Return the mask of one card."""
    return _ONE << np.uint64(card)


@kernel
def suit_of(card):
    """Return the suit of a card."""
    return np.int64(card) // 13


@kernel
def suit_mask(suit):
    """Return the mask of all cards of a suit."""
    return _SUIT << np.uint64(13 * suit)


@kernel
def deal(game, state, dealer):
    """Deal the state's deck: the non-dealer holds cards 1, 3, 5, … of it, leads, and card 2·hand+1 names trumps."""
    hand = np.int64(game.hand)
    state.hands[0] = state.hands[1] = np.uint64(0)
    for position in range(2 * hand):
        seat = 1 - dealer if position % 2 == 0 else dealer
        state.hands[seat] |= card_bit(state.deck[position])
    for seat in range(2):
        state.known[seat] = np.uint64(0)
        state.played[seat] = np.uint64(0)
        state.tricks[0, seat] = 0
        state.tricks[1, seat] = 0
        for suit in range(4):
            state.void_trick[seat, suit] = 0
            state.void_losses[seat, suit] = 0
    state.top = 2 * hand
    state.trump = suit_of(state.deck[2 * hand])
    state.dealer = dealer
    state.turn = 1 - dealer
    state.led = -1
    state.done = False


@kernel
def legal_cards(state):
    """Return the mask of the cards that the seat to act may play; 0 when the deal is done."""
    hand = state.hands[state.turn]
    if state.led >= 0:
        following = hand & suit_mask(suit_of(state.led))
        if following:
            return following
    return hand


@kernel
def beats(card, led, trump):
    """Return whether a card played second wins the trick."""
    suit = suit_of(card)
    if suit == suit_of(led):
        return card > led
    return suit == trump


@kernel
def play(game, state, card):
    """Play a legal card for the seat to act."""
    seat = np.int64(state.turn)
    bit = card_bit(card)
    state.hands[seat] ^= bit
    state.known[seat] &= ~bit
    state.played[seat] |= bit
    if state.led < 0:
        state.led = card
        state.turn = 1 - seat
        return
    led = np.int64(state.led)
    if suit_of(card) != suit_of(led):
        show_void(state, seat, suit_of(led))
    finish_trick(game, state, seat if beats(card, led, state.trump) else 1 - seat)


@kernel
def show_void(state, seat, suit):
    """Record that a seat could not follow a suit in the current trick."""
    tricks = state.tricks
    state.void_trick[seat, suit] = tricks[0, 0] + tricks[0, 1] + tricks[1, 0] + tricks[1, 1] + 1
    state.void_losses[seat, suit] = tricks[FOREPLAY, 1 - seat]


@kernel
def finish_trick(game, state, winner):
    """Give the trick to its winner, who leads the next; in the foreplay both draw first."""
    if state.top < game.cards:
        state.tricks[FOREPLAY, winner] += 1
        draw(state, winner)
    else:
        state.tricks[ENDGAME, winner] += 1
        if not state.hands[winner]:
            state.done = True
    state.led = -1
    state.turn = winner


@kernel
def draw(state, winner):
    """The winner takes the face-up card, seen by both; the loser the card under it, unseen; the next is turned."""
    top = np.int64(state.top)
    prize = card_bit(state.deck[top])
    state.hands[winner] |= prize
    state.known[winner] |= prize
    state.hands[1 - winner] |= card_bit(state.deck[top + 1])
    state.top = top + 2


@kernel
def counted_tricks(game, state, seat):
    """Return how many tricks that count a seat has taken."""
    tricks = np.int64(state.tricks[ENDGAME, seat])
    if game.all_count:
        tricks += np.int64(state.tricks[FOREPLAY, seat])
    return tricks
