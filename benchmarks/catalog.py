"""The benchmarks by name."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator, Sequence

from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.envs.utils.specs import unknown_name

SUBJECTS = {
    "aec": "steps a second of the PettingZoo environment, beside PettingZoo's own games",
    "batch": "random decisions a second through DealBatch on one core, bare and with observations and masks",
    "games": "random decisions a second of every preset, beside the classic game",
    "openspiel": "random decisions a second with observations and masks, beside a card game of OpenSpiel",
    "threads": "random decisions a second of two threads, beside one",
    "bots": "decisions a second of the rule bots in matches on one core",
    "mc": "decisions a second of the Monte Carlo bot in the first trick, each with 240 worlds, on one core",
    "endgame": "time of an exact endgame value on one core, beside alpha-beta without tables",
    "training": "decisions a second of both trainers, beside each other and MaskablePPO on single environments",
    "startup": "how long import german_whist takes",
    "first_call": "how long the first deal takes in a new process, compiled anew and from the cache",
    "frames": "pictures of a table a second, beside the text of the same deal",
    "memory": "bytes of a deal, a view and an observation",
}


def check_request(names: Sequence[str], seconds: float) -> list[str]:
    """Return the subjects to run, each once; all of them when no name is given.

    Raises:
        ValueError: when a name is unknown, or the time is not above 0.
    """
    for name in names:
        if name not in SUBJECTS:
            raise unknown_name("benchmark", name, SUBJECTS)
    if not 0 < seconds < math.inf:
        raise ValueError(f"seconds {seconds} is not allowed: a number above 0")
    return list(dict.fromkeys(names or SUBJECTS))


def run_subjects(
    names: Sequence[str], seconds: float, tick: Callable[[str, float], None]
) -> Iterator[Figure | Skipped]:
    """Run benchmarks one after the other and give their lines.

    Args:
        names: subjects, as ``check_request`` returns them.
        seconds: time for each figure.
        tick: told the subject and the share of it that is done.
    """
    for name in names:
        tick(name, 0.0)
        module = importlib.import_module(f"german_whist.benchmarks.speed.{name}")
        yield from module.measure(seconds, lambda share, name=name: tick(name, share))
