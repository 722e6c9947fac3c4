"""Transposition tables: bounds on the values of positions that a search has already visited."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

SLOT_BITS = 14


class TranspositionTable(NamedTuple):
    """Bounds on the values of positions in one kind of game; a new position replaces the old one in its slot.

    Attributes:
        keys: uint64[2**14], the position.
        bounds: uint8[2**14], its lower bound (bits 0–3) and upper bound (bits 4–7).
    """

    keys: npt.NDArray[np.uint64]
    bounds: npt.NDArray[np.uint8]


class RaceTranspositionTable(NamedTuple):
    """Bounds on the values of positions in races, by position and tricks needed.

    Attributes:
        keys: uint64[2**14], the position with the tricks that both seats need.
        bounds: int8[2**14, 2], lower and upper bound.
        plain: the transposition table of the same game played out.
    """

    keys: npt.NDArray[np.uint64]
    bounds: npt.NDArray[np.int8]
    plain: TranspositionTable


def transposition_table() -> TranspositionTable:
    """Return an empty transposition table."""
    size = 1 << SLOT_BITS
    return TranspositionTable(np.zeros(size, np.uint64), np.zeros(size, np.uint8))


def race_transposition_table() -> RaceTranspositionTable:
    """Return an empty transposition table for races."""
    size = 1 << SLOT_BITS
    return RaceTranspositionTable(np.zeros(size, np.uint64), np.zeros((size, 2), np.int8), transposition_table())
