"""What a run of any trainer needs: clock, records of evaluations, schedules of what is due, outcome."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from german_whist.arena.match_result import MatchResult
from german_whist.training.run.curve import draw_curve
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.evaluation import forfeit_lines
from german_whist.training.run.progress import TrainingProgress


@dataclass(frozen=True)
class TrainingOutcome:
    """The outcome of :func:`german_whist.training.train.train`.

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
        """Whether the run was stopped before its end, and can be resumed."""
        return not self.results


class TrainingClock:
    """Seconds of training without evaluations, over all sessions of a run."""

    def __init__(self, seconds: float = 0.0) -> None:
        """Start at ``seconds``, those of earlier sessions."""
        self.seconds = seconds
        self._last = time.perf_counter()

    def count(self) -> float:
        """Add the time since the last call of a method, and return it."""
        passed = time.perf_counter() - self._last
        self._last += passed
        self.seconds += passed
        return passed

    def skip(self) -> None:
        """Ignore the time since the last call of a method."""
        self._last = time.perf_counter()


def record_evaluation(
    run: RunDirectory,
    rules: str,
    decisions: int,
    seconds: float,
    results: tuple[MatchResult, ...],
    progress: TrainingProgress,
) -> None:
    """Record the results of an evaluation in ``evaluations.csv``, the learning curve and the progress line.

    A line says in which matches games were forfeited.

    Args:
        run: the run's folder.
        rules: specification of the game, or how many there are, for the title.
        decisions: decisions trained on so far.
        seconds: seconds of training so far.
        results: the matches, one against each baseline.
        progress: the progress line.
    """
    run.add_evaluations([_evaluation_row(decisions, seconds, result) for result in results])
    draw_curve(run.read_evaluations(), run.curve, f"German Whist ({rules}): self-play, evaluated against bots")
    for line in forfeit_lines(results):
        progress.say(line)
    progress.show_rates(decisions, {result.second: result.win_rate for result in results})


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
    """Schedule of something that happens every ``every`` decisions."""

    def __init__(self, every: int, after: int) -> None:
        """Start with the first multiple of ``every`` above ``after``; at once when ``after`` is negative."""
        self._every = every
        self._next = 0 if after < 0 else _next_multiple(after, every)

    def __call__(self, decisions: int) -> bool:
        """Return whether it is due; true once for each time."""
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
