"""Random decisions per second of ``DealBatch`` on one core, dealing included."""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.random import pick
from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.benchmarks.harness.timing import Tick, rates
from german_whist.envs.simulator.batch import DealBatch

SUBJECT = "batch"
SIZE = 4096
_MOST_PLIES = 80  # decisions in the longest deal, choices included
BARE, OBSERVED = "bare decisions", "with obs. and mask"
PEER = "batch of one deal"


class RandomPlay:
    """Whole deals of random play, batch after batch, into preallocated arrays."""

    def __init__(self, size: int, *, observed: bool, rules: str = "classic") -> None:
        """Set the number of deals per batch, and whether observations and action masks are written, too."""
        self._batch = DealBatch(rules, size)
        self._observed = observed
        self._uniforms = np.random.default_rng(0).random((_MOST_PLIES, size))
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


def measure(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure play with and without observations, each for ``seconds``, compared with batches of one deal."""
    workloads = {
        (name, size): RandomPlay(size, observed=name == OBSERVED) for name in (BARE, OBSERVED) for size in (SIZE, 1)
    }
    measured = rates(workloads, seconds, tick)
    return [Figure(SUBJECT, name, "/s", measured[name, SIZE], PEER, measured[name, 1]) for name in (BARE, OBSERVED)]
