"""Kernels that rank positions and look up their values; see ``ranking`` for how a table is ordered."""

from __future__ import annotations

import numpy as np

from german_whist.game.utils.bit_kernels import highest, popcount
from german_whist.game.utils.jit import allocating_kernel, kernel
from german_whist.solver.tablebase.position_kernels import MAX_CARDS, word_of

WORDS = 2 << MAX_CARDS
SIDE = MAX_CARDS + 1


@allocating_kernel
def write_word_digits(digits):
    """Write ``Ranking.digits``, uint32[2, 2**14]."""
    # The first pass ranks words in numerical order; only after it are the numbers of words known. The largest number,
    # C(13, 6) = 1716, fits into the 11 bits of its field.
    counts = np.zeros((SIDE, SIDE), np.uint32)
    for number in range(1, digits.shape[1]):
        word = np.uint64(number)
        length = highest(word)
        own = popcount(word) - 1
        digits[0, number] = counts[length, own]
        counts[length, own] += np.uint32(1)
    for number in range(1, digits.shape[1]):
        word = np.uint64(number)
        length = highest(word)
        own = popcount(word) - 1
        words = counts[length, own]
        rank = digits[0, number]
        shape = np.uint32(length) | (words << np.uint32(8))
        digits[0, number] = shape | np.uint32(own << 4) | (rank << np.uint32(19))
        digits[1, number] = shape | np.uint32((length - own) << 4) | ((words - np.uint32(1) - rank) << np.uint32(19))


@kernel
def position_index(ranking, position, cards, swapped):
    """Return the index of a position with sorted suits, or of the same position with the seats swapped."""
    # Two mixed-radix numbers: ``sub_block`` of the leader's cards in lanes 0 to 2, from which those in lane 3 follow,
    # and ``rank`` of the words' ranks.
    side = 1 if swapped else 0
    a = np.int64(ranking.digits[side, word_of(position, 0)])
    b = np.int64(ranking.digits[side, word_of(position, 1)])
    c = np.int64(ranking.digits[side, word_of(position, 2)])
    d = np.int64(ranking.digits[side, word_of(position, 3)])
    block = np.int64(ranking.block_entries[cards, a & 15, b & 15, c & 15])
    sub_block = ((a >> 4 & 15) * ((b & 15) + 1) + (b >> 4 & 15)) * ((c & 15) + 1) + (c >> 4 & 15)
    rank = ((a >> 19) * (b >> 8 & 0x7FF) + (b >> 19)) * (c >> 8 & 0x7FF) + (c >> 19)
    return ranking.sub_block_starts[block + sub_block] + rank * (d >> 8 & 0x7FF) + (d >> 19)


@kernel
def lookup(tablebase, position, cards, swapped):
    """Return the value of a position with sorted suits, or of the same position with the seats swapped."""
    index = position_index(tablebase.ranking, position, cards, swapped)
    return np.int64(tablebase.values[index >> 1] >> np.uint8(4 * (index & 1))) & 15
