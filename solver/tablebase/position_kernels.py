"""Endgame positions as 64-bit numbers: only the relative order of the cards still in play is kept.

Each of the four suits has a lane of 16 bits, which holds its *word*. Bit ``i`` of a word stands for the ``i``-th lowest
card (from 0) of the suit that is still in play: 1 if the leader holds it, 0 if the follower does. A final 1 above the
last card marks the length, so an empty suit is the word 1. Lane 0 is the trump suit in games with trumps. The plain
suits come in any order until ``sorted_suits`` sorts them; tablebases and transposition tables hold positions with
sorted suits only.

The *bit index* of a card is 16 times its lane plus its place in the word. Most functions for positions accept single
words, too.
"""

from __future__ import annotations

import numpy as np

from german_whist.game.utils.bit_kernels import lowest, popcount
from german_whist.game.utils.jit import kernel

MAX_CARDS = 13  # limit of a hand, and of a suit

_ONE = np.uint64(1)
_WORD = np.uint64(0xFFFF)
_SUIT = np.uint64(0x1FFF)
# After a right shift by 1, 2, 4 or 8, the bits of each lane that do not come from the lane above.
_BELOW_1 = np.uint64(0x7FFF_7FFF_7FFF_7FFF)
_BELOW_2 = np.uint64(0x3FFF_3FFF_3FFF_3FFF)
_BELOW_4 = np.uint64(0x0FFF_0FFF_0FFF_0FFF)
_BELOW_8 = np.uint64(0x00FF_00FF_00FF_00FF)


@kernel
def word_of(position, lane):
    """Return the word in a lane."""
    return (position >> np.uint64(16 * lane)) & _WORD


@kernel
def in_play(position):
    """Return the bits of all cards in play: in each lane, all bits below the final 1."""
    # Copy the highest 1 of each lane, which is the final one, into all bits below it; then drop the final 1 itself.
    bits = position | ((position >> _ONE) & _BELOW_1)
    bits |= (bits >> np.uint64(2)) & _BELOW_2
    bits |= (bits >> np.uint64(4)) & _BELOW_4
    bits |= (bits >> np.uint64(8)) & _BELOW_8
    return (bits >> _ONE) & _BELOW_1


@kernel
def leader_cards(position):
    """Return the bits of the leader's cards."""
    return position & in_play(position)


@kernel
def follower_cards(position):
    """Return the bits of the follower's cards."""
    return ~position & in_play(position)


@kernel
def seats_swapped(position):
    """Return the position with the follower as leader."""
    return position ^ in_play(position)


@kernel
def run_starts(cards):
    """Return the lowest card of each run: adjacent cards of one hand, which are equivalent."""
    # No shift reaches the next lane: a suit has 13 cards at most, and a lane 16 bits.
    return cards & ~(cards << _ONE)


@kernel
def without(position, bit_index):
    """Return a position without one card; the cards above it in its suit move down."""
    lane = _WORD << np.uint64(bit_index & 48)
    # The other lanes, and in this one the cards below. The final 1 moves down with the cards above.
    kept = ~lane | ((_ONE << np.uint64(bit_index)) - _ONE)
    return (position & kept) | ((position >> _ONE) & lane & _BELOW_1 & ~kept)


@kernel
def sorted_suits(position, trump):
    """Return the position with the words of its plain suits (of all suits without trumps) in ascending order."""
    # A sorting network: three or six exchanges, without branches or a loop.
    first = word_of(position, 0)
    a = word_of(position, 1)
    b = word_of(position, 2)
    c = word_of(position, 3)
    a, b = min(a, b), max(a, b)
    b, c = min(b, c), max(b, c)
    a, b = min(a, b), max(a, b)
    if not trump:
        first, a = min(first, a), max(first, a)
        a, b = min(a, b), max(a, b)
        b, c = min(b, c), max(b, c)
    return first | (a << np.uint64(16)) | (b << np.uint64(32)) | (c << np.uint64(48))


@kernel
def lane_of(suit, trump):
    """Return the lane of a suit in ``position_of``: the trump suit swaps places with suit 0, ``trump`` −1 is none."""
    if suit == trump:
        return 0
    return trump if suit == 0 and trump > 0 else suit


@kernel
def bit_index_of(card, cards, trump):
    """Return the bit index of a card in ``position_of``; ``cards``: all cards in play."""
    suit = np.int64(card) // 13
    below = (_ONE << np.uint64(card)) - _ONE
    return 16 * lane_of(suit, trump) + popcount(cards & below & (_SUIT << np.uint64(13 * suit)))


@kernel
def position_of(leader, follower, trump):
    """Return the position of two hands, card masks; its suits are not sorted."""
    position = np.uint64(0)
    for suit in range(4):
        shift = np.uint64(13 * suit)
        own = (leader >> shift) & _SUIT
        cards = own | ((follower >> shift) & _SUIT)
        word = np.uint64(0)
        bit = np.uint64(0)
        while cards:
            word |= ((own >> np.uint64(lowest(cards))) & _ONE) << bit
            bit += _ONE
            cards &= cards - _ONE
        position |= (word | (_ONE << bit)) << np.uint64(16 * lane_of(suit, trump))
    return position
