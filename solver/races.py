"""Perfect play in the endgames of races, in which the deal stops as soon as a seat has taken enough tricks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from german_whist.solver.endgame_batch import EndgameBatch, Rows
from german_whist.solver.search.race_kernels import write_race_tricks
from german_whist.solver.search.transposition_table import RaceTranspositionTable, race_transposition_table
from german_whist.solver.tablebase.tablebase_file import Tablebase

NOT_LEGAL_MARGIN = -128
_MAX_NEEDED = 26  # the tricks of a whole deal


def solve_races(
    leaders: npt.ArrayLike,
    followers: npt.ArrayLike,
    trumps: npt.ArrayLike = -1,
    leds: npt.ArrayLike = -1,
    *,
    needs: npt.ArrayLike,
) -> npt.NDArray[np.int8]:
    """Return how many tricks both seats take until the deal stops, in perfect play for the margin.

    The deal stops when the leader or the follower has taken the tricks that it needs. Both seats maximize their margin
    of tricks at that moment. The values are exact, from alpha-beta search bounded by the tablebase value of the same
    endgame played to its last trick.

    Args:
        leaders: hands of the leaders as card masks, uint64[n], with or without the card led.
        followers: hands of the followers as card masks, uint64[n].
        trumps: trump suits (C D H S = 0 … 3), int[n] or one for all; −1 for none.
        leds: cards led (0 … 51), int[n] or one for all; −1 for none.
        needs: tricks that the leader and the follower still need for the deal to stop, int[n, 2] or one pair for all,
            each 1 to 26.

    Returns:
        int8[n, 2], the tricks of leader and follower from here on.

    Raises:
        ValueError: as ``solve_endgames``, or if ``needs`` is out of range or has another shape.
    """
    endgames = EndgameBatch(leaders, followers, trumps, False, leds)
    needed = _check_needs(needs, len(endgames.leaders))
    tricks = np.empty((len(endgames.leaders), 2), np.int8)

    def write(tablebase: Tablebase, transpositions: RaceTranspositionTable, rows: Rows) -> None:
        write_race_tricks(tablebase, transpositions, *rows, needed, tricks)

    endgames.search(write, race_transposition_table)
    return tricks


def _check_needs(needs: npt.ArrayLike, count: int) -> npt.NDArray[np.int64]:
    needed = np.asarray(needs)
    if needed.dtype.kind not in "iu" or needed.shape not in ((2,), (count, 2)):
        raise ValueError(f"needs must be int[{count}, 2] or int[2], got {needed.dtype}{needed.shape}")
    outside = (needed < 1) | (needed > _MAX_NEEDED)
    if outside.any():
        raise ValueError(f"needs must be integers from 1 to {_MAX_NEEDED}, got {needed[outside][0]}")
    return np.broadcast_to(needed, (count, 2)).astype(np.int64, order="C")  # each memory order would be compiled anew
