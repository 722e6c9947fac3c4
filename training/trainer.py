"""A training run from a configuration to a run directory."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.utils.tensorboard  # Stable-Baselines3 would find out late that it is missing
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat

from german_whist.arena.match import MatchResult
from german_whist.training.config import TrainConfig
from german_whist.training.curve import draw_curve
from german_whist.training.learner import Learner
from german_whist.training.metrics import MetricsWriter
from german_whist.training.progress import TrainingProgress
from german_whist.training.run_directory import RunDirectory


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


def train(config: TrainConfig, run: RunDirectory, *, resume: bool = False, quiet: bool = False) -> TrainingOutcome:
    """Train a policy by self-play; SIGINT and SIGTERM save and stop.

    Args:
        config: the settings.
        run: the folder to write to.
        resume: go on from the run's last checkpoint.
        quiet: show no progress.

    Raises:
        ValueError: when the run cannot be resumed, or the device does not exist.
        FloatingPointError: when training diverges; the last good checkpoint is kept.
    """
    if config.threads:
        torch.set_num_threads(config.threads)
    torch.distributions.Distribution.set_default_validate_args(
        False
    )  # checking our own masks costs a tenth of the time
    learner = Learner(config, run, resume=True) if resume else _begin(config, run)
    logger = Logger(str(run.path), [TensorBoardOutputFormat(str(run.tensorboard)), MetricsWriter(run.metrics)])
    learner.model.set_logger(logger)
    try:
        with TrainingProgress(config.decisions, learner.decisions, quiet) as progress, _stop_signals() as stop:
            progress.say(f"training in {run.path}")
            recorder = _Recorder(learner, progress, stop)
            left = config.decisions - learner.decisions
            if left > 0:
                learner.model.learn(left, callback=recorder, reset_num_timesteps=False)
                learner.check_finite()
                learner.save()
            if learner.decisions < config.decisions:
                return TrainingOutcome(run, learner.decisions, ())
            results = recorder.evaluate(config.final_deals)
        learner.checkpoint({result.second: result.to_dict() for result in results}).save(run.final)
        return TrainingOutcome(run, learner.decisions, results)
    finally:
        logger.close()


def _begin(config: TrainConfig, run: RunDirectory) -> Learner:
    """Return a new learner with its first checkpoint; of a run that cannot begin, nothing is left."""
    try:
        learner = Learner(config, run)
        learner.save()  # the first member of the pool
    except BaseException:
        run.discard()
        raise
    return learner


class _Recorder(BaseCallback):
    """Saves and evaluates between rollouts, and stops when asked to."""

    def __init__(self, learner: Learner, progress: TrainingProgress, stop: list[int]) -> None:
        super().__init__()
        self._learner = learner
        self._progress = progress
        self._stop = stop
        config, done = learner.config, learner.decisions
        self._next_save = _next_multiple(done, config.checkpoint_every)
        # A new run begins with an evaluation of the untrained network; one killed in an evaluation begins with that.
        evaluated = [int(row["decisions"]) for row in learner.run.read_evaluations()]
        self._next_evaluation = _next_multiple(max(evaluated), config.evaluate_every) if evaluated else 0
        self._rollout_began = learner.decisions

    def _on_rollout_start(self) -> None:
        learner, config = self._learner, self._learner.config
        self._rollout_began = learner.decisions
        learner.follow_entropy_schedule()
        learner.check_finite()
        if learner.decisions >= self._next_save:
            learner.save()
            self._next_save = _next_multiple(learner.decisions, config.checkpoint_every)
        if learner.decisions >= self._next_evaluation:
            self.evaluate(config.evaluate_deals)
            self._next_evaluation = _next_multiple(learner.decisions, config.evaluate_every)

    def _on_step(self) -> bool:
        self._progress.update(self.num_timesteps)
        if self._stop:
            # The rollout is dropped: count only the decisions that were learnt from.
            self.model.num_timesteps = self._rollout_began
            return False
        return True

    def evaluate(self, deals: int) -> tuple[MatchResult, ...]:
        """Evaluate, and put the results where they belong."""
        learner = self._learner
        results = learner.evaluate(deals)
        learner.run.add_evaluations([evaluation_row(learner.decisions, result) for result in results])
        for result in results:
            learner.model.logger.record(f"evaluation/win_rate_{result.second}", result.win_rate)
        config = learner.config
        title = f"German Whist ({config.rules}): self-play against the rule bots"
        draw_curve(learner.run.read_evaluations(), learner.run.curve, title)
        self._progress.show_rates({result.second: result.win_rate for result in results})
        return results


def evaluation_row(decisions: int, result: MatchResult) -> dict[str, Any]:
    """Return a line of ``evaluations.csv``."""
    return {
        "decisions": decisions,
        "opponent": result.second,
        "deals": result.deals,
        "win_rate": round(result.win_rate, 5),
        "low": round(result.interval[0], 5),
        "high": round(result.interval[1], 5),
        "margin": round(result.margin, 4),
    }


def _next_multiple(number: int, step: int) -> int:
    return (number // step + 1) * step


@contextmanager
def _stop_signals() -> Iterator[list[int]]:
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
