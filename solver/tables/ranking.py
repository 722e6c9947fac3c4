"""Where a position stands in a table: a perfect ranking of all endgames of 0 … N cards a hand.

A table is cut into *blocks*, one for each number of cards and lengths of the four suits (plain suits in ascending
order), and a block into *sub-blocks*, one for each way the leader's cards spread over the suits. In a sub-block the
suits are independent: with ``k`` of ``l`` cards a suit has C(l, k) words, ranked in numerical order, and the position's
place is a number in mixed radix of these ranks. Two things follow that make tables quick to build: playing cards of one
suit leaves the other suits' digits alone, and swapping the seats reverses every digit.

Suits of equal length stand in either order, so about 15 % of the positions are in the table twice.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.utils.bit_kernels import highest, popcount
from german_whist.envs.utils.jit import kernel
from german_whist.solver.tables.position_kernels import MAX_CARDS, word_of

WORDS = 2 << MAX_CARDS
_SIDE = MAX_CARDS + 1


class Block(NamedTuple):
    """All positions with the same number of cards and lengths of suits.

    Attributes:
        cards: cards in each hand.
        lengths: cards in play of each suit, in the order of the lanes.
        first: place of its first position in the table; even, so that blocks share no byte.
        size: number of positions.
    """

    cards: int
    lengths: tuple[int, int, int, int]
    first: int
    size: int


class Ranking(NamedTuple):
    """What the kernels need to rank a position.

    Attributes:
        digits: uint32[2, 2**14], by whether the seats are swapped, and word: its length (bits 0–3), the leader's cards
            in it (4–7), the number of words with the same two (8–18) and its rank among them (19–29).
        starts: int32[14, 14, 14, 14], by cards in a hand and lengths of lanes 0–2: where a block begins in
            ``firsts``.
        firsts: int64[…], places of the first positions of all sub-blocks.
    """

    digits: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.int32]
    firsts: npt.NDArray[np.int64]


@kernel
def _write_digits(digits):
    counts = np.zeros((_SIDE, _SIDE), np.uint32)
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


@lru_cache(maxsize=1)
def word_digits() -> npt.NDArray[np.uint32]:
    """Return ``Ranking.digits``."""
    digits = np.zeros((2, WORDS), np.uint32)
    _write_digits(digits)
    digits.flags.writeable = False
    return digits


def suit_lengths(cards: int, trump: bool) -> list[tuple[int, int, int, int]]:
    """Return the lengths of suits that blocks of so many cards a hand have, in the order in which they are stored."""
    found = []
    longest = min(2 * cards, MAX_CARDS)
    for first in range(longest + 1):
        for second in range(0 if trump else first, longest + 1):
            for third in range(second, longest + 1):
                fourth = 2 * cards - first - second - third
                if third <= fourth <= longest:
                    found.append((first, second, third, fourth))
    return found


def lay_out(cards: int, trump: bool) -> tuple[Ranking, list[Block], int]:
    """Lay out the table of all endgames of 0 … ``cards`` cards a hand.

    Args:
        cards: 1 to 13.
        trump: whether lane 0 is the trump suit.

    Returns:
        The ranking, the blocks in ascending order of cards, and the number of places.
    """
    starts = np.zeros((_SIDE,) * 4, np.int32)
    firsts: list[npt.NDArray[np.int64]] = []
    blocks: list[Block] = []
    entries = place = 0
    for hand in range(cards + 1):
        for lengths in suit_lengths(hand, trump):
            sizes = _sub_block_sizes(hand, lengths)
            size = int(sizes.sum())
            starts[hand, lengths[0], lengths[1], lengths[2]] = entries
            firsts.append(place + np.cumsum(sizes) - sizes)
            blocks.append(Block(hand, lengths, place, size))
            entries += len(sizes)
            place += size + size % 2
    ranking = Ranking(word_digits(), starts, np.concatenate(firsts))
    for array in ranking:
        array.flags.writeable = False
    return ranking, blocks, place


def _sub_block_sizes(cards: int, lengths: tuple[int, int, int, int]) -> npt.NDArray[Any]:
    """Return the sizes of a block's sub-blocks by the leader's cards in lanes 0–2, int64; 0 where there is none."""
    ways = [np.array([comb(length, own) for own in range(length + 1)], np.int64) for length in lengths]
    own = np.add.outer(np.add.outer(np.arange(lengths[0] + 1), np.arange(lengths[1] + 1)), np.arange(lengths[2] + 1))
    rest = cards - own
    last = np.where((rest >= 0) & (rest <= lengths[3]), ways[3][np.clip(rest, 0, lengths[3])], 0)
    return (np.multiply.outer(np.multiply.outer(ways[0], ways[1]), ways[2]) * last).ravel()


@kernel
def place_in_table(ranking, position, cards, swapped):
    """Return the place of a position with its suits sorted, or of the one with the seats swapped."""
    side = 1 if swapped else 0
    a = np.int64(ranking.digits[side, word_of(position, 0)])
    b = np.int64(ranking.digits[side, word_of(position, 1)])
    c = np.int64(ranking.digits[side, word_of(position, 2)])
    d = np.int64(ranking.digits[side, word_of(position, 3)])
    start = np.int64(ranking.starts[cards, a & 15, b & 15, c & 15])
    sub_block = ((a >> 4 & 15) * ((b & 15) + 1) + (b >> 4 & 15)) * ((c & 15) + 1) + (c >> 4 & 15)
    rank = ((a >> 19) * (b >> 8 & 0x7FF) + (b >> 19)) * (c >> 8 & 0x7FF) + (c >> 19)
    return ranking.firsts[start + sub_block] + rank * (d >> 8 & 0x7FF) + (d >> 19)
