"""Random decisions per second of two threads, compared with one: the kernels release the GIL."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.benchmarks.harness.timing import Tick, rates
from german_whist.benchmarks.speed.batch import RandomPlay

SUBJECT = "threads"
SIZE = 16_384
NAME, PEER = "two threads", "one thread"


class ThreadedPlay:
    """Random play with one batch per thread."""

    def __init__(self, threads: int) -> None:
        """Make a batch for each thread."""
        self._pool = ThreadPoolExecutor(threads)
        self._plays = [RandomPlay(SIZE, observed=False) for _ in range(threads)]

    def __call__(self) -> int:
        """Play the next deals of every batch; return the number of decisions."""
        return sum(self._pool.map(lambda play: play(), self._plays))


def measure(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure both, each for ``seconds``."""
    measured = rates({NAME: ThreadedPlay(2), PEER: ThreadedPlay(1)}, seconds, tick)
    return [Figure(SUBJECT, NAME, "/s", measured[NAME], PEER, measured[PEER])]
