"""An endgame table in memory: the values of all endgames of 0 … N cards a hand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.solver.tablebase.ranking import Ranking, table_layout


class EndgameTable(NamedTuple):
    """The values of all endgames of up to ``cards`` cards a hand, for one kind of game.

    The value of a position is the leader's number of successful tricks: tricks taken or, in a low game, tricks given
    away.

    Attributes:
        ranking: the index of each position.
        values: uint8[…], two values to a byte, the first in the lower half.
        cards: cards in the largest hands.
        trump: whether lane 0 is the trump suit.
        low: whether the fewest tricks win.
    """

    ranking: Ranking
    values: npt.NDArray[np.uint8]
    cards: int
    trump: bool
    low: bool


def empty_table() -> EndgameTable:
    """Return a table of a high game with trumps that holds only the endgame without cards, whose value is 0.

    It stands in for a real table in searches to the last card, and in kernels that take a table but never use it.
    """
    values = np.zeros(1, np.uint8)
    values.flags.writeable = False  # kernels are compiled for read-only values, as those of a real table are
    return EndgameTable(table_layout(0, trump=True).ranking, values, 0, True, False)
