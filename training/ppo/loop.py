"""Runs of ``trainer: selfplay`` and ``teacher``: rollouts and updates, with evaluations and checkpoints between."""

from __future__ import annotations

import torch

from german_whist.training.config.schema import PPOConfig
from german_whist.training.ppo.learner import PPOLearner
from german_whist.training.ppo.metrics import RunMetrics
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


def train_loop(
    learner_class: type[PPOLearner],
    config: PPOConfig,
    run: RunDirectory,
    resume: bool,
    quiet: bool,
    processes: Processes,
) -> TrainingOutcome:
    """Train with a learner of our own; see :func:`german_whist.training.train.train`."""
    if config.threads:
        torch.set_num_threads(config.threads)
    learner, clock = _make(learner_class, config, run, resume, processes)
    quiet = quiet or not processes.is_first
    with TrainingProgress(config.decisions, learner.decisions, quiet) as progress, stop_signals() as stop:
        progress.say(f"training in {run.path}")
        training = _Run(learner, clock, progress)
        try:
            if not training.run_to_end(stop):
                return TrainingOutcome(run, learner.decisions, ())
            return training.finish()
        except ConnectionError as error:
            raise ConnectionError(f"{error}; the last good checkpoint is in {run.checkpoints}") from None
        finally:
            training.close()


def _make(
    learner_class: type[PPOLearner], config: PPOConfig, run: RunDirectory, resume: bool, processes: Processes
) -> tuple[PPOLearner, TrainingClock]:
    """Return the learner, a new one with its first checkpoint; of a run that cannot begin, nothing is left."""
    if resume:
        learner = learner_class(config, run, processes)
        return learner, TrainingClock(learner.resume())
    try:
        learner = learner_class(config, run, processes)
        learner.begin()
    except BaseException:
        if processes.is_first:
            run.discard()
        raise
    return learner, TrainingClock()


class _Run:
    """A run under way. Its records are those of the first process; the others only learn."""

    def __init__(self, learner: PPOLearner, clock: TrainingClock, progress: TrainingProgress) -> None:
        self._learner = learner
        self._clock = clock
        self._progress = progress
        self._is_first = learner.processes.is_first
        config, run = learner.config, learner.run
        self._metrics = RunMetrics(run, learner.METRICS, learner.decisions) if self._is_first else None
        # A new run begins with an evaluation of the untrained network; one killed in an evaluation begins with that.
        last = last_evaluation(run) if self._is_first else None
        self._save_is_due = Due(config.checkpoint_every, learner.decisions)
        self._evaluation_is_due = Due(config.evaluate_every, int(last["decisions"]) if last else -1)

    def run_to_end(self, stop: list[int]) -> bool:
        """Train until all decisions are made, or a signal has come to any process; return whether they are."""
        learner, clock = self._learner, self._clock
        while not learner.is_done:
            if self._save_is_due(learner.decisions):
                learner.save(clock.seconds)
            if bool(learner.processes.add(torch.tensor(len(stop)))):
                # No member joins the pool for this, so that the run goes on as one that was never stopped.
                learner.save_snapshot(clock.seconds)
                return False
            if self._is_first and self._evaluation_is_due(learner.decisions):
                self._evaluate(learner.config.evaluate_deals)
            self._train_once()
        learner.save(clock.seconds)
        return True

    def _train_once(self) -> None:
        learner = self._learner
        before = learner.decisions
        self._clock.skip()
        metrics = learner.train_once(self._progress.update)
        passed = self._clock.count()
        if self._metrics is not None:
            metrics["charts/SPS"] = (learner.decisions - before) / passed
            metrics["charts/seconds"] = self._clock.seconds
            self._metrics.write(learner.decisions, metrics)

    def _evaluate(self, deals: int) -> TrainingOutcome:
        learner = self._learner
        results = learner.evaluate(deals)
        if self._metrics is not None:
            rates = {f"evaluation/win_rate_{result.second}": result.win_rate for result in results}
            self._metrics.chart(learner.decisions, rates)
        record_evaluation(learner.run, learner.config, learner.decisions, self._clock.seconds, results, self._progress)
        return TrainingOutcome(learner.run, learner.decisions, results)

    def finish(self) -> TrainingOutcome:
        """Evaluate the trained policy and write it as the run's final checkpoint."""
        learner = self._learner
        if not self._is_first:
            return TrainingOutcome(learner.run, learner.decisions, ())
        learner.conclude()
        outcome = self._evaluate(learner.config.final_deals)
        learner.checkpoint({result.second: result.to_dict() for result in outcome.results}).save(learner.run.final)
        return outcome

    def close(self) -> None:
        """Release the files of the records."""
        if self._metrics is not None:
            self._metrics.close()
