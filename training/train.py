"""Training runs: dispatches to the trainer of the configuration."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

from german_whist.training.config.schema import PolicyIterationConfig, PPOConfig, TrainConfig
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.distributed import Processes
from german_whist.training.run.lock import only_one
from german_whist.training.run.session import TrainingOutcome
from german_whist.training.run.workers import started_workers

OWN_TRAINERS = (PPOConfig, PolicyIterationConfig)


def train(
    config: TrainConfig,
    run: RunDirectory,
    *,
    resume: bool = False,
    quiet: bool = False,
    processes: Processes = Processes(),  # noqa: B008 - a constant
) -> TrainingOutcome:
    """Train a policy by self-play with the configured trainer; SIGINT and SIGTERM checkpoint and exit.

    A configuration of several ``processes`` starts the others, unless it is given them.

    Args:
        config: the configuration, whose class selects the trainer.
        run: the folder to write to.
        resume: continue from the run's snapshot; a run killed before the first snapshot starts from scratch.
        quiet: show no progress.
        processes: those of ``torchrun``, if it started this one; ``trainer: sb3`` runs in one.

    Raises:
        ValueError: when the run cannot be resumed or another process trains it, or the device does not exist.
        FloatingPointError: when training diverges; the last good checkpoint is kept.
        ConnectionError: when another process of the run is gone; the last good checkpoint is kept.
    """
    with ExitStack() as stack:
        if processes.is_first:
            stack.enter_context(only_one(run.path))
        if isinstance(config, OWN_TRAINERS) and processes.size == 1 < config.run.processes:
            processes = stack.enter_context(started_workers(config.run.processes, config.run.threads))
            processes.broadcast((config, run, resume))
        has_snapshot = processes.broadcast(run.has_snapshot)
        if resume and not has_snapshot and processes.is_first:
            run.drop_records_after(0)
            if run.overrides:
                run.write_config(config)
        return load_trainer(config)(config, run, resume and has_snapshot, quiet, processes)


Trainer = Callable[[Any, RunDirectory, bool, bool, Processes], TrainingOutcome]


def load_trainer(config: TrainConfig) -> Trainer:
    """Return the trainer of a configuration.

    Raises:
        ModuleNotFoundError: when a library that it needs is not installed.
    """
    if not isinstance(config, OWN_TRAINERS):
        from german_whist.training.sb3.trainer import train_sb3

        return train_sb3
    from german_whist.training.learning.loop import train_loop

    if isinstance(config, PolicyIterationConfig):
        from german_whist.training.policy_iteration.learner import PolicyIterationLearner

        return partial(train_loop, PolicyIterationLearner)
    from german_whist.training.ppo.learner import PPOLearner

    return partial(train_loop, PPOLearner)
