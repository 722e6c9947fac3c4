"""What a run of any trainer records: evaluations, metrics, time, its outcome, and when the next record is due."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.envs.agent import Agent
from german_whist.envs.engine.rules import Rules
from german_whist.evaluation.match import MatchResult, forfeit_lines, game_title, play_match, results_table
from german_whist.evaluation.report import Report, Table
from german_whist.training.run.curve import draw_curve
from german_whist.training.run.directory import RunDirectory, append_row, start_rows
from german_whist.training.run.event_file import EventFile
from german_whist.training.run.progress import TrainingProgress
from german_whist.training.run.stopping import StopRequest

Callback = Callable[[int, dict[str, float]], None]  # gets decisions and numbers by name

EVALUATION_SEED = 1_000_003  # other deals than those of `german-whist evaluate`


def evaluate(
    checkpoint: Checkpoint,
    baselines: Sequence[tuple[str, Agent]],
    deals: int,
    rules: Rules,
    endgame: str = "played",
    stop: StopRequest | None = None,
) -> tuple[MatchResult, ...]:
    """Play a policy, at its best action, against each baseline.

    Args:
        checkpoint: the policy.
        baselines: agents with their names.
        deals: mirrored deals of each match.
        rules: the rules of the deals.
        endgame: ``"played"`` by the agents, or ``"exact"`` for both sides.
        stop: whether to give up, asked at every step of a match.

    Raises:
        Stopped: when it does.
    """
    settings: dict[str, Any] = {"deals": deals, "seed": EVALUATION_SEED, "rules": rules, "endgame": endgame}
    agent = PolicyAgent(checkpoint, name="policy", rules=rules)
    matches = (
        (name, play_match(agent, baseline, progress=None if stop is None else stop.check, **settings))
        for name, baseline in baselines
    )
    return tuple(dataclasses.replace(match, second=name) for name, match in matches)


class RunMetrics:
    """Writes the metrics of a run; a resumed run appends to the same files."""

    def __init__(
        self, run: RunDirectory, names: Sequence[str], decisions: int, callback: Callback | None = None
    ) -> None:
        """Open the files.

        Args:
            run: the run's folder.
            names: names of the metrics.
            decisions: decisions at which the run resumes; TensorBoard hides its records of later ones.
            callback: gets what TensorBoard gets.
        """
        self._callback = callback
        self._path = run.metrics
        self._names = names
        start_rows(self._path, ("decisions", *names))
        self._board = EventFile(run.tensorboard, decisions)

    def write(self, decisions: int, metrics: Mapping[str, float]) -> None:
        """Write the row of an update.

        Args:
            decisions: decisions trained on so far.
            metrics: values by name.
        """
        append_row(self._path, [decisions, *(f"{metrics[name]:.6g}" for name in self._names)])
        self.chart(decisions, metrics)

    def chart(self, decisions: int, numbers: Mapping[str, float]) -> None:
        """Send numbers to TensorBoard and the callback."""
        self._board.add(decisions, numbers)
        if self._callback is not None:
            self._callback(decisions, dict(numbers))

    def close(self) -> None:
        """Close TensorBoard's file."""
        self._board.close()


@dataclass(frozen=True)
class TrainingOutcome(Report):
    """The outcome of :func:`german_whist.training.train.train`.

    Attributes:
        run: the run's folder.
        decisions: decisions trained on so far.
        results: the final evaluation, a match against each opponent; empty when interrupted.
    """

    run: RunDirectory
    decisions: int
    results: tuple[MatchResult, ...]

    def report(self) -> Sequence[Table | str]:
        """Return a row for each opponent, and the main files."""
        if self.interrupted:
            return [f"stopped after {self.decisions:,} decisions; the run's folder: {self.run.path}"]
        title = game_title(self.results[0].rules, self.results[0].endgame)
        return [
            results_table(self.results, f"{title}, after {self.decisions:,} decisions of self-play"),
            *forfeit_lines(forfeit for result in self.results for forfeit in result.forfeits),
            f"learning curve:  {self.run.curve}",
            f"checkpoint:      {self.run.final}",
        ]

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
    for result in results:
        if result.forfeits:  # such wins say nothing of strength
            games, (first, *_) = 2 * result.deals, result.forfeits
            lost = f"{first.agent} lost {len(result.forfeits)} of {games} evaluation games unplayed"
            progress.say(f"{lost}, the first: {first.reason}")
    progress.show_rates(decisions, {result.second: result.win_rate for result in results})


def win_rates(results: Sequence[MatchResult]) -> dict[str, float]:
    """Return the numbers of an evaluation, by the names that TensorBoard and callbacks know them by."""
    return {f"evaluation/win_rate_{metric_name(result.second)}": result.win_rate for result in results}


_WORD = r"[A-Za-z0-9.-]+"
_PLAIN_NAME = re.compile(rf"{_WORD}(:{_WORD}={_WORD}(,{_WORD}={_WORD})*)?(\+exact)?(, [a-z0-9_]+)?")


def metric_name(opponent: str) -> str:
    """Return an opponent's name in characters that every tracker of experiments takes: letters, digits, ``_-./``.

    ``heuristic+exact`` becomes ``heuristic_exact``, ``mc:worlds=240`` becomes ``mc_worlds_240``, and in one of several
    games ``greedy, small`` becomes ``greedy/small``. Other names, such as those of files, end with a digest, so that no
    two opponents have the same.
    """
    name = re.sub(r"[^A-Za-z0-9_./-]+", "_", opponent.replace(", ", "/"))
    if _PLAIN_NAME.fullmatch(opponent):
        return name
    return f"{name}-{hashlib.sha256(opponent.encode(errors='surrogateescape')).hexdigest()[:8]}"


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


class Periodic:
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
