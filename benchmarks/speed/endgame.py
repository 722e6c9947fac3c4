"""Time of an exact endgame value on one core: random endings of real play, 13 cards a hand, beside alpha-beta alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.registry import make_agent
from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.benchmarks.harness.timing import Tick, Workload, rates
from german_whist.envs.engine.rules import rules
from german_whist.envs.simulator.batch import DealBatch
from german_whist.solver.endgames import solve_endgame
from german_whist.solver.search.alpha_beta_kernels import Memory, new_memory
from german_whist.solver.search.value_kernels import write_move_tricks, write_reached, write_tricks
from german_whist.solver.tables.build import build_table
from german_whist.solver.tables.file import load
from german_whist.solver.tables.kinds import DEFAULT_CARDS, KINDS, table_path
from german_whist.solver.tables.ranking import lay_out
from german_whist.solver.tables.table import Table

SUBJECT = "endgame"
PEER = "without tables"  # alpha-beta with the same memory
POSITIONS = 10_000
_PEER_POSITIONS = 20  # they take long
_SINGLE = 200
_KIND = KINDS["trump-high"]

Endings = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]


def real_endings(count: int, seed: int = 0) -> Endings:
    """Return the endings that the heuristic bot reaches against itself.

    Returns:
        Leaders and followers uint64[count], trumps int8[count], no cards led int8[count], rows int64[count].
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


class Solving:
    """Answers some endings on one core, each time with an empty memory."""

    def __init__(self, table: Table, endings: Endings, write: Callable[..., None], *more: Any) -> None:
        """Take what is asked: ``write(table, memory, *endings, *more)``."""
        self._table, self._endings, self._write, self._more = table, endings, write, more
        self.memory: Memory = new_memory()

    def __call__(self) -> int:
        """Answer them all; return how many they are."""
        self.memory = new_memory()
        self._write(self._table, self.memory, *self._endings, *self._more)
        return len(self._endings[0])

    @property
    def positions_searched(self) -> float:
        """Positions searched an ending, in the last call."""
        return float(self.memory.visits[0]) / len(self._endings[0])


def _single(endings: Endings) -> int:
    leaders, followers, trumps, _, _ = endings
    for i in range(_SINGLE):
        solve_endgame(leaders[i], followers[i], "CDHS"[trumps[i]])
    return _SINGLE


def measure(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure every question in the same run, each for ``seconds``; rates come out as times."""
    table = load(build_table(_KIND, DEFAULT_CARDS))
    no_values = np.zeros(1, np.uint8)
    no_values.flags.writeable = False  # as those of a table are: kernels are compiled for these types only
    nothing = Table(lay_out(0, True)[0], no_values, 0, True, False)
    endings = real_endings(POSITIONS)
    few: Any = tuple(column[:_PEER_POSITIONS] for column in endings)
    tricks, reached = np.empty(POSITIONS, np.int8), np.empty(POSITIONS, np.bool_)
    seven = np.int64(7)
    value, win = "exact value", "seven tricks or not"
    moves, full = "value of every card", "exact value, full table"
    solving: dict[str, Solving] = {
        value: Solving(table, endings, write_tricks, tricks),
        win: Solving(table, endings, write_reached, seven, reached),
        moves: Solving(table, endings, write_move_tricks, np.empty((POSITIONS, 52), np.int8)),
        PEER: Solving(nothing, few, write_tricks, tricks),
    }
    path = table_path(_KIND, 13)
    if path.exists():
        solving[full] = Solving(load(path), endings, write_tricks, tricks)
    workloads: dict[str, Workload] = {**solving, "one call of solve_endgame": partial(_single, endings)}
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
