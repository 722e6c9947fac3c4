"""Transposition tables: bounds on the values of positions that a search has already visited."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_SLOTS = 1 << 14


class TranspositionTable(NamedTuple):
    """Bounds on the values of positions in one kind of game; a new position replaces the old one in its slot.

    Attributes:
        keys: uint64[a power of two from 2 on], the position.
        bounds: uint8[as many], its lower bound (bits 0–3) and upper bound (bits 4–7).
    """

    keys: npt.NDArray[np.uint64]
    bounds: npt.NDArray[np.uint8]


class RaceTranspositionTable(NamedTuple):
    """Bounds on the values of positions in races, by position and tricks needed.

    Attributes:
        keys: uint64[a power of two from 2 on], the position with the tricks that both seats need.
        bounds: int8[as many, 2], lower and upper bound.
        plain: the transposition table of the same game played out.
    """

    keys: npt.NDArray[np.uint64]
    bounds: npt.NDArray[np.int8]
    plain: TranspositionTable


def transposition_table() -> TranspositionTable:
    """Return an empty transposition table."""
    return TranspositionTable(np.zeros(_SLOTS, np.uint64), np.zeros(_SLOTS, np.uint8))


def race_transposition_table() -> RaceTranspositionTable:
    """Return an empty transposition table for races."""
    return RaceTranspositionTable(np.zeros(_SLOTS, np.uint64), np.zeros((_SLOTS, 2), np.int8), transposition_table())
