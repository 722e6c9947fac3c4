"""Runs from beginning to end, stopped and gone on with."""

from __future__ import annotations

import csv
import signal
from pathlib import Path
from typing import Any

import pytest

from german_whist.training.progress import TrainingProgress
from german_whist.training.records import TrainingOutcome
from german_whist.training.run import RunDirectory
from german_whist.training.train import train


def resume_run(folder: Path, **overrides: str) -> TrainingOutcome:
    run, config = RunDirectory.open(folder, overrides)
    return train(config, run, resume=True, quiet=True)


def call_at(monkeypatch: pytest.MonkeyPatch, decisions: int, what: Any) -> None:
    """Call something once, at the first step that reaches so many decisions."""
    update = TrainingProgress.update
    waiting = [what]

    def watched(self: TrainingProgress, done: int) -> None:
        update(self, done)
        if done >= decisions and waiting:
            waiting.pop()()

    monkeypatch.setattr(TrainingProgress, "update", watched)


def interrupt_in(monkeypatch: pytest.MonkeyPatch, phase: str) -> None:
    """Interrupt a run as soon as it says that it begins a phase whose name begins so."""
    say = TrainingProgress.say

    def watched(self: TrainingProgress, line: str) -> None:
        say(self, line)
        if line.startswith(phase):
            interrupt()

    monkeypatch.setattr(TrainingProgress, "say", watched)


def interrupt(number: int = signal.SIGINT) -> None:
    signal.raise_signal(number)  # in this thread: sent to the process, two may arrive as one


def column(path: Path, name: str) -> list[float]:
    with path.open(newline="") as file:
        return [float(row[name]) for row in csv.DictReader(file)]


def evaluated(run: RunDirectory) -> list[int]:
    return [int(row["decisions"]) for row in run.read_evaluations()]
