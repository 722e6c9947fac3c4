"""Random play in ``DealBatch``: decisions per second on one core, by rules and by threads, and the bytes it takes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from german_whist.agents.bots.random import pick
from german_whist.benchmarks.harness import Figure, Skipped, Tick, Workload, rates
from german_whist.envs.engine.rules import rule_names
from german_whist.envs.simulator.batch import DealBatch

SIZE = 4096
THREAD_SIZE = 16_384  # deals of each thread
BARE, OBSERVED = "bare decisions", "with obs. and mask"

_MAX_PLIES = 80  # decisions in the longest deal, choices included
_ONE_DEAL = "batch of one deal"
_CLASSIC = "classic"
_TWO_THREADS, _ONE_THREAD = "two threads", "one thread"


class RandomPlay:
    """Whole deals of random play, batch after batch, into preallocated arrays."""

    def __init__(self, size: int, *, observed: bool, rules: str = "classic") -> None:
        """Set the number of deals per batch, and whether observations and action masks are written, too."""
        self._batch = DealBatch(rules, size)
        self._observed = observed
        self._uniforms = np.random.default_rng(0).random((_MAX_PLIES, size))
        self._actions = np.empty(size, np.int64)
        self._observations = np.zeros((size, self._batch.num_observations), np.int8)
        self._masks = np.zeros((size, self._batch.num_actions), np.int8)
        self._first = 0

    def __call__(self) -> int:
        """Deal and play the next deals; return the number of decisions."""
        batch = self._batch
        batch.reset(self._first)
        self._first += batch.size
        decisions = 0
        for uniforms in self._uniforms:
            left = size_left(batch)
            if not left:
                break
            decisions += left
            if self._observed:
                batch.observe(self._observations)
                batch.action_mask(self._masks)
            pick(batch.legal(), uniforms, self._actions)
            batch.step(self._actions)
        return decisions


def size_left(batch: DealBatch) -> int:
    """Return the number of unfinished deals in a batch."""
    return batch.size - int(np.count_nonzero(batch.done))


def measure_batch(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure play with and without observations, each for ``seconds``, compared with batches of one deal."""
    workloads = {
        (name, size): RandomPlay(size, observed=name == OBSERVED) for name in (BARE, OBSERVED) for size in (SIZE, 1)
    }
    measured = rates(workloads, seconds, tick)
    return [
        Figure("batch", name, "/s", measured[name, SIZE], _ONE_DEAL, measured[name, 1]) for name in (BARE, OBSERVED)
    ]


def measure_games(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure all presets without observations in the same run, each for ``seconds``."""
    workloads: dict[str, Workload] = {name: RandomPlay(SIZE, observed=False, rules=name) for name in rule_names()}
    measured = rates(workloads, seconds, tick)
    return [
        Figure("games", name, "/s", rate, _CLASSIC, measured[_CLASSIC])
        for name, rate in measured.items()
        if name != _CLASSIC
    ]


class ThreadedPlay:
    """Random play with one batch per thread."""

    def __init__(self, threads: int) -> None:
        """Make a batch for each thread."""
        self._pool = ThreadPoolExecutor(threads)
        self._plays = [RandomPlay(THREAD_SIZE, observed=False) for _ in range(threads)]

    def __call__(self) -> int:
        """Play the next deals of every batch; return the number of decisions."""
        return sum(self._pool.map(lambda play: play(), self._plays))


def measure_threads(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure two threads and one, each for ``seconds``: the kernels release the GIL."""
    measured = rates({_TWO_THREADS: ThreadedPlay(2), _ONE_THREAD: ThreadedPlay(1)}, seconds, tick)
    return [Figure("threads", _TWO_THREADS, "/s", measured[_TWO_THREADS], _ONE_THREAD, measured[_ONE_THREAD])]


def measure_memory(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Read the sizes off a batch of the classic game."""
    batch = DealBatch("classic", 1)
    sizes = {
        "a deal": batch.states.itemsize,
        "a view": batch.views().itemsize,
        "an observation": batch.observe().nbytes,
        "an action mask": batch.action_mask().nbytes,
    }
    tick(1.0)
    return [Figure("memory", name, " B", float(size)) for name, size in sizes.items()]
