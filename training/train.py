"""``german_whist.train``: begin or resume a run, in one process or several."""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Unpack, overload

import torch

from german_whist.training.config import TrainConfig
from german_whist.training.loop import Trainer, run_loop
from german_whist.training.opponents import check_one_process, with_named_opponents
from german_whist.training.processes import Processes, joined_processes, started_workers
from german_whist.training.recipes import DEFAULT_RECIPE, load_config, load_run_config, run_name
from german_whist.training.registry import forget_trainers, trainer_class, trainer_spec
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.outcome import TrainingOutcome, finished_outcome
from german_whist.training.run.records import Callback
from german_whist.training.train_settings import TrainSettings


@overload
def train(
    config: str | Path | None = None,
    *,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    quiet: bool = False,
    callback: Callback | None = None,
    **settings: Unpack[TrainSettings],
) -> TrainingOutcome: ...
@overload
def train(
    config: type[Trainer[Any]],
    *,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    quiet: bool = False,
    callback: Callback | None = None,
    **settings: Any,
) -> TrainingOutcome: ...
def train(
    config: str | Path | type[Trainer[Any]] | None = None,
    *,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    quiet: bool = False,
    callback: Callback | None = None,
    **settings: Any,
) -> TrainingOutcome:
    """Train an agent by self-play and evaluate it, as ``german-whist train`` does.

    Works in notebooks and threads. Ctrl-C saves the run, which can be resumed; the outcome is then ``interrupted``.
    Under ``torchrun``, all its processes train together.

    Example:
        >>> outcome = german_whist.train("quickstart", decisions=100_000, processes=1, out="runs/mine")
        >>> outcome.win_rates
        {'random+exact': 0.83, 'greedy+exact': 0.6, 'heuristic+exact': 0.46}
        >>> german_whist.play_match(outcome.agent, "heuristic", deals=1000)

    Args:
        config: a recipe of the package (``"quickstart"``, ``"half-hour"``, ``"sb3"``, …), a YAML file, or a trainer of
            your own: its class or ``"python:mine.py:Trainer"``; by default ``"quickstart"``.
        out: the run's folder; by default the first of ``runs/NAME``, ``runs/NAME-2``, … that does not exist.
        resume: the folder of a run to continue, instead of starting a new one; ``settings`` then change its settings.
            The outcome of a finished run is returned at once.
        quiet: show no progress.
        callback: called as ``callback(decisions, numbers)`` after each update, with the columns of ``metrics.csv``, and
            after each evaluation, with win rates as ``evaluation/win_rate_OPPONENT``. An exception that it raises ends
            the run, which can be resumed.
        settings: settings of the configuration by name: ``decisions=2000``, ``hidden=[64, 64]``, ``rules="small"``,
            ``opponents={"self": 0.5, "heuristic": 0.5}``, also objects if one process trains. The page on training
            settings lists them.

    Returns:
        The outcome: ``agent`` to play with, ``win_rates`` and ``results`` of the final evaluation, and the ``path`` of
        the run's folder.

    Raises:
        ValueError: if a setting is unknown or not allowed, the folder already holds a run, the run cannot be
            resumed, or torch is set in this process to compute otherwise than training does.
        RuntimeError: if this process is training another run.
        FloatingPointError: if training diverges; the last good checkpoint is kept.
        ConnectionError: if another process of the run is gone; the last good checkpoint is kept.
    """
    is_trainer = isinstance(config, type) and issubclass(config, Trainer)
    if not is_trainer and not isinstance(config, (str, os.PathLike, type(None))):
        raise ValueError(
            f"config must be a recipe, a file or a trainer, and settings follow, as decisions=1000, got {config!r}"
        )
    for name, folder in (("out", out), ("resume", resume)):
        if not isinstance(folder, (str, os.PathLike, type(None))):
            raise ValueError(f"{name} must be a folder, got {folder!r}")
    _check_torch()
    with ExitStack() as stack:
        stack.enter_context(_one_run())
        processes = stack.enter_context(joined_processes())
        forget_trainers()
        if isinstance(config, type):
            config = trainer_spec(config)
        begun: tuple[RunDirectory, TrainConfig, TrainingOutcome | None] = processes.broadcast(
            _begun(config, out, resume, with_named_opponents(settings), processes) if processes.is_first else None
        )
        run, found, finished = begun
        if processes.is_first:
            stack.enter_context(run.locked())
        if finished is not None:
            if processes.is_first and not quiet:
                print(f"finished, after {finished.decisions:,} decisions: {run.given}", file=sys.stderr)
            return finished
        if processes.size == 1 < found.num_processes:
            processes = stack.enter_context(started_workers(found.num_processes, found.threads))
            processes.broadcast((run, found))
        return run_training(found, run, processes, quiet=quiet, callback=callback)


