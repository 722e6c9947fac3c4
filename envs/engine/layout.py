"""Vectors made of named blocks: which cells a block has, how large they can be and what they mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.rules import Rules

Kind = tuple[str, int, str | int, str]
"""A block's name, its cells, its largest value (a field of ``Rules`` or a number), its meaning."""


class Block(NamedTuple):
    """A named range of a vector: cells ``start`` up to ``stop``, and what they mean."""

    start: int
    stop: int
    meaning: str


def highest_values(game: Rules, kinds: tuple[Kind, ...]) -> npt.NDArray[np.int8]:
    """Return the largest value of each cell of some blocks, int8; a name stands for a field of the rules.

    Where the rules leave a cell at 0 its bound is 1 all the same: checkers of spaces want some room in each.
    """
    parts = [np.full(cells, getattr(game, high) if isinstance(high, str) else high) for _, cells, high, _ in kinds]
    bounds: npt.NDArray[np.int8] = np.maximum(np.concatenate(parts), 1).astype(np.int8)
    return bounds


def layout_of(kinds: tuple[Kind, ...]) -> dict[str, Block]:
    """Return the ranges of some blocks, one after the other."""
    layout: dict[str, Block] = {}
    start = 0
    for name, cells, _, meaning in kinds:
        layout[name] = Block(start, start + cells, meaning)
        start += cells
    return layout
