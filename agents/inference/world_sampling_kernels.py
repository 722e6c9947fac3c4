"""Worlds: what a seat does not know of a deal, drawn uniformly from all that its view allows.

A world says which unseen cards the opponent holds and in which order the others lie face down. A view allows it when it
agrees with the known cards and the voids: when the opponent showed a void it held no card of the suit, so its hidden
cards of that suit are among those that it has drawn unseen since. Voids are nested in time, so each one *limits* how
many hidden cards there are of its suit and of those in which a void was shown later (``write_limits``). A view does not
tell in which order cards were played, so nothing is made of that: in an enumeration of all deals of a deck of 2 × 5
cards, hands of 2, one world in 270 that is allowed could not have come about; in one of 2 × 4 cards none.

All worlds that are allowed are equally likely, exactly: the hidden hands within the limits are counted by suit, a hand
is drawn by its number, and every order of the face-down cards goes with every hand. In ``humbug`` the cards that nobody
holds are spread evenly over the opponent's discarded hand and the blinds.
"""

from __future__ import annotations

import numpy as np

from german_whist.envs.engine.dealing_kernels import AGENT_STREAM, philox
from german_whist.envs.engine.state_kernels import suit_mask
from german_whist.envs.observation.view_kernels import cards_of_view
from german_whist.envs.utils.bit_kernels import lowest, popcount
from german_whist.envs.utils.jit import kernel

MOST_HIDDEN = 26  # cards in the largest hand

_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_SHIFT = np.uint64(32)


def _binomials(size):
    table = np.zeros((size, size), np.int64)
    table[:, 0] = 1
    for row in range(1, size):
        table[row, 1:] = table[row - 1, 1:] + table[row - 1, :-1]
    return table


BINOMIAL = _binomials(14)  # BINOMIAL[n, k]: ways to take k of n cards of a suit

# The hands that a view allows, counted.
HIDDEN = np.dtype(
    [
        ("cards", np.uint64),  # unseen cards
        ("held", np.int64),  # how many of them the opponent holds
        ("order", np.int64, (4,)),  # suits by when a void was shown, the latest first, then the others
        ("limit", np.int64, (4,)),  # how many hidden cards of that suit and those before it the opponent can hold
        ("ways", np.int64, (5, MOST_HIDDEN + 1)),  # [i, n]: ways to hold the rest in suits i, i+1, …, with n before
    ],
    align=True,
)


@kernel
def is_humbug(view):
    """Return whether the deal has no stock and never had."""
    return view.stock == 0 and view.tricks_self[0] + view.tricks_opponent[0] == 0


@kernel
def hand_size(view):
    """Return how many cards are dealt to a seat."""
    cards = popcount(cards_of_view(view))
    if is_humbug(view):
        return cards // 4
    drawn = 2 * (np.int64(view.tricks_self[0]) + np.int64(view.tricks_opponent[0]))
    if view.choice:  # the cards of the last trick are still to be taken, or one of them
        drawn -= 1 if view.stock % 2 else 2
    return (cards - view.stock - drawn) // 2


@kernel
def count_hidden(view):
    """Return how many unseen cards the opponent holds."""
    if is_humbug(view):
        return hand_size(view) - popcount(view.played_opponent) - popcount(view.opponent_known)
    return popcount(view.unseen) - (np.int64(view.stock) - popcount(view.face_up))


@kernel
def write_limits(view, hidden):
    """Write the order of the suits and what the voids that the opponent has shown say of its hidden cards."""
    for suit in range(4):  # insertion sort, the latest void first
        place = suit
        while place > 0 and view.void_opponent[hidden.order[place - 1]] < view.void_opponent[suit]:
            hidden.order[place] = hidden.order[place - 1]
            place -= 1
        hidden.order[place] = suit
    for place in range(4):
        suit = hidden.order[place]
        is_void = view.void_opponent[suit] > 0
        hidden.limit[place] = min(hidden.held, np.int64(view.drawn_opponent[suit])) if is_void else hidden.held


@kernel
def count_hands(view, hidden):
    """Count the hidden hands that a view allows, and return how many there are."""
    hidden.cards = view.unseen
    hidden.held = count_hidden(view)
    write_limits(view, hidden)
    held = hidden.held
    for before in range(held + 1):
        hidden.ways[4, before] = 1 if before == held else 0
    for place in range(3, -1, -1):
        length = popcount(hidden.cards & suit_mask(hidden.order[place]))
        for before in range(held + 1):
            ways = 0
            for count in range(min(length, hidden.limit[place] - before) + 1):
                ways += BINOMIAL[length, count] * hidden.ways[place + 1, before + count]
            hidden.ways[place, before] = ways
    return hidden.ways[0, 0]


@kernel
def hand_of_number(hidden, number):
    """Return hand ``number``, from 0, of the hidden hands that are allowed."""
    hand = np.uint64(0)
    before = 0
    for place in range(4):
        cards = hidden.cards & suit_mask(hidden.order[place])
        length = popcount(cards)
        count = 0
        while number >= BINOMIAL[length, count] * hidden.ways[place + 1, before + count]:
            number -= BINOMIAL[length, count] * hidden.ways[place + 1, before + count]
            count += 1
        before += count
        rest = hidden.ways[place + 1, before]
        hand |= some_of(cards, length, count, number // rest)
        number %= rest
    return hand


@kernel
def some_of(cards, length, count, number):
    """Return choice ``number`` of ``count`` of a suit's cards: without the lowest card first, then with it."""
    chosen = np.uint64(0)
    while count > 0:
        length -= 1
        without = BINOMIAL[length, count]
        if number >= without:
            number -= without
            count -= 1
            chosen |= _ONE << np.uint64(lowest(cards))
        cards &= cards - _ONE
    return chosen


@kernel
def number_below(bound, key, world, block):
    """Return a number from 0 up to ``bound`` (left out), every one equally likely, and the next unused block."""
    last = _ALL - (_ALL % bound + _ONE) % bound  # the largest number of a whole multiple of bound, less one
    while True:
        high, low, _, _ = philox(key, world, block, np.uint64(AGENT_STREAM))
        block += _ONE
        word = (high << _SHIFT) | low
        if word <= last:
            return word % bound, block


@kernel
def drawn_hand(hidden, key, world):
    """Return the hidden hand of world number ``world`` of a key."""
    number, _ = number_below(np.uint64(hidden.ways[0, 0]), key, world, np.uint64(0))
    return hand_of_number(hidden, np.int64(number))
