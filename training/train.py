"""Training runs: the trainer of the configuration, and the loop of policy iteration."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import torch
from torch.distributions import Distribution

from german_whist.training.config import PolicyIterationConfig, TrainConfig
from german_whist.training.policy_iteration import METRICS, Learner
from german_whist.training.run.directory import RunDirectory, only_one
from german_whist.training.run.processes import Processes, started_workers
from german_whist.training.run.progress import FINAL_EVALUATION, FIRST_EVALUATION, FIRST_ROLLOUT, TrainingProgress
from german_whist.training.run.records import (
    Callback,
    Due,
    RunMetrics,
    TrainingClock,
    TrainingOutcome,
    last_evaluation,
    record_evaluation,
    win_rates,
)
from german_whist.training.run.stopping import Stopped, stop_signals


def train(
    config: TrainConfig,
    run: RunDirectory,
    *,
    resume: bool = False,
    quiet: bool = False,
    processes: Processes = Processes(),  # noqa: B008 - a constant
    callback: Callback | None = None,
) -> TrainingOutcome:
    """Train a policy by self-play with the configured trainer; SIGINT and SIGTERM checkpoint and exit.

    A configuration of several ``processes`` starts the others, unless it is given them. In a thread that is not the
    main one, no handlers are set. A new run that fails before its first update leaves nothing in its folder, unless it
    can be resumed. Random states and numbers of threads of the process are afterwards what they were.

    Args:
        config: the configuration, whose class selects the trainer.
        run: the folder to write to.
        resume: continue from the run's snapshot; a run killed before the first snapshot starts from scratch.
        quiet: show no progress.
        processes: those of ``torchrun``, if it started this one; ``trainer: sb3`` runs in one.
        callback: called as ``callback(decisions, numbers)`` with the row of each update, by the names of
            ``metrics.csv``, and with the win rates of each evaluation, ``evaluation/win_rate_OPPONENT``. What it raises
            ends the run, which can be resumed from its last checkpoint. Only the first process calls it.

    Raises:
        ValueError: when the run cannot be resumed or another process trains it, or the device does not exist.
        ModuleNotFoundError: when a library that the trainer needs is not installed.
        FloatingPointError: when training diverges; the last good checkpoint is kept.
        ConnectionError: when another process of the run is gone; the last good checkpoint is kept.
        OSError: when a file cannot be written, as on a full disk; the error names it, and the run can be resumed.
    """
    with ExitStack() as stack:
        stack.enter_context(_settings_of_libraries_kept())
        if processes.is_first:
            stack.enter_context(only_one(run.path))
            if not resume:
                stack.enter_context(run.beginning())
        if isinstance(config, PolicyIterationConfig) and processes.size == 1 < config.processes:
            processes = stack.enter_context(started_workers(config.processes, config.threads))
            processes.broadcast((config, run, resume))
        has_snapshot = processes.broadcast(run.has_snapshot)
        if not has_snapshot:
            config = config.with_short_rollouts(processes.size)
            if resume and processes.is_first:
                run.drop_records_after(0)
        if config.threads:
            torch.set_num_threads(config.threads)
        return load_trainer(config)(config, run, resume and has_snapshot, quiet, processes, callback)


@contextlib.contextmanager
def _settings_of_libraries_kept() -> Iterator[None]:
    """Leave the random states, threads and checks of the process as they were."""
    threads, validates = torch.get_num_threads(), Distribution._validate_args
    deterministic, benchmark = torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark
    python_state, numpy_state = random.getstate(), np.random.get_state()
    torch_state = torch.get_rng_state()
    gpu_states = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []
    try:
        yield
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)
        torch.set_rng_state(torch_state)
        torch.cuda.set_rng_state_all(gpu_states)
        torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = deterministic, benchmark
        Distribution.set_default_validate_args(validates)
        torch.set_num_threads(threads)


Trainer = Callable[[Any, RunDirectory, bool, bool, Processes, Callback | None], TrainingOutcome]


def load_trainer(config: TrainConfig) -> Trainer:
    """Return the trainer of a configuration.

    Raises:
        ModuleNotFoundError: when a library that it needs is not installed.
    """
    if isinstance(config, PolicyIterationConfig):
        return _train_policy_iteration
    from german_whist.training.sb3.trainer import train_sb3

    return train_sb3


def _train_policy_iteration(
    config: PolicyIterationConfig,
    run: RunDirectory,
    resume: bool,
    quiet: bool,
    processes: Processes,
    callback: Callback | None,
) -> TrainingOutcome:
    learner, clock = _make(config, run, resume, processes)
    quiet = quiet or not processes.is_first
    with (
        TrainingProgress(config.decisions, learner.decisions, quiet) as progress,
        stop_signals(learner.stop, progress.say),
    ):
        progress.say(f"training in {run.path}")
        training = _Run(learner, clock, progress, callback)
        try:
            if training.run_to_end():
                return training.finish()
            return TrainingOutcome(run, learner.decisions, ())
        except Stopped:  # after the last decision, when all is saved
            return TrainingOutcome(run, learner.decisions, ())
        except ConnectionError as error:
            raise ConnectionError(f"{error}; the last good checkpoint is in {run.checkpoints}") from None
        finally:
            training.close()


def _make(
    config: PolicyIterationConfig, run: RunDirectory, resume: bool, processes: Processes
) -> tuple[Learner, TrainingClock]:
    """Return the learner, resumed or new with its first checkpoint."""
    learner = Learner(config, run, processes)
    if resume:
        return learner, TrainingClock(learner.resume())
    if processes.is_first:
        run.begin(config)
    learner.begin()
    return learner, TrainingClock()


class _Run:
    """A run in progress. Only the first process writes records."""

    def __init__(
        self, learner: Learner, clock: TrainingClock, progress: TrainingProgress, callback: Callback | None
    ) -> None:
        self._learner = learner
        self._clock = clock
        self._progress = progress
        self._is_first = learner.processes.is_first
        self._has_trained = False
        config, run = learner.config, learner.run
        self._metrics = RunMetrics(run, METRICS, learner.decisions, callback) if self._is_first else None
        # A new run starts with an evaluation of the untrained network; one killed during an evaluation repeats it.
        last = last_evaluation(run) if self._is_first else None
        self._save_is_due = Due(config.checkpoint_every, learner.decisions)
        self._evaluation_is_due = Due(config.evaluate_every, int(last["decisions"]) if last else -1)

    def run_to_end(self) -> bool:
        """Train to the last decision, or until any process is to stop; return whether training is complete."""
        learner, clock = self._learner, self._clock
        try:
            while not learner.is_done:
                if self._save_is_due(learner.decisions):
                    learner.save(clock.seconds)
                if learner.is_stopping:
                    raise Stopped
                if self._is_first and self._evaluation_is_due(learner.decisions):
                    self._evaluate_on_the_way()
                self._train_once()
        except Stopped:
            # No checkpoint joins the pool here, so that the resumed run equals one that was never stopped.
            learner.save_snapshot(clock.seconds)
            return False
        learner.save(clock.seconds)
        return True

    def _train_once(self) -> None:
        learner, progress = self._learner, self._progress
        before = learner.decisions

        def show(done: int) -> None:
            progress.expect(before, done - before)
            progress.update(done)

        if not self._has_trained:
            progress.begin_phase(FIRST_ROLLOUT)
            self._has_trained = True
        self._clock.skip()
        metrics = learner.train_once(show)
        passed = self._clock.count()
        if self._metrics is not None:
            metrics["charts/SPS"] = (learner.decisions - before) / passed
            metrics["charts/seconds"] = self._clock.seconds
            self._metrics.write(learner.decisions, metrics)

    def _evaluate_on_the_way(self) -> None:
        """Evaluate; given up, it says nothing, as the other processes learn of it in the next rollout."""
        kind = "" if self._learner.decisions else FIRST_EVALUATION
        with contextlib.suppress(Stopped):
            self._evaluate(self._learner.config.evaluate_deals, kind)

    def _evaluate(self, deals: int, kind: str) -> TrainingOutcome:
        learner = self._learner
        config = learner.config
        self._progress.begin_evaluation(kind, deals, config.evaluate_against, len(config.shares))
        results = learner.evaluate(deals)
        record_evaluation(learner.run, config.title, learner.decisions, self._clock.seconds, results, self._progress)
        if self._metrics is not None:
            self._metrics.chart(learner.decisions, win_rates(results))
        return TrainingOutcome(learner.run, learner.decisions, results)

    def finish(self) -> TrainingOutcome:
        """Evaluate the trained policy and write the final checkpoint.

        Raises:
            Stopped: when the run is to stop.
        """
        learner = self._learner
        if not self._is_first:
            return TrainingOutcome(learner.run, learner.decisions, ())
        learner.fit_value(self._progress.begin_phase)
        outcome = self._evaluate(learner.config.final_deals, FINAL_EVALUATION)
        learner.checkpoint({result.second: result.to_dict() for result in outcome.results}).save(learner.run.final)
        return outcome

    def close(self) -> None:
        """Release the files of the records."""
        if self._metrics is not None:
            self._metrics.close()
