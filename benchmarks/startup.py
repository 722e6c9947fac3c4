"""Start-up of a new process: the import, and the first deal."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

from german_whist.benchmarks.harness import Figure, Skipped, Tick

OURS = "german_whist"
LIBRARIES = "pettingzoo, gymnasium"  # that it registers with

_MIN_RUNS = 3
_TIMER = "import time; began = time.perf_counter(); import {}; print(time.perf_counter() - began)"
_DEAL = """
import time
import german_whist as gw
began = time.perf_counter()
env = gw.env()
env.reset(seed=0)
observation = env.last()[0]
env.step(int(observation["action_mask"].argmax()))
batch = gw.DealBatch("classic", 4)
batch.observe(), batch.action_mask(), batch.step([int(mask).bit_length() - 1 for mask in batch.legal()])
batch.returns()
print(time.perf_counter() - began)
"""


def seconds_of(modules: str) -> float:
    """Return the time of importing some modules in a new process, without the start of the interpreter."""
    command = [sys.executable, "-c", _TIMER.format(modules)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])


def measure_startup(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure both imports in turn, with warm file caches, for ``seconds`` each; report the medians."""
    times: dict[str, list[float]] = {OURS: [], LIBRARIES: []}
    for modules in times:
        seconds_of(modules)  # warms the file cache and writes the bytecode
    began = time.perf_counter()
    elapsed = 0.0
    while len(times[LIBRARIES]) < _MIN_RUNS or elapsed < 2 * seconds:
        for modules, samples in times.items():
            samples.append(seconds_of(modules))
        elapsed = time.perf_counter() - began
        tick(min(1.0, elapsed / (2 * seconds), len(times[LIBRARIES]) / _MIN_RUNS))
    medians = {modules: statistics.median(samples) for modules, samples in times.items()}
    return [Figure("startup", f"import {OURS}", "s", medians[OURS], LIBRARIES, medians[LIBRARIES])]


def seconds_of_first_deal(cache: str) -> float:
    """Return the time of the first environment and batch in a new process, with this folder as the cache."""
    environment = {**os.environ, "GERMAN_WHIST_CACHE": cache}
    command = [sys.executable, "-c", _DEAL]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout.split()[-1])


def measure_first_call(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure an empty cache once, then the filled one; ``seconds`` is ignored."""
    with tempfile.TemporaryDirectory() as cache:
        compiled = seconds_of_first_deal(cache)
        tick(0.5)
        cached = statistics.median(seconds_of_first_deal(cache) for _ in range(_MIN_RUNS))
    tick(1.0)
    return [Figure("first_call", "from the cache", "s", cached, "compiled", compiled)]
