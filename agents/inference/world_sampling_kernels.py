"""World sampling: the hidden cards of a deal, drawn uniformly from all that are consistent with a view.

A world says which unseen cards the opponent holds and in which order the others lie face down. It is consistent if it
agrees with the known cards and the shown voids: a player void of a suit held no card of it, so the hidden cards of that
suit in its hand are among those drawn unseen since. Voids are nested in time, so each one limits the number of hidden
cards in its suit and the suits whose void was shown later, together (``write_limits``). A view does not tell the order
in which cards were played, so this constraint is not used: in an enumeration of all deals of a deck of 2 × 5 cards,
hands of 2, one consistent world in 270 was impossible for that reason; in one of 2 × 4 cards none.

Sampling is exact: the hands within the limits are counted by suit, a hand is drawn by its rank in that enumeration
(unranking, with binomial coefficients), and every order of the face-down cards goes with every hand. In ``humbug`` the
cards that nobody holds are spread evenly over the opponent's discarded hand and the blinds.
"""

from __future__ import annotations

import numpy as np

from german_whist.envs.engine.dealing_kernels import AGENT_STREAM, philox
from german_whist.envs.engine.state_kernels import suit_mask
from german_whist.envs.observation.view_kernels import cards_of_view
from german_whist.envs.utils.bit_kernels import lowest, popcount
from german_whist.envs.utils.jit import kernel

MAX_HAND = 26  # cards in the largest hand

_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_SHIFT = np.uint64(32)


def _binomials(size):
    table = np.zeros((size, size), np.int64)
    table[:, 0] = 1
    for row in range(1, size):
        table[row, 1:] = table[row - 1, 1:] + table[row - 1, :-1]
    return table


BINOMIAL = _binomials(14)  # BINOMIAL[n, k]: ways to choose k of n cards of a suit

# Counts of the opponent's consistent hands.
HAND_COUNTS = np.dtype(
    [
        ("cards", np.uint64),  # unseen cards
        ("held", np.int64),  # number of them in the opponent's hand
        ("order", np.int64, (4,)),  # suits by time of the shown void, latest first, then those without
        ("limit", np.int64, (4,)),  # most hidden cards in that suit and those before it together
        ("ways", np.int64, (5, MAX_HAND + 1)),  # [i, n]: ways to fill the hand from suits i, i+1, … after n cards
    ],
    align=True,
)


@kernel
def is_humbug(view):
    """Return whether the deal never had a stock."""
    return view.stock == 0 and view.tricks_self[0] + view.tricks_opponent[0] == 0


@kernel
def hand_size(view):
    """Return the number of cards dealt to a seat."""
    cards = popcount(cards_of_view(view))
    if is_humbug(view):
        return cards // 4
    drawn = 2 * (np.int64(view.tricks_self[0]) + np.int64(view.tricks_opponent[0]))
    if view.choice:  # one or both cards of the last trick are still to be drawn
        drawn -= 1 if view.stock % 2 else 2
    return (cards - view.stock - drawn) // 2


@kernel
def count_opponent_unseen(view):
    """Return the number of unseen cards in the opponent's hand."""
    if is_humbug(view):
        return hand_size(view) - popcount(view.played_opponent) - popcount(view.opponent_known)
    return popcount(view.unseen) - (np.int64(view.stock) - popcount(view.face_up))


@kernel
def write_limits(view, counts):
    """Write the order of the suits and the limits that follow from the opponent's shown voids."""
    for suit in range(4):  # insertion sort, the latest void first
        place = suit
        while place > 0 and view.void_opponent[counts.order[place - 1]] < view.void_opponent[suit]:
            counts.order[place] = counts.order[place - 1]
            place -= 1
        counts.order[place] = suit
    for place in range(4):
        suit = counts.order[place]
        is_void = view.void_opponent[suit] > 0
        counts.limit[place] = min(counts.held, np.int64(view.drawn_opponent[suit])) if is_void else counts.held


@kernel
def count_hands(view, counts):
    """Count the consistent hands of the opponent and return their number."""
    counts.cards = view.unseen
    counts.held = count_opponent_unseen(view)
    write_limits(view, counts)
    held = counts.held
    for before in range(held + 1):
        counts.ways[4, before] = 1 if before == held else 0
    for place in range(3, -1, -1):
        length = popcount(counts.cards & suit_mask(counts.order[place]))
        for before in range(held + 1):
            ways = 0
            for count in range(min(length, counts.limit[place] - before) + 1):
                ways += BINOMIAL[length, count] * counts.ways[place + 1, before + count]
            counts.ways[place, before] = ways
    return counts.ways[0, 0]


@kernel
def unrank_hand(counts, number):
    """Return consistent hand ``number``, counted from 0."""
    hand = np.uint64(0)
    before = 0
    for place in range(4):
        cards = counts.cards & suit_mask(counts.order[place])
        length = popcount(cards)
        count = 0
        while number >= BINOMIAL[length, count] * counts.ways[place + 1, before + count]:
            number -= BINOMIAL[length, count] * counts.ways[place + 1, before + count]
            count += 1
        before += count
        rest = counts.ways[place + 1, before]
        hand |= unrank_combination(cards, length, count, number // rest)
        number %= rest
    return hand


@kernel
def unrank_combination(cards, length, count, number):
    """Return combination ``number`` of ``count`` out of ``length`` cards; those without the lowest card come first."""
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
def uniform_below(bound, key, world, block):
    """Return a uniform number in [0, ``bound``) and the next unused random block (rejection sampling)."""
    last = _ALL - (_ALL % bound + _ONE) % bound  # the largest multiple of bound, minus one
    while True:
        high, low, _, _ = philox(key, world, block, np.uint64(AGENT_STREAM))
        block += _ONE
        word = (high << _SHIFT) | low
        if word <= last:
            return word % bound, block


@kernel
def sample_hand(counts, key, world):
    """Return the opponent's hidden hand in world number ``world`` of a random key."""
    number, _ = uniform_below(np.uint64(counts.ways[0, 0]), key, world, np.uint64(0))
    return unrank_hand(counts, np.int64(number))
