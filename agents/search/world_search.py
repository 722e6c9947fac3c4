"""The base of agents that search in sampled worlds: random keys, tablebases, scratch memory and threads.

A subclass decides which worlds it samples, how it evaluates an action in a world, and how it chooses. Each view has a
own random key, and sums over worlds are exact or in a fixed order. A choice therefore depends only on its view,
the history and the key, not on the batch, the threads or earlier calls.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from german_whist.agents.base import Agent
from german_whist.agents.inference.belief import Result, RunWorlds
from german_whist.agents.inference.sampling import check_consistent
from german_whist.game.rules import Rules
from german_whist.game.utils.checks import MAX_THREADS, check_int
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.observation.views import Views
from german_whist.solver.tablebase.cache import open_tablebase
from german_whist.solver.tablebase.kinds import DEFAULT_CARDS
from german_whist.solver.tablebase.tablebase_file import Tablebase, empty_tablebase

_KEYS = 2**53  # number of random keys

Scratch = TypeVar("Scratch")


class Decision(NamedTuple):
    """A decision to search.

    Attributes:
        row: its index among all decisions.
        views: the view, ``VIEW`` array (1,).
        key: its random key.
        tablebase: the tablebase of its kind of game.
        run: runs a task over a number of worlds; parts that run at the same time have separate scratch memory.
    """

    row: int
    views: Views
    key: np.uint64
    tablebase: Tablebase
    run: RunWorlds


class WorldSearcher(Agent, Generic[Scratch]):
    """An agent that searches in sampled worlds.

    Attributes:
        name: the agent's name.
        rules: the rules of the game that the agent plays.
    """

    rules: Rules
    takes_tensors = True  # and searches on the host

    def __init__(self, name: str, rules: Rules, threads: int) -> None:
        """Set the game and the number of threads; 0 for all CPU cores.

        Raises:
            ValueError: when ``threads`` is not an integer from 0 to 1024.
        """
        self.name = name
        self.rules = rules
        self._threads = check_int("threads", threads, 0, MAX_THREADS) or os.cpu_count() or 1
        # Free scratch memory, by whether the endgame is low: a transposition table holds one kind.
        self._free: dict[bool, list[Scratch]] = {False: [], True: []}

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the scratch memory."""
        return {**self.__dict__, "_free": {False: [], True: []}}

    @abstractmethod
    def new_scratch(self) -> Scratch:
        """Return scratch memory for a thread."""

    def search_each(self, decisions: Decisions, search: Callable[[Decision], None]) -> None:
        """Search decisions in several threads.

        Threads share the worlds of a single decision; of several, each is searched by one thread. Each draws one random
        key, so keys do not depend on the batch.

        Args:
            decisions: n decisions on the host; views of seats that are not to act are skipped.
            search: searches one decision.

        Raises:
            ValueError: when no opponent hand satisfies a view.
        """
        views = decisions.views
        keys = decisions.rng.integers(0, _KEYS, len(views)).astype(np.uint64)
        rows = np.flatnonzero(views["turn"])
        check_consistent(views, self.rules, rows)
        lows = views["low"] != 0
        tables = {low: self._table(low) for low in set(lows[rows].tolist())}
        executor = ThreadPoolExecutor(self._threads)
        try:
            alone = executor if len(rows) == 1 else None
            each = [
                Decision(row, views[row : row + 1], keys[row], tables[low], self._runner(low, alone))
                for row, low in zip(rows.tolist(), lows[rows].tolist(), strict=True)
            ]
            list(map(search, each) if alone else executor.map(search, each))
        finally:  # unlike a with block, this does not wait for running parts, so Ctrl-C ends a search at once
            executor.shutdown(wait=False, cancel_futures=True)

    def _table(self, low: bool) -> Tablebase:
        if not self.rules.endgame_is_open:
            return empty_tablebase()
        return open_tablebase(self.rules.trump != "none", low, for_search=self.rules.hand > DEFAULT_CARDS)

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
            ends = [worlds * part_number // parts for part_number in range(parts + 1)]
            return list(executor.map(run_part, pairwise(ends)))

        return run
