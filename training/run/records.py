"""The records of a run: a row for every update, evaluations against bots, the learning curve, TensorBoard."""

from __future__ import annotations

import csv
import dataclasses
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from german_whist.agents.base import Agent
from german_whist.agents.module_checkpoint import AnyCheckpoint, ModuleCheckpoint
from german_whist.agents.registry import make_agent
from german_whist.evaluation.match import MatchResult, play_match
from german_whist.game.rules import rules
from german_whist.training.config import TrainConfig
from german_whist.training.run.directory import RunDirectory, write_rows
from german_whist.training.run.outcome import TrainingOutcome
from german_whist.training.run.policies import policy_of
from german_whist.training.run.progress import RunProgress

Callback = Callable[[int, dict[str, float]], None]  # called with the decisions so far and numbers by name

EVALUATION_SEED = 1_000_003  # so that `german-whist evaluate` plays other deals


def evaluate(
    checkpoint: AnyCheckpoint,
    name: str,
    opponents: Mapping[str, Sequence[tuple[str, Agent]]],
    deals: int,
    device: str | None = None,
) -> tuple[MatchResult, ...]:
    """Play a policy greedily against each opponent, on the same mirrored deals every time.

    Args:
        checkpoint: the policy.
        name: its name in the results.
        opponents: agents with their names, by game.
        deals: mirrored deals in each match.
        device: where the deals are played, as in ``play_match``.
    """
    results: list[MatchResult] = []
    for game, agents in opponents.items():
        policy = policy_of(checkpoint, rules=rules(game))
        on_host = isinstance(checkpoint, ModuleCheckpoint)
        for against, agent in agents:
            match = play_match(
                policy,
                agent,
                deals=deals,
                seed=EVALUATION_SEED,
                rules=game,
                endgame=checkpoint.endgame,
                device=None if agent.uses_histories or on_host else device,
            )
            second = against if len(opponents) == 1 else f"{against}, {game}"
            results.append(dataclasses.replace(match, first=name, second=second))
    return tuple(results)


class RunRecords:
    """Writes and shows the records of a run: a row per update, evaluations against bots, and its progress.

    Progress goes to standard error: a bar below the lines in a terminal, a line every ten seconds elsewhere.
    """

    def __init__(
        self,
        run: RunDirectory,
        config: TrainConfig,
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
            decisions: decisions trained on so far; TensorBoard hides records of later ones.
            quiet: whether to show nothing.
            callback: called with the numbers of each update and evaluation.
            writes: whether this process writes and evaluates.
        """
        self._run, self._config, self._callback = run, config, callback
        self._writes = writes
        self._began = time.perf_counter()
        self._progress = RunProgress(config.decisions, decisions, quiet or not writes)
        self.say = self._progress.say
        if writes:
            self._opponents = {
                game: [(name, make_agent(name, game)) for name in config.evaluate_against] for game in config.shares
            }
            # A new run first evaluates the untrained network; a run killed during an evaluation repeats it.
            last = max((row["decisions"] for row in run.read_evaluations()), default=-1)
            self._evaluation_is_due = Periodic(config.evaluate_every, last)
            metrics = run.read_metrics()
            self._seconds = float(metrics[-1]["charts/seconds"]) if metrics else 0.0
            self._board = _tensorboard(run.tensorboard, decisions)

    def __enter__(self) -> RunRecords:
        """Start showing progress."""
        self._progress.bar.start()
        return self

    def __exit__(self, *error: Any) -> None:
        """Close the files."""
        self._progress.bar.stop()
        if self._writes and self._board is not None:
            self._board.close()

    def evaluate_if_due(self, decisions: int, checkpoint: Callable[[], AnyCheckpoint]) -> None:
        """Evaluate if an evaluation is due."""
        if self._writes and self._evaluation_is_due(decisions):
            self._evaluate(decisions, checkpoint(), self._config.evaluate_deals)

    def begin_update(self) -> None:
        """Start timing a rollout and its update."""
        self._began = time.perf_counter()

    def write_update(self, decisions: int, played: int, numbers: Mapping[str, float]) -> None:
        """Write and show an update, the last ``played`` of ``decisions`` decisions; the first one names the columns."""
        self._progress.update(decisions, played)
        if self._writes:
            passed = time.perf_counter() - self._began
            self._seconds += passed
            row = {"charts/SPS": played / passed, "charts/seconds": self._seconds, **numbers}
            if not self._run.metrics.exists():
                write_rows(self._run.metrics, ("decisions", *row), ())
            with self._run.metrics.open("a", newline="", encoding="utf-8") as file:
                csv.writer(file).writerow([decisions, *(f"{number:.6g}" for number in row.values())])
            self._chart(decisions, row)

    def _chart(self, decisions: int, numbers: dict[str, float]) -> None:
        """Send numbers to TensorBoard and the callback."""
        if self._board is not None:
            for name, number in numbers.items():
                self._board.add_scalar(name, number, decisions)
            self._board.flush()
        if self._callback is not None:
            self._callback(decisions, numbers)

    def _evaluate(self, decisions: int, checkpoint: AnyCheckpoint, deals: int) -> tuple[MatchResult, ...]:
        from german_whist.evaluation import plots  # a second, which the other processes of a run save

        config = self._config
        device = config.device if config.device.startswith("cuda") else None
        results = evaluate(checkpoint, self._run.path.name, self._opponents, deals, device)
        self._run.add_evaluations([_evaluation_row(decisions, self._seconds, result) for result in results])
        try:
            title = f"German Whist ({config.title}): training, evaluated against bots"
            plots.draw_curve(self._run.read_evaluations(), self._run.curve, title)
        except Exception as error:
            self.say(f"the learning curve cannot be drawn: {' '.join(str(error).split())}")
        rates = {result.second: result.win_rate for result in results}
        self._progress.say_rates(decisions, rates)
        self._chart(decisions, {f"evaluation/win_rate_{metric_name(name)}": rate for name, rate in rates.items()})
        return results

    def finish(self, decisions: int, checkpoint: AnyCheckpoint) -> TrainingOutcome:
        """Evaluate the trained policy, write the final checkpoint and return the outcome.

        The outcome has no results in a process that does not write.
        """
        if not self._writes:
            return TrainingOutcome(self._run, decisions, ())
        deals, opponents = self._config.final_deals, ", ".join(self._config.evaluate_against)
        self.say(f"final evaluation: {deals:,} deals each against {opponents}")
        results = self._evaluate(decisions, checkpoint, deals)
        shown = {result.second: result.to_dict() for result in results}
        dataclasses.replace(checkpoint, results=shown).save(self._run.final)
        return TrainingOutcome(self._run, decisions, results)


def _tensorboard(folder: Path, decisions: int) -> Any:
    """Return a TensorBoard writer that hides earlier records after ``decisions``; ``None`` if it is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=decisions + 1)


def metric_name(opponent: str) -> str:
    """Return an opponent's name in characters that every experiment tracker accepts: letters, digits, ``_-./``.

    ``heuristic+exact`` becomes ``heuristic_exact``, and with several games ``greedy, small`` becomes ``greedy/small``.
    """
    return re.sub(r"[^A-Za-z0-9_./-]+", "_", opponent.replace(", ", "/"))


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
        self._next = 0 if after < 0 else (after // every + 1) * every

    def __call__(self, decisions: int) -> bool:
        """Return whether the event is due; true only once each time."""
        if decisions < self._next:
            return False
        self._next = (decisions // self._every + 1) * self._every
        return True
