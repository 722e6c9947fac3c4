"""A training run from a configuration to a run directory: what all trainers share."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from german_whist.arena.match import MatchResult
from german_whist.training.curve import draw_curve
from german_whist.training.distributed import Processes
from german_whist.training.progress import TrainingProgress
from german_whist.training.run_directory import RunDirectory
from german_whist.training.settings import SelfPlayConfig, TrainConfig


@dataclass(frozen=True)
class TrainingOutcome:
    """What a call of :func:`train` did.

    Attributes:
        run: the run's folder.
        decisions: decisions trained on so far.
        results: the final evaluation, a match against each opponent; empty when interrupted.
    """

    run: RunDirectory
    decisions: int
    results: tuple[MatchResult, ...]

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before its end; it can be resumed."""
        return not self.results


def train(
    config: TrainConfig,
    run: RunDirectory,
    *,
    resume: bool = False,
    quiet: bool = False,
    processes: Processes = Processes(),  # noqa: B008 - a constant
) -> TrainingOutcome:
    """Train a policy by self-play with the trainer of its settings; SIGINT and SIGTERM save and stop.

    Args:
        config: the settings.
        run: the folder to write to.
        resume: go on from the run's last checkpoint; a run killed before its first one begins anew.
        quiet: show no progress.
        processes: those that train together, with ``trainer: selfplay``.

    Raises:
        ValueError: when the run cannot be resumed, or the device does not exist.
        FloatingPointError: when training diverges; the last good checkpoint is kept.
        ConnectionError: when another process of the run is gone; the last good checkpoint is kept.
    """
    resume = resume and not processes.share(run.has_yet_to_begin)
    return load_trainer(config)(config, run, resume, quiet, processes)


Trainer = Callable[[Any, RunDirectory, bool, bool, Processes], TrainingOutcome]


def load_trainer(config: TrainConfig) -> Trainer:
    """Return the trainer of some settings.

    Raises:
        ModuleNotFoundError: when a library that it needs is not installed.
    """
    if isinstance(config, SelfPlayConfig):
        from german_whist.training.selfplay_trainer import train_selfplay

        return train_selfplay
    from german_whist.training.sb3_trainer import train_sb3

    return train_sb3


class TrainingClock:
    """Seconds spent on training, evaluations left out, over all parts of a run."""

    def __init__(self, seconds: float = 0.0) -> None:
        """Go on from so many seconds."""
        self.seconds = seconds
        self._last = time.perf_counter()

    def count(self) -> float:
        """Count the time since the last call of a method and return it."""
        passed = time.perf_counter() - self._last
        self._last += passed
        self.seconds += passed
        return passed

    def skip(self) -> None:
        """Leave out the time since the last call of a method."""
        self._last = time.perf_counter()


def record_evaluation(
    run: RunDirectory,
    config: TrainConfig,
    decisions: int,
    seconds: float,
    results: tuple[MatchResult, ...],
    progress: TrainingProgress,
) -> None:
    """Put the results of an evaluation into the run's table and curve, and into the progress line."""
    run.add_evaluations([_evaluation_row(decisions, seconds, result) for result in results])
    draw_curve(run.read_evaluations(), run.curve, f"German Whist ({config.rules}): self-play against the rule bots")
    progress.show_rates({result.second: result.win_rate for result in results})


def _evaluation_row(decisions: int, seconds: float, result: MatchResult) -> dict[str, Any]:
    return {
        "decisions": decisions,
        "opponent": result.second,
        "deals": result.deals,
        "win_rate": round(result.win_rate, 5),
        "low": round(result.interval[0], 5),
        "high": round(result.interval[1], 5),
        "margin": round(result.margin, 4),
        "seconds": round(seconds, 2),
    }


class Due:
    """Says when something is to be done every so many decisions."""

    def __init__(self, every: int, after: int) -> None:
        """Begin with the first multiple of ``every`` above ``after``; at once when that is below 0."""
        self._every = every
        self._next = 0 if after < 0 else _next_multiple(after, every)

    def __call__(self, decisions: int) -> bool:
        """Return whether it is time, once."""
        if decisions < self._next:
            return False
        self._next = _next_multiple(decisions, self._every)
        return True


def last_evaluation(run: RunDirectory) -> dict[str, Any] | None:
    """Return the newest row of ``evaluations.csv``."""
    rows = run.read_evaluations()
    return max(rows, key=lambda row: row["decisions"]) if rows else None


def _next_multiple(number: int, step: int) -> int:
    return (number // step + 1) * step


@contextmanager
def stop_signals() -> Iterator[list[int]]:
    """Collect SIGINT and SIGTERM in a list; a second SIGINT interrupts at once, as usual."""
    received: list[int] = []
    usual = signal.getsignal(signal.SIGINT)

    def remember(number: int, frame: Any) -> None:
        received.append(number)
        signal.signal(signal.SIGINT, usual)

    before = {number: signal.signal(number, remember) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
