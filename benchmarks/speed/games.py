"""Random decisions per second in every rule preset, compared with the classic game."""

from __future__ import annotations

from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.benchmarks.harness.timing import Tick, Workload, rates
from german_whist.benchmarks.speed.batch import SIZE, RandomPlay
from german_whist.envs.engine.rules import rule_names

SUBJECT = "games"
PEER = "classic"


def measure(seconds: float, tick: Tick) -> list[Figure | Skipped]:
    """Measure all presets without observations in the same run, each for ``seconds``."""
    workloads: dict[str, Workload] = {name: RandomPlay(SIZE, observed=False, rules=name) for name in rule_names()}
    measured = rates(workloads, seconds, tick)
    return [Figure(SUBJECT, name, "/s", rate, PEER, measured[PEER]) for name, rate in measured.items() if name != PEER]
