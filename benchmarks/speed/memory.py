"""Bytes of a deal, a view and an observation in a batch."""

from __future__ import annotations

from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.benchmarks.harness.timing import Tick
from german_whist.envs.simulator.batch import DealBatch

SUBJECT = "memory"


def measure(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Read the sizes off a batch of the classic game."""
    batch = DealBatch("classic", 1)
    sizes = {
        "a deal": batch.states.itemsize,
        "a view": batch.views().itemsize,
        "an observation": batch.observe().nbytes,
        "an action mask": batch.action_mask().nbytes,
    }
    tick(1.0)
    return [Figure(SUBJECT, name, " B", float(size)) for name, size in sizes.items()]
