"""The base of agents that search in sampled worlds: random keys, endgame tables, scratch memory and threads.

A subclass decides which worlds it samples, how it evaluates an action in a world, and how it chooses. Each view has a
random key of its own, and sums over worlds are exact or in a fixed order. A choice therefore depends only on its view,
the history and the key, not on the batch, the threads or earlier calls.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import check_rng
from german_whist.agents.inference.sampling import check_consistent
from german_whist.agents.inference.worlds import Result, RunWorlds
from german_whist.envs.agent import Agent, Views
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.views import check_view_array
from german_whist.envs.utils.checks import MAX_THREADS, whole_number
from german_whist.solver.tablebase.cache import open_table
from german_whist.solver.tablebase.endgame_table import EndgameTable, empty_table

_KEYS = 2**53  # number of random keys
_PARTS_PER_THREAD = 8  # several, to balance the load: some views take longer than others

Keys = npt.NDArray[np.uint64]
Scratch = TypeVar("Scratch")


class Search(NamedTuple):
    """Views to search that need the same endgame table.

    Attributes:
        rows: indices of these views among all, int64[n].
        views: ``VIEW`` array of shape (n,).
        keys: a random key per view, uint64[n].
        table: the endgame table.
        run: runs a task over a number of worlds; parts that run at the same time have scratch memory of their own.
    """

    rows: npt.NDArray[np.int64]
    views: Views
    keys: Keys
    table: EndgameTable
    run: RunWorlds

    def each(self) -> Iterator[Search]:
        """Yield the views one by one."""
        for place in range(len(self.rows)):
            one = slice(place, place + 1)
            yield self._replace(rows=self.rows[one], views=self.views[one], keys=self.keys[one])


class WorldSearcher(Agent, Generic[Scratch]):
    """An agent that searches in sampled worlds.

    Attributes:
        name: the agent's name.
        rules: the rules of the game that the agent plays.
    """

    rules: Rules

    def __init__(self, name: str, rules: Rules, threads: int | None) -> None:
        """Set the game and the number of threads, by default the number of CPU cores.

        Raises:
            ValueError: when ``threads`` is not an integer from 1 to 1024.
        """
        self.name = name
        self.rules = rules
        self._threads = (os.cpu_count() or 1) if threads is None else whole_number("threads", threads, 1, MAX_THREADS)
        # Free scratch memory, by whether the endgame is low: a transposition table holds one kind.
        self._free: dict[bool, list[Scratch]] = {False: [], True: []}

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the scratch memory."""
        return {**self.__dict__, "_free": {False: [], True: []}}

    @abstractmethod
    def new_scratch(self) -> Scratch:
        """Return scratch memory for a thread."""

    def draw_keys(self, views: Views, rng: Any) -> Keys:
        """Return a random key per view, uint64[n]; each view draws one number, so keys do not depend on the batch.

        Raises:
            ValueError: when ``views`` is not an array of views, or ``rng`` is not a generator.
        """
        check_view_array(views)
        check_rng(self.name, rng, "integers")
        keys: Keys = rng.integers(0, _KEYS, len(views)).astype(np.uint64)
        return keys

    def search_views(self, views: Views, keys: Keys, search: Callable[[Search], None]) -> None:
        """Search the views of seats to act, in several threads.

        Threads share the worlds of a single view; of several views, each is searched by one thread.

        Args:
            views: ``VIEW`` array of shape (n,); those of seats that are not to act are skipped.
            keys: uint64[n].
            search: searches some of the views.

        Raises:
            ValueError: when no opponent hand satisfies a view.
        """
        rows = np.flatnonzero(views["turn"])
        check_consistent(views, self.rules, rows)
        executor = ThreadPoolExecutor(self._threads)
        try:
            if len(rows) == 1:
                for part in self._parts(views, keys, rows, 1, executor):
                    search(part)
            else:
                parts = self._parts(views, keys, rows, self._threads * _PARTS_PER_THREAD, None)
                list(executor.map(search, parts))
        finally:  # unlike a with block, this does not wait for running parts, so Ctrl-C ends a search at once
            executor.shutdown(wait=False, cancel_futures=True)

    def _parts(
        self,
        views: Views,
        keys: Keys,
        rows: npt.NDArray[np.int64],
        count: int,
        executor: ThreadPoolExecutor | None,
    ) -> Iterator[Search]:
        """Yield the rows of each kind of endgame in up to ``count`` parts; an executor, if given, runs their worlds."""
        for low in (False, True):
            alike = rows[views["low"][rows].astype(np.bool_) == low]
            if len(alike):
                table = empty_table() if self.rules.humbug else open_table(self.rules.trump != "none", low, True)
                for part in np.array_split(alike, min(count, len(alike))):
                    run = self._runner(low, executor)
                    yield Search(part, np.ascontiguousarray(views[part]), keys[part], table, run)

    def _runner(self, low: bool, executor: ThreadPoolExecutor | None) -> RunWorlds:
        free = self._free[low]

        def run(part: Callable[[int, int, Any], Result], worlds: int) -> list[Result]:
            def run_part(bounds: tuple[int, int]) -> Result:
                try:
                    scratch = free.pop()
                except IndexError:
                    scratch = self.new_scratch()
                try:
                    return part(*bounds, scratch)
                finally:
                    free.append(scratch)

            if executor is None:
                return [run_part((0, worlds))]
            parts = min(self._threads, worlds)
            ends = [worlds * place // parts for place in range(parts + 1)]
            return list(executor.map(run_part, pairwise(ends)))

        return run
