"""All endgames with a given number of cards a hand, enumerated independently, and sums of their values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from german_whist.game.utils.jit import allocating_kernel
from german_whist.solver.tablebase.position_kernels import leader_cards
from german_whist.solver.tablebase.ranking import suit_lengths
from german_whist.solver.tablebase.ranking_kernels import lookup
from german_whist.solver.tablebase.tablebase_file import Tablebase


def every_position(cards: int, trump: bool) -> Iterator[int]:
    """All positions with sorted suits; positions that differ only by a permutation of plain suits come once."""
    for lengths in suit_lengths(cards, trump):
        for bits in itertools.product(*(range(1 << length) for length in lengths)):
            words = [bit | 1 << length for bit, length in zip(bits, lengths, strict=True)]
            plain = words[1:] if trump else words
            if plain == sorted(plain) and sum(bit.bit_count() for bit in bits) == cards:
                yield sum(word << 16 * lane for lane, word in enumerate(words))


@allocating_kernel
def _add_block(tablebase, cards, lengths, total):
    """Add the number of positions in a block, and their values, up to permutations of plain suits."""
    words = np.zeros(4, np.uint64)
    for a in range(1 << lengths[0]):
        words[0] = a | 1 << lengths[0]
        for b in range(1 << lengths[1]):
            words[1] = b | 1 << lengths[1]
            if not tablebase.trump and words[1] < words[0]:
                continue
            for c in range(1 << lengths[2]):
                words[2] = c | 1 << lengths[2]
                if words[2] < words[1]:
                    continue
                for d in range(1 << lengths[3]):
                    words[3] = d | 1 << lengths[3]
                    if words[3] < words[2]:
                        continue
                    position = (
                        words[0] | words[1] << np.uint64(16) | words[2] << np.uint64(32) | words[3] << np.uint64(48)
                    )
                    held = leader_cards(position)
                    count = 0
                    while held:
                        held &= held - np.uint64(1)
                        count += 1
                    if count == cards:
                        total[0] += 1
                        total[1] += lookup(tablebase, position, cards, False)


def count_and_sum(tablebase: Tablebase, cards: int) -> tuple[int, int]:
    """The number of positions with this many cards a hand, and the sum of their values."""
    total = np.zeros(2, np.int64)
    for lengths in suit_lengths(cards, tablebase.trump):
        _add_block(tablebase, cards, np.array(lengths, np.int64), total)
    return int(total[0]), int(total[1])
