"""What a training run of any trainer needs: its clock, its evaluations, when things are due, signals, its outcome."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from german_whist.arena.match_result import MatchResult
from german_whist.training.config.schema import TrainConfig
from german_whist.training.run.curve import draw_curve
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.progress import TrainingProgress


@dataclass(frozen=True)
class TrainingOutcome:
    """What a call of :func:`german_whist.training.train.train` did.

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
