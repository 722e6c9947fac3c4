"""Endgame tables: the values of all endgames of 0 … N cards a hand, in memory and in their files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.solver.tablebase.kinds import TableKind, table_path
from german_whist.solver.tablebase.ranking import Ranking, table_layout


class EndgameTable(NamedTuple):
    """The values of all endgames of up to ``cards`` cards a hand, for one kind of game.

    The value of a position is the leader's number of successful tricks: tricks taken or, in a low game, tricks given
    away.

    Attributes:
        ranking: the index of each position.
        values: uint8[…], two values per byte, the first in the lower half.
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

    With it a search goes on to the last card. It also serves kernels that take a table but never use it.
    """
    values = np.zeros(1, np.uint8)
    values.flags.writeable = False  # as in a real table: otherwise kernels would compile again for writeable values
    return EndgameTable(table_layout(0, trump=True).ranking, values, 0, True, False)


def find_table(kind: TableKind, cards: int, folder: Path | None = None) -> EndgameTable | None:
    """Return a table, memory-mapped from its file so that processes share the memory; ``None`` if there is none.

    A file of another size is from another version, and not taken.
    """
    path = table_path(kind, cards, folder)
    if not os.path.exists(path):  # unlike Path.exists, False in a folder that may not be read
        return None
    layout = table_layout(cards, kind.trump)
    if os.path.getsize(path) != layout.size // 2:
        return None
    values: npt.NDArray[np.uint8] = np.asarray(np.memmap(path, np.uint8, "r"))
    return EndgameTable(layout.ranking, values, cards, kind.trump, kind.low)
