"""Rates of several workloads measured in turn, so that other load on the machine affects all of them alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

# Does a small piece of work, taking milliseconds to seconds, and returns the number of units done.
Workload = Callable[[], int]
# Called with the share of the work that is done, 0 to 1.
Tick = Callable[[float], None]

Name = TypeVar("Name", bound=Hashable)

ROUNDS = 5


def rate(workload: Workload, seconds: float) -> float:
    """Return the units per second of a workload that is repeated for this many seconds, at least once."""
    units = 0
    began = time.perf_counter()
    while True:
        units += workload()
        elapsed = time.perf_counter() - began
        if elapsed >= seconds:
            return units / elapsed


def rates(workloads: Mapping[Name, Workload], seconds: float, tick: Tick, rounds: int = ROUNDS) -> dict[Name, float]:
    """Return the median rate of each workload, in units per second.

    The rounds are interleaved (A B C A B C …). Each workload runs once before the measurement, so that compilation and
    loading are not timed.

    Args:
        workloads: the workloads by name.
        seconds: time per workload, all rounds together.
        tick: called with the progress.
        rounds: number of measurements of each workload.
    """
    for workload in workloads.values():
        workload()
    measured: dict[Name, list[float]] = {name: [] for name in workloads}
    for done in range(rounds * len(workloads)):
        name = list(workloads)[done % len(workloads)]
        measured[name].append(rate(workloads[name], seconds / rounds))
        tick((done + 1) / (rounds * len(workloads)))
    return {name: statistics.median(samples) for name, samples in measured.items()}
