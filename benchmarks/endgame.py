"""Time of an exact endgame value on one core: endgames of 13 cards a hand from real play, against plain alpha-beta."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.registry import make_agent
from german_whist.benchmarks.harness import Figure, Skipped, Tick, Workload, rates
from german_whist.envs.engine.rules import rules
from german_whist.envs.simulator.batch import DealBatch
from german_whist.solver.endgames import solve_endgame
from german_whist.solver.search.transposition_table import TranspositionTable, transposition_table
from german_whist.solver.search.value_kernels import write_move_tricks, write_reached, write_tricks
from german_whist.solver.tablebase.build import build_table
from german_whist.solver.tablebase.endgame_table import EndgameTable, empty_table, load_table
from german_whist.solver.tablebase.kinds import DEFAULT_CARDS, KINDS, table_path

SUBJECT = "endgame"
PEER = "without tables"  # alpha-beta with the same transposition table
POSITIONS = 10_000
_PEER_POSITIONS = 20  # slow
_SINGLE = 200
_KIND = KINDS["trump-high"]

Columns = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]


def played_endgames(count: int, seed: int = 0) -> Columns:
    """Return the endgames that the heuristic bot reaches against itself, before their first card.

    Returns:
        Leaders and followers uint64[count], trumps int8[count], cards led int8[count] (all −1), rows int64[count].
    """
    bot = make_agent("heuristic")
    batch = DealBatch("classic", count, seed)
    for _ in range(2 * rules("classic").foreplay):
        batch.step(bot.act(batch.views(), None))
    rows = np.arange(count)
    leaders = batch.turn.astype(np.int64)
    hands = batch.states["hands"]
    led = np.full(count, -1, np.int8)
    return hands[rows, leaders], hands[rows, 1 - leaders], batch.states["trump"].copy(), led, rows


class SolverWorkload:
    """Solves some endgames on one core, each time with an empty transposition table."""

    def __init__(self, table: EndgameTable, endgames: Columns, write: Callable[..., None], *more: Any) -> None:
        """Set the kernel: ``write(table, transpositions, *endgames, *more)``."""
        self._table, self._endgames, self._write, self._more = table, endgames, write, more
        self.transpositions: TranspositionTable = transposition_table()

    def __call__(self) -> int:
        """Solve all endgames; return how many there are."""
        self.transpositions = transposition_table()
        self._write(self._table, self.transpositions, *self._endgames, *self._more)
        return len(self._endgames[0])

    @property
    def positions_searched(self) -> float:
        """Positions searched per endgame in the last call."""
        return float(self.transpositions.counters[0]) / len(self._endgames[0])


def _single(endgames: Columns) -> int:
    leaders, followers, trumps, _, _ = endgames
    for i in range(_SINGLE):
        solve_endgame(leaders[i], followers[i], "CDHS"[trumps[i]])
    return _SINGLE


def measure_endgame(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure every kind of query in the same run, each for ``seconds``; report times, not rates."""
    table = load_table(build_table(_KIND, DEFAULT_CARDS))
    endgames = played_endgames(POSITIONS)
    few: Any = tuple(column[:_PEER_POSITIONS] for column in endgames)
    tricks, reached = np.empty(POSITIONS, np.int8), np.empty(POSITIONS, np.bool_)
    seven = np.int64(7)
    value, win = "exact value", "seven tricks or not"
    moves, full = "value of every card", "exact value, full table"
    solving: dict[str, SolverWorkload] = {
        value: SolverWorkload(table, endgames, write_tricks, tricks),
        win: SolverWorkload(table, endgames, write_reached, seven, reached),
        moves: SolverWorkload(table, endgames, write_move_tricks, np.empty((POSITIONS, 52), np.int8)),
        PEER: SolverWorkload(empty_table(), few, write_tricks, tricks),
    }
    path = table_path(_KIND, 13)
    if path.exists():
        solving[full] = SolverWorkload(load_table(path), endgames, write_tricks, tricks)
    workloads: dict[str, Workload] = {**solving, "one call of solve_endgame": partial(_single, endgames)}
    times = {name: 1 / rate for name, rate in rates(workloads, seconds, tick).items()}
    peer = times.pop(PEER)
    figures: list[Figure | Skipped] = [Figure(SUBJECT, name, "s", time, PEER, peer) for name, time in times.items()]
    if full not in times:
        figures.append(Skipped(SUBJECT, full, "german-whist table build --cards 13 makes the table"))
    searched = {name: solving[name].positions_searched for name in (value, win)}
    peer_searched = solving[PEER].positions_searched
    return figures + [
        Figure(SUBJECT, f"{name}: positions", "", count, PEER, peer_searched) for name, count in searched.items()
    ]
