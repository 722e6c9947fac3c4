"""The records of a run, for every trainer: metrics, evaluations, the outcome, and the schedules of saving them."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.registry import make_agent
from german_whist.envs.agent import Agent
from german_whist.envs.engine.rules import rules
from german_whist.envs.utils.files import naming
from german_whist.evaluation.match import MatchResult, game_title, play_match, results_table
from german_whist.evaluation.report import Report, Table
from german_whist.training.config import TrainConfig
from german_whist.training.curve import draw_curve
from german_whist.training.progress import FINAL_EVALUATION, FIRST_EVALUATION, FIRST_ROLLOUT, TrainingProgress
from german_whist.training.run import RunDirectory, Stopped, StopRequest, append_row, last_metrics, write_rows

Callback = Callable[[int, dict[str, float]], None]  # called with the decisions so far and numbers by name

EVALUATION_SEED = 1_000_003  # so that `german-whist evaluate` plays other deals


def evaluate(
    checkpoint: Checkpoint,
    baselines: Mapping[str, Sequence[tuple[str, Agent]]],
    deals: int,
    stop: StopRequest | None = None,
    device: str | None = None,
) -> tuple[MatchResult, ...]:
    """Play a policy greedily against each baseline, on the same mirrored deals every time.

    Args:
        checkpoint: the policy.
        baselines: agents with their names, by game.
        deals: mirrored deals in each match.
        stop: a stop request to check at every step of a match, or with a ``device`` after each match.
        device: where the deals are played, as in ``play_match``.

    Raises:
        Stopped: if the request has been made.
    """
    results: list[MatchResult] = []
    for game, agents in baselines.items():
        policy = PolicyAgent(checkpoint, name="policy", rules=rules(game))
        for name, agent in agents:
            match = play_match(
                policy,
                agent,
                deals=deals,
                seed=EVALUATION_SEED,
                rules=game,
                endgame=checkpoint.endgame,
                progress=None if stop is None else stop.check,
                device=None if agent.uses_games else device,
            )
            results.append(dataclasses.replace(match, second=name if len(baselines) == 1 else f"{name}, {game}"))
    return tuple(results)


@dataclass(frozen=True)
class TrainingOutcome(Report):
    """The outcome of :func:`german_whist.train`.

    Attributes:
        run: the run's folder.
        decisions: decisions trained on so far.
        results: the final evaluation, a match against each opponent; empty if the run was interrupted.
    """

    run: RunDirectory
    decisions: int
    results: tuple[MatchResult, ...]

    def report(self) -> Sequence[Table | str]:
        """Return a table with a row for each opponent, and the paths of the main files."""
        if self.interrupted:
            return [f"stopped after {self.decisions:,} decisions; the run's folder: {self.run.path}"]
        title = game_title(self.results[0].rules, self.results[0].endgame)
        return [
            results_table(self.results, f"{title}, after {self.decisions:,} decisions of self-play"),
            f"learning curve:  {self.run.curve}",
            f"checkpoint:      {self.run.final}",
        ]

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.run.path

    @property
    def agent(self) -> Agent:
        """The trained network as an agent; if the run was stopped, that of its newest checkpoint."""
        path = self.run.checkpoint_paths()[-1] if self.interrupted else self.run.final
        return make_agent(path, load_checkpoint(path).rules)

    @property
    def win_rates(self) -> dict[str, float]:
        """Win rate against each opponent of the final evaluation, by name; draws count half."""
        return {result.second: result.win_rate for result in self.results}

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before its end, so that it can be resumed."""
        return not self.results


def finished_outcome(run: RunDirectory, decisions: int) -> TrainingOutcome | None:
    """Return the outcome of a run that has ended after at least this many decisions; ``None`` if it has not."""
    if not run.final.is_file():
        return None
    final = load_checkpoint(run.final)
    trained = final.training["decisions"]
    results = tuple(MatchResult.from_dict(result) for result in final.results.values())
    return TrainingOutcome(run, trained, results) if trained >= decisions else None


