"""Vectors made of named blocks: where each block starts, how large its values get and what they mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.rules import Rules


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
        meaning: what the features mean.
    """

    start: int
    stop: int
    meaning: str


def layout_of(blocks: tuple[BlockSpec, ...]) -> dict[str, Block]:
    """Return the ranges of blocks that follow one another, by name."""
    layout: dict[str, Block] = {}
    start = 0
    for block in blocks:
        layout[block.name] = Block(start, start + block.size, block.meaning)
        start += block.size
    return layout


def highest_values(rules: Rules, blocks: tuple[BlockSpec, ...]) -> npt.NDArray[np.int8]:
    """Return the largest value of each feature, int8[n]. The smallest is 0.

    A feature that is always 0 under these rules still gets the bound 1: checkers of spaces refuse empty ranges.
    """
    highs = [getattr(rules, block.high) if isinstance(block.high, str) else block.high for block in blocks]
    return np.concatenate([np.full(b.size, max(high, 1), np.int8) for b, high in zip(blocks, highs, strict=True)])
