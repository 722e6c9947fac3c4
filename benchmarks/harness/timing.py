"""Rates measured side by side, so that whatever else the machine does hits all of them alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

# Does a small piece of work, some milliseconds to seconds, and returns how many units it did.
Workload = Callable[[], int]
# Told the share of the work that is done, from 0 to 1.
Tick = Callable[[float], None]

Name = TypeVar("Name", bound=Hashable)

ROUNDS = 5


def rate(workload: Workload, seconds: float) -> float:
    """Return units a second of a workload repeated for some time, at least once."""
    units = 0
    began = time.perf_counter()
    while True:
        units += workload()
        elapsed = time.perf_counter() - began
        if elapsed >= seconds:
            return units / elapsed


def rates(workloads: Mapping[Name, Workload], seconds: float, tick: Tick, rounds: int = ROUNDS) -> dict[Name, float]:
    """Return each workload's median rate, in units a second.

    The rounds are interleaved (A B C A B C …). Each workload runs once before, so that nothing is compiled or loaded
    while the clock runs.

    Args:
        workloads: what to measure, by name.
        seconds: time for each workload, all rounds together.
        tick: told of the progress.
        rounds: how often each workload is measured.
    """
    for workload in workloads.values():
        workload()
    measured: dict[Name, list[float]] = {name: [] for name in workloads}
    for done in range(rounds * len(workloads)):
        name = list(workloads)[done % len(workloads)]
        measured[name].append(rate(workloads[name], seconds / rounds))
        tick((done + 1) / (rounds * len(workloads)))
    return {name: statistics.median(samples) for name, samples in measured.items()}