class RunRecords:
    """Writes and shows the records of a run: a row per update, evaluations against bots, and its progress."""

    def __init__(
        self,
        run: RunDirectory,
        config: TrainConfig,
        columns: Sequence[str],
        decisions: int,
        *,
        quiet: bool = False,
        callback: Callback | None = None,
        writes: bool = True,
    ) -> None:
        """Open the files of a run; a resumed one appends to them.

        Args:
            run: the run's folder.
            config: its settings.
            columns: names of the metrics of each update.
            decisions: decisions trained on so far; TensorBoard hides records of later ones.
            quiet: whether to show nothing.
            callback: called with the numbers of each update and evaluation.
            writes: whether this process writes and evaluates.
        """
        self._run, self._config, self._columns, self._callback = run, config, columns, callback
        self._writes = writes
        self._progress = TrainingProgress(config.decisions, decisions, quiet or not writes)
        self._seconds, self._began = 0.0, time.perf_counter()
        self._has_trained = False
        if writes:
            games = config.shares
            self._baselines = {
                game: [(name, make_agent(name, game)) for name in config.evaluate_against] for game in games
            }
            # A new run first evaluates the untrained network; a run killed during an evaluation repeats it.
            last = max((int(row["decisions"]) for row in run.read_evaluations()), default=-1)
            self._evaluation_is_due = Periodic(config.evaluate_every, last)
            self._seconds = last_metrics(run).get("charts/seconds", 0.0)
            if not run.metrics.exists():
                write_rows(run.metrics, [("decisions", *columns)])
            self._board = _tensorboard(run.tensorboard, decisions)

    def __enter__(self) -> RunRecords:
        """Start showing progress."""
        self._progress.__enter__()
        self._excepthook, threading.excepthook = threading.excepthook, self._thread_failed
        return self

    def _thread_failed(self, failure: threading.ExceptHookArgs) -> None:
        """Report exceptions of other threads, but for TensorBoard's writer, which raises its own again on writing."""
        if type(failure.thread).__name__ != "_AsyncWriterThread":
            self._excepthook(failure)

    def __exit__(self, *error: Any) -> None:
        """Close the files."""
        self._progress.__exit__(*error)
        if self._writes and self._board is not None:
            with contextlib.suppress(OSError):  # everything has been flushed, or its error raised, before
                self._board.close()
        threading.excepthook = self._excepthook

    def say(self, line: str) -> None:
        """Print a line."""
        self._progress.say(line)

    def evaluate_if_due(self, decisions: int, checkpoint: Callable[[], Checkpoint], stop: StopRequest) -> None:
        """Evaluate if an evaluation is due; returns normally when stopped, as the caller checks the request, too."""
        if self._writes and self._evaluation_is_due(decisions):
            with contextlib.suppress(Stopped):
                kind = "" if decisions else FIRST_EVALUATION
                self._evaluate(decisions, checkpoint(), self._config.evaluate_deals, kind, stop)

    def begin_update(self) -> None:
        """Start timing a rollout and its update."""
        if not self._has_trained:
            self.say(FIRST_ROLLOUT)
            self._has_trained = True
        self._began = time.perf_counter()

    def show_rollout(self, decisions: int, played: int) -> None:
        """Show the progress after a rollout of ``played`` decisions, with ``decisions`` before it."""
        self._progress.expect(decisions, played)
        self._progress.update(decisions + played)
        self._played = played

    def write_update(self, decisions: int, numbers: Mapping[str, float]) -> None:
        """Write the row of an update, after which ``decisions`` decisions have been trained on."""
        passed = time.perf_counter() - self._began
        self._seconds += passed
        if self._writes:
            row = {**numbers, "charts/SPS": self._played / passed, "charts/seconds": self._seconds}
            append_row(self._run.metrics, [decisions, *(f"{row[name]:.6g}" for name in self._columns)])
            self._chart(decisions, row)

    def _chart(self, decisions: int, numbers: dict[str, float]) -> None:
        """Send numbers to TensorBoard and the callback."""
        if self._board is not None:
            with naming(self._run.tensorboard):
                for name, number in numbers.items():
                    self._board.add_scalar(name, number, decisions)
                self._board.flush()
        if self._callback is not None:
            self._callback(decisions, numbers)

    def _evaluate(
        self, decisions: int, checkpoint: Checkpoint, deals: int, kind: str, stop: StopRequest
    ) -> tuple[MatchResult, ...]:
        config, progress = self._config, self._progress
        if kind:
            progress.say_evaluation(kind, deals, config.evaluate_against, len(config.shares))
        device = config.device if config.device.startswith("cuda") else None
        results = evaluate(checkpoint, self._baselines, deals, stop, device)
        self._run.add_evaluations([_evaluation_row(decisions, self._seconds, result) for result in results])
        title = f"German Whist ({config.title}): self-play, evaluated against bots"
        draw_curve(self._run.read_evaluations(), self._run.curve, title)
        rates = {result.second: result.win_rate for result in results}
        progress.say_rates(decisions, rates)
        self._chart(decisions, {f"evaluation/win_rate_{metric_name(name)}": rate for name, rate in rates.items()})
        return results

    def finish(self, decisions: int, checkpoint: Checkpoint, stop: StopRequest) -> TrainingOutcome:
        """Evaluate the trained policy, write the final checkpoint and return the outcome.

        The outcome has no results if the run is stopped meanwhile, or in a process that does not write.
        """
        if self._writes:
            with contextlib.suppress(Stopped):  # everything has been saved
                results = self._evaluate(decisions, checkpoint, self._config.final_deals, FINAL_EVALUATION, stop)
                shown = {result.second: result.to_dict() for result in results}
                dataclasses.replace(checkpoint, results=shown).save(self._run.final)
                return TrainingOutcome(self._run, decisions, results)
        return TrainingOutcome(self._run, decisions, ())


def _tensorboard(folder: Path, decisions: int) -> Any:
    """Return a TensorBoard writer that hides earlier records after ``decisions``; ``None`` if it is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    with naming(folder):
        return SummaryWriter(str(folder), purge_step=decisions + 1 if decisions else None)


_WORD = r"[A-Za-z0-9.-]+"
_PLAIN_NAME = re.compile(rf"{_WORD}(:{_WORD}={_WORD}(,{_WORD}={_WORD})*)?(\+exact)?(, [a-z0-9_]+)?")


def metric_name(opponent: str) -> str:
    """Return an opponent's name in characters that every experiment tracker accepts: letters, digits, ``_-./``.

    ``heuristic+exact`` becomes ``heuristic_exact``, ``mc:worlds=240`` becomes ``mc_worlds_240``, and with several games
    ``greedy, small`` becomes ``greedy/small``. Other names, such as file names, get a digest at the end, so that names
    of different opponents stay different.
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
    """Schedule of an event that happens every ``every`` decisions."""

    def __init__(self, every: int, after: int) -> None:
        """Start at the first multiple of ``every`` above ``after``, or at 0 if ``after`` is negative."""
        self._every = every
        self._next = 0 if after < 0 else _next_multiple(after, every)

    def __call__(self, decisions: int) -> bool:
        """Return whether the event is due; true only once each time."""
        if decisions < self._next:
            return False
        self._next = _next_multiple(decisions, self._every)
        return True


def _next_multiple(number: int, step: int) -> int:
    return (number // step + 1) * step
