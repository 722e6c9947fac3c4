"""Perfect ranking: a bijection, up to symmetry, from the endgames of 0 … N cards a hand to the indices of a table.

A table is cut into *blocks*, one for each number of cards and lengths of the four suits (plain suits in ascending
order), and a block into *sub-blocks*, one for each split of the leader's cards over the suits. Within a sub-block the
suits are independent. A suit of ``l`` cards of which the leader holds ``k`` has C(l, k) words, ranked in numerical
order, and the index of a position is the mixed-radix number of these ranks. Two properties make tables quick to build:
playing cards of one suit leaves the digits of the other suits alone, and swapping the seats reverses every digit.

Suits of equal length are stored in either order, so about 15 % of the positions are stored twice.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.solver.tablebase.position_kernels import MAX_CARDS
from german_whist.solver.tablebase.ranking_kernels import SIDE, WORDS, write_word_digits


class Block(NamedTuple):
    """All positions with the same number of cards and the same lengths of suits.

    Attributes:
        cards: cards in each hand.
        lengths: cards in play of each suit, by lane.
        start: index of its first position in the table; even, so that no two blocks share a byte.
        size: number of positions.
    """

    cards: int
    lengths: tuple[int, int, int, int]
    start: int
    size: int


class Ranking(NamedTuple):
    """Tables with which kernels rank positions.

    Attributes:
        digits: uint32[2, 2**14], by whether the seats are swapped, then by word: its length (bits 0–3), the leader's
            cards in it (4–7), the number of words with the same two (8–18) and its rank among them (19–29).
        block_entries: int32[14, 14, 14, 14], by cards in a hand, then by lengths of lanes 0–2: where the sub-blocks of
            a block begin in ``sub_block_starts``.
        sub_block_starts: int64[number of sub-blocks], the index of each sub-block's first position.
    """

    digits: npt.NDArray[np.uint32]
    block_entries: npt.NDArray[np.int32]
    sub_block_starts: npt.NDArray[np.int64]


class TableLayout(NamedTuple):
    """Where the positions of an tablebase are stored.

    Attributes:
        ranking: the ranking of its positions.
        blocks: its blocks, in ascending order of cards.
        size: number of indices.
    """

    ranking: Ranking
    blocks: list[Block]
    size: int


@lru_cache(maxsize=1)
def word_digits() -> npt.NDArray[np.uint32]:
    """Return ``Ranking.digits``."""
    digits = np.zeros((2, WORDS), np.uint32)
    write_word_digits(digits)
    digits.flags.writeable = False
    return digits


def suit_lengths(cards: int, trump: bool) -> list[tuple[int, int, int, int]]:
    """Return the suit lengths of all blocks with ``cards`` cards a hand, in the order in which they are stored."""
    found = []
    longest = min(2 * cards, MAX_CARDS)
    for first in range(longest + 1):
        for second in range(0 if trump else first, longest + 1):
            for third in range(second, longest + 1):
                fourth = 2 * cards - first - second - third
                if third <= fourth <= longest:
                    found.append((first, second, third, fourth))
    return found


def tablebase_layout(cards: int, trump: bool) -> TableLayout:
    """Return the layout of the table of all endgames of 0 … ``cards`` cards a hand.

    Args:
        cards: cards in the largest hands, 0 to 13.
        trump: whether lane 0 is the trump suit.
    """
    block_entries = np.zeros((SIDE,) * 4, np.int32)
    sub_block_starts: list[npt.NDArray[np.int64]] = []
    blocks: list[Block] = []
    entries = index = 0
    for hand in range(cards + 1):
        for lengths in suit_lengths(hand, trump):
            sizes = _sub_block_sizes(hand, lengths)
            size = int(sizes.sum())
            block_entries[hand, lengths[0], lengths[1], lengths[2]] = entries
            sub_block_starts.append(index + np.cumsum(sizes) - sizes)
            blocks.append(Block(hand, lengths, index, size))
            entries += len(sizes)
            index += size + size % 2
    ranking = Ranking(word_digits(), block_entries, np.concatenate(sub_block_starts))
    for array in ranking:
        array.flags.writeable = False
    return TableLayout(ranking, blocks, index)


def _sub_block_sizes(cards: int, lengths: tuple[int, int, int, int]) -> npt.NDArray[Any]:
    """Return the sizes of a block's sub-blocks by the leader's cards in lanes 0–2, int64; 0 where there is none."""
    ways = [np.array([comb(length, own) for own in range(length + 1)], np.int64) for length in lengths]
    own = np.add.outer(np.add.outer(np.arange(lengths[0] + 1), np.arange(lengths[1] + 1)), np.arange(lengths[2] + 1))
    rest = cards - own
    last = np.where((rest >= 0) & (rest <= lengths[3]), ways[3][np.clip(rest, 0, lengths[3])], 0)
    return (np.multiply.outer(np.multiply.outer(ways[0], ways[1]), ways[2]) * last).ravel()
