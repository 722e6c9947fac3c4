"""Open endgames as one 64-bit number, in which only the order of the cards still in play remains.

Each of the four suits has a lane of 16 bits, its *word*: bit ``i`` stands for the ``i``-th lowest card of that suit that
is still in play, 1 when the leader holds it and 0 when the follower does, and one more bit above the last card marks the
length. An empty suit is the word 1. Lane 0 is the trump suit where there is one; the plain suits lie in any order until
``sorted_suits`` puts them in ascending order, which is the one form that tables and transpositions know.
"""

from __future__ import annotations

import numpy as np

from german_whist.envs.bits import highest, lowest, popcount
from german_whist.envs.jit import kernel

MAX_CARDS = 13  # in a hand, and in a suit
EMPTY = 0x0001_0001_0001_0001

_ONE = np.uint64(1)
_WORD = np.uint64(0xFFFF)
_SUIT = np.uint64(0x1FFF)


@kernel
def word_of(position, lane):
    """Return the word of a suit."""
    return (position >> np.uint64(16 * lane)) & _WORD


@kernel
def with_word(position, lane, word):
    """Return the position with another word in a lane."""
    shift = np.uint64(16 * lane)
    return (position & ~(_WORD << shift)) | (word << shift)


@kernel
def length_of(word):
    """Return how many cards of a suit are in play."""
    return highest(word)


@kernel
def leader_cards(word):
    """Return the leader's cards of a suit as bits of its word."""
    return word ^ (_ONE << np.uint64(highest(word)))


@kernel
def follower_cards(word):
    """Return the follower's cards of a suit as bits of its word."""
    return ~word & ((_ONE << np.uint64(highest(word))) - _ONE)


@kernel
def without(word, place):
    """Return a word without one card; those above it move down."""
    below = (_ONE << np.uint64(place)) - _ONE
    return (word & below) | ((word >> _ONE) & ~below)


@kernel
def run_starts(cards):
    """Return the lowest card of each run of adjacent cards: the cards of a run are worth the same."""
    return cards & ~(cards << _ONE)


@kernel
def seats_swapped(position):
    """Return the position with the follower as leader."""
    swapped = np.uint64(0)
    for lane in range(4):
        word = word_of(position, lane)
        swapped |= (word ^ ((_ONE << np.uint64(highest(word))) - _ONE)) << np.uint64(16 * lane)
    return swapped


@kernel
def sorted_suits(position, has_trump):
    """Return the position with its plain suits (all suits when there are no trumps) in ascending order of words."""
    first = word_of(position, 0)
    a = word_of(position, 1)
    b = word_of(position, 2)
    c = word_of(position, 3)
    a, b = min(a, b), max(a, b)
    b, c = min(b, c), max(b, c)
    a, b = min(a, b), max(a, b)
    if not has_trump:
        first, a = min(first, a), max(first, a)
        a, b = min(a, b), max(a, b)
        b, c = min(b, c), max(b, c)
    return first | (a << np.uint64(16)) | (b << np.uint64(32)) | (c << np.uint64(48))


@kernel
def lane_of(suit, trump):
    """Return the lane of a suit: the trump suit changes places with suit 0."""
    if trump < 0:
        return suit
    if suit == trump:
        return 0
    return trump if suit == 0 else suit


@kernel
def place_of(card, in_play):
    """Return which card of its suit in play a card is, counted from the lowest, from 0."""
    suit = card // 13
    below = (_ONE << np.uint64(card)) - _ONE
    return popcount(in_play & below & (_SUIT << np.uint64(13 * suit)))


@kernel
def position_of(leader, follower, trump):
    """Return the position of two hands given as masks of cards."""
    position = np.uint64(0)
    for suit in range(4):
        shift = np.uint64(13 * suit)
        own = (leader >> shift) & _SUIT
        cards = own | ((follower >> shift) & _SUIT)
        word = np.uint64(0)
        place = np.uint64(0)
        while cards:
            word |= ((own >> np.uint64(lowest(cards))) & _ONE) << place
            place += _ONE
            cards &= cards - _ONE
        position |= (word | (_ONE << place)) << np.uint64(16 * lane_of(suit, trump))
    return position
