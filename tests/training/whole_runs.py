"""Runs from beginning to end, stopped and gone on with."""

from __future__ import annotations

import csv
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.outcome import TrainingOutcome
from german_whist.training.run.records import Callback
from german_whist.training.train import train


def resume_run(folder: Path, **settings: Any) -> TrainingOutcome:
    return train(resume=folder, quiet=True, **settings)


def at(decisions: int, action: Callable[[], None]) -> Callback:
    """Return a callback that acts once, after the update that reaches so many decisions."""
    waiting = [action]

    def callback(done: int, numbers: dict[str, float]) -> None:
        if done >= decisions and waiting:
            waiting.pop()()

    return callback


def interrupt(number: int = signal.SIGINT) -> None:
    signal.raise_signal(number)  # this thread gets it: sent to the process, two may arrive as one


def kill() -> None:
    raise SystemExit("killed")


def column(path: Path, name: str) -> list[float]:
    with path.open(newline="") as file:
        return [float(row[name]) for row in csv.DictReader(file)]


def evaluated(run: RunDirectory) -> list[int]:
    return [int(row["decisions"]) for row in run.read_evaluations()]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
