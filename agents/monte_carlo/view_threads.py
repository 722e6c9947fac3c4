"""What agents that search in sampled worlds share: a random key for each view, its endgame table, and threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import check_rng
from german_whist.envs.agent import Views
from german_whist.envs.engine.rules import Rules
from german_whist.envs.utils.checks import MAX_THREADS, whole_number
from german_whist.solver.tablebase.cache import open_table
from german_whist.solver.tablebase.endgame_table import EndgameTable, empty_table

_KEYS = 2**53  # number of random keys
_PARTS_PER_THREAD = 4  # several, because views take different times

Keys = npt.NDArray[np.uint64]
Results = npt.NDArray[np.int64]
Search = Callable[[EndgameTable, Views, Keys], tuple[Results, npt.NDArray[np.int64]]]


def thread_count(threads: int | None) -> int:
    """Return the number of threads, by default the number of CPU cores.

    Raises:
        ValueError: when it is not a whole number from 1 to 1024.
    """
    return (os.cpu_count() or 1) if threads is None else whole_number("threads", threads, 1, MAX_THREADS)


def draw_keys(name: str, views: Views, rng: Any) -> Keys:
    """Return a random key for each view, uint64[n]: one number per row, whatever the batch.

    Raises:
        ValueError: when ``rng`` is no generator.
    """
    check_rng(name, rng, "integers")
    keys: Keys = rng.integers(0, _KEYS, len(views)).astype(np.uint64)
    return keys


def part_count(threads: int, most: int) -> int:
    """Return into how many parts work is split for some threads; ``most`` parts are worth a thread."""
    return 1 if threads == 1 else max(1, min(threads * _PARTS_PER_THREAD, most))


def check_hands(hands: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> None:
    """Refuse views that no opponent hand satisfies.

    Args:
        hands: number of consistent hands of each view, int64[n].
        rows: the views' numbers, for the error, int64[n].

    Raises:
        ValueError: when a number is 0.
    """
    if (hands == 0).any():
        raise ValueError(f"view {rows[int(np.argmin(hands))]} is inconsistent: no opponent hand satisfies it")


def views_by_table(rules: Rules, views: Views) -> Iterator[tuple[EndgameTable, npt.NDArray[np.int64]]]:
    """Yield each endgame table that the views need, with the rows that share it."""
    if rules.humbug:
        yield empty_table(), np.arange(len(views))
        return
    for low in (False, True):
        rows = np.flatnonzero(views["low"].astype(np.bool_) == low)
        if len(rows):
            yield open_table(rules.trump != "none", low, for_search=True), rows


def search_in_threads(rules: Rules, search: Search, views: Views, keys: Keys, threads: int, results: Results) -> None:
    """Search each view by itself, in parallel, and write the results.

    Args:
        rules: the rules of the deals.
        search: takes an endgame table, views that share it and their keys; returns one result per view, and the number
            of consistent hands of each.
        views: ``VIEW`` array of shape (n,).
        keys: uint64[n].
        threads: number of threads.
        results: int64[n, …], written.

    Raises:
        ValueError: when a view is inconsistent.
        TableError: when there is no endgame table and none can be built.
    """
    parts = [
        (table, part)
        for table, rows in views_by_table(rules, views)
        for part in np.array_split(rows, part_count(threads, len(rows)))
    ]

    def search_part(table: EndgameTable, rows: npt.NDArray[np.int64]) -> None:
        results[rows], hands = search(table, np.ascontiguousarray(views[rows]), keys[rows])
        check_hands(hands, rows)

    if threads == 1 or len(parts) == 1:
        for part in parts:
            search_part(*part)
        return
    with ThreadPoolExecutor(threads) as executor:
        for done in [executor.submit(search_part, *part) for part in parts]:
            done.result()