def _signature() -> inspect.Signature:
    """Return the signature of :func:`train` with every setting, which editors complete."""
    signature = inspect.signature(train)
    *named, _ = signature.parameters.values()
    kinds = TrainSettings.__annotations__
    keyword = inspect.Parameter.KEYWORD_ONLY
    settings = [inspect.Parameter(name, keyword, default=None, annotation=kind) for name, kind in kinds.items()]
    return signature.replace(parameters=[*named, *settings])


train.__signature__ = _signature()  # type: ignore[attr-defined]


def _begun(
    config: str | Path | None,
    out: str | Path | None,
    resume: str | Path | None,
    settings: dict[str, Any],
    processes: Processes,
) -> tuple[RunDirectory, TrainConfig, TrainingOutcome | None]:
    """Return the folder and the settings of a new run, or those and the outcome of the one to resume."""
    if resume is not None:
        if config is not None or out is not None:
            raise ValueError("resume uses the run's own configuration and folder: leave out config and out")
        run = RunDirectory.open(resume)
        found = load_run_config(run.config, settings)
        check_one_process(max(processes.size, found.num_processes))
        return run, found, None if settings else finished_outcome(run, found.decisions)
    config = DEFAULT_RECIPE if config is None else config
    found = load_config(config, settings).for_processes(processes.size)
    check_one_process(found.num_processes)
    trainer_class(found.trainer)  # a missing library is reported before a folder is created
    return RunDirectory.create(run_name(config), out), found, None


def run_training(
    config: TrainConfig,
    run: RunDirectory,
    processes: Processes = Processes(),  # noqa: B008 - a constant
    *,
    quiet: bool = False,
    callback: Callback | None = None,
) -> TrainingOutcome:
    """Train in a folder, from its snapshot if it has one. All processes of a run call it."""
    (resumes,) = processes.broadcast((run.has_snapshot,))
    if not resumes:
        config = config.with_short_rollouts(processes.size)
    if config.threads:
        torch.set_num_threads(config.threads)
    trainer = trainer_class(config.trainer)(config, run, processes)
    return run_loop(trainer, resumes=resumes, quiet=quiet, callback=callback)


def _check_torch() -> None:
    """Refuse settings of this process, such as a notebook's, under which training would fail or learn other weights.

    Raises:
        ValueError: naming the setting.
    """
    for setting, now, needed in (
        ("torch.get_default_dtype()", torch.get_default_dtype(), torch.float32),
        ("torch.get_default_device()", torch.get_default_device(), torch.device("cpu")),
        ("torch.is_grad_enabled()", torch.is_grad_enabled(), True),
        ("torch.is_inference_mode_enabled()", torch.is_inference_mode_enabled(), False),
        *((f"torch.is_autocast_enabled({kind!r})", torch.is_autocast_enabled(kind), False) for kind in ("cpu", "cuda")),
    ):
        if now != needed:
            raise ValueError(f"{setting} is {now} in this process: training needs {needed}")


_TRAINING = threading.Lock()


@contextlib.contextmanager
def _one_run() -> Iterator[None]:
    """Train one run at a time in this process, and restore torch's number of threads.

    Raises:
        RuntimeError: if another run is training.
    """
    if not _TRAINING.acquire(blocking=False):
        raise RuntimeError("this process is training another run: train this one in another process")
    threads = torch.get_num_threads()
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        _TRAINING.release()
