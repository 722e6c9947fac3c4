"""Runs of ``trainer: sb3``: MaskablePPO of sb3-contrib."""

from __future__ import annotations

import contextlib

import torch
import torch.utils.tensorboard  # if it is missing, fail now and not at the first log entry
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat

from german_whist.arena.match_result import MatchResult
from german_whist.training.config import SB3Config
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.distributed import Processes
from german_whist.training.run.progress import FINAL_EVALUATION, FIRST_EVALUATION, FIRST_ROLLOUT, TrainingProgress
from german_whist.training.run.session import (
    Due,
    TrainingClock,
    TrainingOutcome,
    last_evaluation,
    record_evaluation,
)
from german_whist.training.run.stopping import Stopped, stop_signals
from german_whist.training.sb3.csv_logger import MetricsWriter
from german_whist.training.sb3.learner import SB3Learner


def train_sb3(config: SB3Config, run: RunDirectory, resume: bool, quiet: bool, processes: Processes) -> TrainingOutcome:
    """Train with MaskablePPO; see :func:`german_whist.training.train.train`."""
    if processes.size > 1:
        raise ValueError("trainer: sb3 runs in one process; several need trainer: policy_iteration")
    # Checking our own masks would cost a tenth of the time.
    torch.distributions.Distribution.set_default_validate_args(False)
    learner, clock = _make(config, run, resume)
    logger = Logger(str(run.path), [TensorBoardOutputFormat(str(run.tensorboard)), MetricsWriter(run.metrics)])
    learner.model.set_logger(logger)
    try:
        with (
            TrainingProgress(config.decisions, learner.decisions, quiet) as progress,
            stop_signals(learner.stop, progress.say),
        ):
            progress.say(f"training in {run.path}")
            recorder = _Recorder(learner, clock, progress)
            left = config.decisions - learner.decisions
            if left > 0:
                progress.expect(learner.decisions, config.num_envs * config.num_steps)
                # A row of metrics is written after the update, so that a killed run has the rows of a whole one.
                learner.model.learn(left, recorder, None, reset_num_timesteps=False)  # type: ignore[arg-type]
                recorder.finish_update()
                if learner.decisions < config.decisions:
                    # No checkpoint joins the pool here, so that the resumed run equals one that was never stopped.
                    learner.save_snapshot(clock.seconds)
                    return TrainingOutcome(run, learner.decisions, ())
                learner.check_finite()
                learner.save(clock.seconds)
            results = recorder.evaluate(config.final_deals, FINAL_EVALUATION)
        learner.checkpoint({result.second: result.to_dict() for result in results}).save(run.final)
        return TrainingOutcome(run, learner.decisions, results)
    except Stopped:  # after the last decision, when all is saved
        return TrainingOutcome(run, learner.decisions, ())
    finally:
        logger.close()


def _make(config: SB3Config, run: RunDirectory, resume: bool) -> tuple[SB3Learner, TrainingClock]:
    """Return the learner, resumed or new with its first checkpoint; a run that cannot begin leaves nothing behind."""
    if resume:
        learner = SB3Learner(config, run)
        return learner, TrainingClock(learner.resume())
    try:
        learner = SB3Learner(config, run)
        learner.begin()
    except BaseException:
        run.discard()
        raise
    return learner, TrainingClock()


class _Recorder(BaseCallback):
    """Saves and evaluates between rollouts, and stops when asked to."""

    def __init__(self, learner: SB3Learner, clock: TrainingClock, progress: TrainingProgress) -> None:
        super().__init__()
        self._learner = learner
        self._clock = clock
        self._progress = progress
        # A new run starts with an evaluation of the untrained network; one killed during an evaluation repeats it.
        last = last_evaluation(learner.run)
        self._save_is_due = Due(learner.config.checkpoint_every, learner.decisions)
        self._evaluation_is_due = Due(learner.config.evaluate_every, int(last["decisions"]) if last else -1)
        self._rollout_began = learner.decisions
        self._has_trained = False

    def finish_update(self) -> None:
        """Count and log the last update, if there is one that has not been."""
        if self._learner.decisions > self._rollout_began:
            self._clock.count()
            self._learner.model.dump_logs()
        self._rollout_began = self._learner.decisions

    def _on_rollout_start(self) -> None:
        learner, config = self._learner, self._learner.config
        self.finish_update()
        learner.check_finite()
        if self._save_is_due(learner.decisions):
            learner.save(self._clock.seconds)
        if self._evaluation_is_due(learner.decisions):
            with contextlib.suppress(Stopped):  # the rollout will be dropped
                self.evaluate(config.evaluate_deals, "" if learner.decisions else FIRST_EVALUATION)
        if not self._has_trained:
            self._progress.begin_phase(FIRST_ROLLOUT)
            self._has_trained = True
        learner.begin_rollout()
        self._clock.skip()

    def _on_step(self) -> bool:
        self._progress.update(self.num_timesteps)
        if self._learner.stop.is_made:
            self._learner.drop_rollout()
            return False
        return True

    def evaluate(self, deals: int, kind: str) -> tuple[MatchResult, ...]:
        """Evaluate over mirrored deals, and record the results.

        Raises:
            Stopped: when the run is to stop.
        """
        learner = self._learner
        self._progress.begin_evaluation(kind, deals, learner.config.evaluate_against)
        results = learner.evaluate(deals)
        for result in results:
            learner.model.logger.record(f"evaluation/win_rate_{result.second}", result.win_rate)
        record_evaluation(
            learner.run, learner.config.title, learner.decisions, self._clock.seconds, results, self._progress
        )
        return results
