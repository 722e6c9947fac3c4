"""A table in memory: the values of all endgames of 0 … N cards a hand, and how to look one up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.utils.jit import kernel
from german_whist.solver.tables.ranking import Ranking, place_in_table


class Table(NamedTuple):
    """The values of all endgames of up to ``cards`` cards a hand, of one kind of game.

    A value is the number of tricks that the leader makes his: those he takes, or in a low game those he gives away.

    Attributes:
        ranking: where positions stand.
        values: uint8[…], two values to a byte, the first in the lower half.
        cards: the largest hands.
        trump: whether lane 0 is the trump suit.
        low: whether tricks are to be given away.
    """

    ranking: Ranking
    values: npt.NDArray[np.uint8]
    cards: int
    trump: bool
    low: bool


@kernel
def lookup(table, position, cards, swapped):
    """Return the value of a position with its suits sorted, or of the one with the seats swapped."""
    place = place_in_table(table.ranking, position, cards, swapped)
    return np.int64(table.values[place >> 1] >> np.uint8(4 * (place & 1))) & 15
