"""What a history tells of a deal's hidden cards: the places, draws, plays and voids of the opponent, as one record."""

from __future__ import annotations

import numpy as np

from german_whist.envs.engine.state_kernels import suit_of
from german_whist.envs.observation.history import EVENTS
from german_whist.envs.utils.bit_kernels import popcount
from german_whist.envs.utils.jit import kernel

DREW, PLAYED, VOID = 0, 1, 2  # kinds of items
MAX_ITEMS = 80

# What one seat knows of a deal's hidden past.
HIDDEN_DEAL = np.dtype(
    [
        ("deck", np.int8, (52,)),  # cards in dealing order, −1 where the card of a place is not known
        ("own", np.uint64),  # the seat's hand as dealt
        ("is_dealer", np.int8),
        ("hand", np.int64),  # cards dealt to a seat
        ("turned", np.int64),  # cards turned up at the beginning
        ("unseen", np.uint64),  # cards never seen
        ("held", np.int64),  # how many of them the opponent holds
        ("items", np.int64),  # number of items: what happened to the opponent's hidden cards, in order
        ("kind", np.int8, (MAX_ITEMS,)),
        ("suit", np.int8, (MAX_ITEMS,)),  # of the card played, or of the void shown
        ("card", np.int8, (MAX_ITEMS,)),  # the card played
        ("place", np.int8, (MAX_ITEMS,)),  # of the card drawn
        ("cards_played", np.int64),  # by both seats
        ("played", np.int8, (52,)),  # cards in the order of play
        ("took", np.int8, (27, 2)),  # by trick, from 1, and who (0 this seat): the face-up card taken, −1 for none
        ("choice", np.int8, (27,)),  # by trick: 52 take, 53 leave, −1 for none
    ],
    align=True,
)

_EVENT = {event.name: number for number, event in enumerate(EVENTS)}
_DEALER, _DEALT, _TURNED = _EVENT["dealer"], _EVENT["dealt"], _EVENT["turned"]
_PLAYED, _TOOK, _DREW = _EVENT["played"], _EVENT["took"], _EVENT["drew"]
_TAKE, _LEAVE = _EVENT["take"], _EVENT["leave"]
_ME = 1

_ONE = np.uint64(1)


@kernel
def _add_item(hidden, kind, suit, card, place):
    number = hidden.items
    hidden.kind[number] = kind
    hidden.suit[number] = suit
    hidden.card[number] = card
    hidden.place[number] = place
    hidden.items = number + 1


@kernel
def _add_play(hidden, card, led, is_known):
    """Add the opponent's card to a trick in which the suit ``led`` was led (−1: it leads)."""
    if not is_known:
        _add_item(hidden, PLAYED, suit_of(card), card, -1)
    if led >= 0 and suit_of(card) != led:
        _add_item(hidden, VOID, led, -1, -1)


@kernel
def _add_draw(hidden, card, is_mine, place):
    """Add an unseen draw of either seat."""
    if is_mine:
        hidden.deck[place] = card
    else:
        _add_item(hidden, DREW, -1, -1, place)


@kernel
def read_history(tokens, length, cards, hidden):
    """Read a history and return whether its cards add up; not for ``humbug``.

    Args:
        tokens: the events, int8[at least length, 4].
        length: number of events.
        cards: the cards of the deck as a mask.
        hidden: a ``HIDDEN_DEAL`` record, overwritten.
    """
    hidden.deck[:] = -1
    hidden.took[:] = -1
    hidden.choice[:] = -1
    hidden.own = np.uint64(0)
    hidden.hand = hidden.turned = hidden.items = hidden.cards_played = 0
    seen = taken = np.uint64(0)
    dealt = draws = plays = np.int64(0)
    led = np.int64(-1)
    place = np.int64(0)  # the next place of the stock
    for i in range(length):
        event, who, card = np.int64(tokens[i, 0]), np.int64(tokens[i, 1]), np.int64(tokens[i, 2]) - 1
        trick = np.int64(tokens[i, 3])
        if card > 51 or trick < 0 or trick > 26 or place > 52 - (1 if event in (_TURNED, _DREW) else 0):
            return False
        if hidden.items + 2 > MAX_ITEMS or hidden.cards_played > 51:
            return False
        bit = _ONE << np.uint64(card) if card >= 0 else np.uint64(0)
        seen |= bit
        if event == _DEALER:
            hidden.is_dealer = 1 if who == _ME else 0
        elif event == _DEALT:
            dealt += 1
            hidden.own |= bit
            place = dealt
        elif event == _TURNED:
            hidden.turned += 1 if hidden.cards_played == 0 else 0
            hidden.deck[place] = card
            place += 1
        elif event == _DREW:
            _add_draw(hidden, card, who == _ME, place)
            draws += 0 if who == _ME else 1
            place += 1
        elif event == _TOOK:
            hidden.took[trick, 0 if who == _ME else 1] = card
            if who != _ME:
                taken |= bit
        elif event in (_TAKE, _LEAVE):
            hidden.choice[trick] = 52 if event == _TAKE else 53
        elif event == _PLAYED:
            if card < 0:
                return False
            hidden.played[hidden.cards_played] = card
            hidden.cards_played += 1
            if who != _ME:
                plays += 0 if taken & bit else 1
                _add_play(hidden, card, led, taken & bit != 0)
                taken &= ~bit
            led = suit_of(card) if led < 0 else -1
    hidden.hand = dealt // 2
    hidden.unseen = cards & ~seen
    hidden.held = hidden.hand + draws - plays
    return popcount(hidden.own) == hidden.hand and 0 <= hidden.held <= popcount(hidden.unseen)
