"""Vectors made of named blocks: start, size, largest value and meaning of each."""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.game.rules import Rules


class BlockSpec(NamedTuple):
    """The specification of a block, without its position in a vector.

    Attributes:
        name: the block's name.
        size: number of features.
        high: the largest value of a feature: a number, or the name of the field of ``Rules`` that holds it.
        meaning: what the features mean.
    """

    name: str
    size: int
    high: str | int
    meaning: str


class Block(NamedTuple):
    """A named range of a vector.

    Attributes:
        start: index of the first feature.
        stop: index after the last feature.
        high: the largest value of a feature; the smallest is 0. Features divided by it are from 0 to 1.
        meaning: what the features mean.
    """

    start: int
    stop: int
    high: int
    meaning: str


def starts_of(blocks: tuple[BlockSpec, ...]) -> dict[str, int]:
    """Return the index of each block's first feature, by name; the blocks follow one another."""
    ends = accumulate(block.size for block in blocks)
    return {block.name: end - block.size for block, end in zip(blocks, ends, strict=True)}


def layout_of(rules: Rules, blocks: tuple[BlockSpec, ...]) -> dict[str, Block]:
    """Lay blocks out one after another and return them by name.

    A feature that is always 0 under these rules still gets the bound 1, because environment checkers refuse a space
    whose bounds are equal.
    """
    starts = starts_of(blocks)
    highs = [getattr(rules, block.high) if isinstance(block.high, str) else block.high for block in blocks]
    return {
        block.name: Block(starts[block.name], starts[block.name] + block.size, max(high, 1), block.meaning)
        for block, high in zip(blocks, highs, strict=True)
    }


def highest_values(rules: Rules, blocks: tuple[BlockSpec, ...]) -> npt.NDArray[np.int8]:
    """Return the largest value of each feature, int8[n]. The smallest is 0."""
    layout = layout_of(rules, blocks).values()
    return np.concatenate([np.full(block.stop - block.start, block.high, np.int8) for block in layout])
