"""Runs of ``trainer: sb3``: MaskablePPO of sb3-contrib."""

from __future__ import annotations

import torch
import torch.utils.tensorboard  # if it is missing, fail now and not at the first log entry
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat

from german_whist.arena.match_result import MatchResult
from german_whist.training.config.schema import SB3Config
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.distributed import Processes
from german_whist.training.run.progress import TrainingProgress
from german_whist.training.run.session import (
    Due,
    TrainingClock,
    TrainingOutcome,
    last_evaluation,
    record_evaluation,
    stop_signals,
)
from german_whist.training.sb3.csv_logger import MetricsWriter
from german_whist.training.sb3.learner import SB3Learner


def train_sb3(config: SB3Config, run: RunDirectory, resume: bool, quiet: bool, processes: Processes) -> TrainingOutcome:
    """Train with MaskablePPO; see :func:`german_whist.training.train.train`."""
    if processes.size > 1:
        raise ValueError("trainer: sb3 runs in one process; several need trainer: ppo or policy_iteration")
    if config.run.threads:
        torch.set_num_threads(config.run.threads)
    # Checking our own masks would cost a tenth of the time.
    torch.distributions.Distribution.set_default_validate_args(False)
    learner = SB3Learner(config, run, resume=True) if resume else _begin(config, run)
    logger = Logger(str(run.path), [TensorBoardOutputFormat(str(run.tensorboard)), MetricsWriter(run.metrics)])
    learner.model.set_logger(logger)
    try:
        with TrainingProgress(config.run.decisions, learner.decisions, quiet) as progress, stop_signals() as stop:
            progress.say(f"training in {run.path}")
            recorder = _Recorder(learner, progress, stop)
            left = config.run.decisions - learner.decisions
            if left > 0:
                learner.model.learn(left, callback=recorder, reset_num_timesteps=False)
                recorder.clock.count()
                learner.check_finite()
                learner.save()
            if learner.decisions < config.run.decisions:
                return TrainingOutcome(run, learner.decisions, ())
            results = recorder.evaluate(config.evaluation.final_deals)
        learner.checkpoint({result.second: result.to_dict() for result in results}).save(run.final)
        return TrainingOutcome(run, learner.decisions, results)
    finally:
        logger.close()


def _begin(config: SB3Config, run: RunDirectory) -> SB3Learner:
    """Return a new learner with its first checkpoint; a run that cannot begin leaves nothing behind."""
    try:
        learner = SB3Learner(config, run)
        learner.save()  # the first member of the pool
    except BaseException:
        run.discard()
        raise
    return learner


class _Recorder(BaseCallback):
    """Saves and evaluates between rollouts, and stops when asked to."""

    def __init__(self, learner: SB3Learner, progress: TrainingProgress, stop: list[int]) -> None:
        super().__init__()
        self._learner = learner
        self._progress = progress
        self._stop = stop
        # A new run starts with an evaluation of the untrained network; one killed during an evaluation repeats it.
        last = last_evaluation(learner.run)
        self._save_is_due = Due(learner.config.run.checkpoint_every, learner.decisions)
        self._evaluation_is_due = Due(learner.config.evaluation.evaluate_every, int(last["decisions"]) if last else -1)
        self._rollout_began = learner.decisions
        self.clock = TrainingClock(last.get("seconds", 0.0) if last else 0.0)

    def _on_rollout_start(self) -> None:
        learner, config = self._learner, self._learner.config
        if learner.decisions > self._rollout_began:
            self.clock.count()
        self._rollout_began = learner.decisions
        learner.follow_entropy_schedule()
        learner.check_finite()
        if self._save_is_due(learner.decisions):
            learner.save()
        if self._evaluation_is_due(learner.decisions):
            self.evaluate(config.evaluation.evaluate_deals)
        self.clock.skip()

    def _on_step(self) -> bool:
        self._progress.update(self.num_timesteps)
        if self._stop:
            # The rollout is dropped: only decisions that were trained on count.
            self.model.num_timesteps = self._rollout_began
            return False
        return True

    def evaluate(self, deals: int) -> tuple[MatchResult, ...]:
        """Evaluate over mirrored deals, and record the results."""
        learner = self._learner
        results = learner.evaluate(deals)
        for result in results:
            learner.model.logger.record(f"evaluation/win_rate_{result.second}", result.win_rate)
        record_evaluation(
            learner.run, learner.config.game.rules, learner.decisions, self.clock.seconds, results, self._progress
        )
        return results
