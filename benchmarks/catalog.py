"""The speed benchmarks by name."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from german_whist.benchmarks.harness import Figure, Skipped, Tick
from german_whist.envs.utils.specs import must_be, unknown_name_error

SUBJECTS = {
    "aec": "steps per second of the PettingZoo environment, compared with PettingZoo's own games",
    "batch": "random decisions per second of DealBatch on one core, with and without observations and masks",
    "games": "random decisions per second in every rule preset, compared with the classic game",
    "openspiel": "random decisions per second with observations, also inside OpenSpiel, compared with its games",
    "peers": "random decisions per second with observations and masks on one core, compared with pgx and EnvPool",
    "threads": "random decisions per second of two threads, compared with one",
    "bots": "decisions per second of the rule bots in matches on one core",
    "mc": "decisions per second of the Monte Carlo bot in the first trick, with 240 worlds, on one core",
    "search": "decisions per second of champion:search=N over the foreplay, with 512 worlds, on one core",
    "endgame": "time of an exact endgame value on one core, compared with alpha-beta without tables",
    "training": "decisions per second of the trainers, compared with MaskablePPO on single environments",
    "startup": "time of import german_whist",
    "first_call": "time of the first deal in a new process, with and without numba's cache",
    "frames": "pictures of the table per second, compared with its text rendering",
    "serve": "size of the page, time of an agent's answer, and 200 tables at once, of german-whist serve",
    "memory": "bytes of a deal, a view and an observation",
}

_MODULES = {  # others have a module of their own
    "games": "batch",
    "threads": "batch",
    "memory": "batch",
    "bots": "agents",
    "mc": "agents",
    "search": "agents",
    "first_call": "startup",
    "serve": "serving",
}

Measure = Callable[[float, Tick], list[Figure | Skipped]]


def check_request(names: Sequence[str], seconds: float) -> list[str]:
    """Return the benchmarks to run, each once; all of them if no name is given.

    Raises:
        ValueError: if a name is unknown, or the time is not a finite number above 0.
    """
    for name in names:
        if name not in SUBJECTS:
            raise unknown_name_error("benchmark", name, SUBJECTS)
    if not 0 < seconds < math.inf:
        raise ValueError(must_be("seconds", "a number > 0", seconds))
    return list(dict.fromkeys(names or SUBJECTS))


def measurement(name: str) -> Measure:
    """Return the function that measures a benchmark; what it needs is imported now."""
    module = importlib.import_module(f"german_whist.benchmarks.{_MODULES.get(name, name)}")
    measure: Measure = getattr(module, f"measure_{name}")
    return measure


def run_subjects(
    names: Sequence[str], seconds: float, tick: Callable[[str, float], None]
) -> Iterator[Figure | Skipped]:
    """Run benchmarks one after the other and yield their lines.

    Args:
        names: benchmarks, as ``check_request`` returns them.
        seconds: time per figure.
        tick: called with the benchmark and the share of it that is done, 0 to 1.
    """
    for name in names:
        tick(name, 0.0)
        yield from measurement(name)(seconds, partial(tick, name))
