"""Time of ``import german_whist`` in a new process, compared with the libraries that it registers with."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.benchmarks.harness.timing import Tick

SUBJECT = "startup"
OURS = "german_whist"
BASELINE = "pettingzoo, gymnasium"

_MIN_RUNS = 3
_TIMER = "import time; began = time.perf_counter(); import {}; print(time.perf_counter() - began)"


def seconds_of(modules: str) -> float:
    """Return the time of importing some modules in a new process, without the start of the interpreter."""
    command = [sys.executable, "-c", _TIMER.format(modules)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])


def measure(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure both imports in turn, with warm file caches, for ``seconds`` each; report the medians."""
    times: dict[str, list[float]] = {OURS: [], BASELINE: []}
    for modules in times:
        seconds_of(modules)  # warms the file cache and writes the bytecode
    began = time.perf_counter()
    elapsed = 0.0
    while len(times[BASELINE]) < _MIN_RUNS or elapsed < 2 * seconds:
        for modules, samples in times.items():
            samples.append(seconds_of(modules))
        elapsed = time.perf_counter() - began
        tick(min(1.0, elapsed / (2 * seconds), len(times[BASELINE]) / _MIN_RUNS))
    medians = {modules: statistics.median(samples) for modules, samples in times.items()}
    return [Figure(SUBJECT, f"import {OURS}", "s", medians[OURS], BASELINE, medians[BASELINE])]
