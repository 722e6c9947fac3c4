"""Time of the first deal in a new process, with and without numba's cache."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.benchmarks.harness.timing import Tick

SUBJECT = "first_call"
NAME, PEER = "from the cache", "compiled"

_RUNS = 3
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


def seconds_of_first_deal(cache: str) -> float:
    """Return the time of the first environment and batch in a new process, with this folder as numba's cache."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    command = [sys.executable, "-c", _DEAL]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout.split()[-1])


def measure(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure an empty cache once, then the filled one; ``seconds`` is ignored."""
    with tempfile.TemporaryDirectory() as cache:
        compiled = seconds_of_first_deal(cache)
        tick(0.5)
        cached = statistics.median(seconds_of_first_deal(cache) for _ in range(_RUNS))
    tick(1.0)
    return [Figure(SUBJECT, NAME, "s", cached, PEER, compiled)]
