"""A training run's folder: what ran, how it went, and what it made."""

from __future__ import annotations

import csv
import json
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from german_whist.agents.checkpoint import write_atomically
from german_whist.training.config import TrainConfig, load_config
from german_whist.training.metrics import drop_rows_after

EVALUATION_COLUMNS = ("decisions", "opponent", "deals", "win_rate", "low", "high", "margin")


class RunDirectory:
    """The files of one run.

    ``config.yaml`` (resolved settings), ``version.json`` (what code ran), ``metrics.csv`` and ``tensorboard/``,
    ``evaluations.csv``, ``curve.png``, ``checkpoints/`` (by decisions), ``final.safetensors`` and
    ``resume.safetensors`` (learner and optimiser, to go on from).
    """

    def __init__(self, path: str | Path) -> None:
        """Name the folder; nothing is made yet."""
        self.path = Path(path)
        self.config = self.path / "config.yaml"
        self.metrics = self.path / "metrics.csv"
        self.tensorboard = self.path / "tensorboard"
        self.evaluations = self.path / "evaluations.csv"
        self.curve = self.path / "curve.png"
        self.checkpoints = self.path / "checkpoints"
        self.final = self.path / "final.safetensors"
        self.resume = self.path / "resume.safetensors"

    @classmethod
    def create(cls, config: TrainConfig, name: str, out: str | Path | None = None) -> RunDirectory:
        """Make a new run's folder: ``out``, or the first of ``runs/NAME``, ``runs/NAME-2``, … that is free.

        Raises:
            ValueError: when ``out`` holds something already or cannot be made.
        """
        path = Path(out) if out is not None else _free_path(Path("runs"), name)
        try:
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                raise ValueError(f"run directory {str(path)!r} is not empty: choose another, or --resume it")
            run = cls(path)
            run.checkpoints.mkdir()
            run.tensorboard.mkdir()
            write_atomically(path / "version.json", json.dumps(code_version(), indent=2).encode())
            write_atomically(run.config, config.to_yaml().encode())
        except OSError as error:
            raise ValueError(f"run directory {str(path)!r} cannot be made: {error.strerror}") from None
        return run

    @classmethod
    def open(cls, path: str | Path) -> tuple[RunDirectory, TrainConfig]:
        """Open a run to go on with.

        Raises:
            ValueError: when it is no run directory, or holds nothing to go on from.
        """
        run = cls(path)
        if not run.config.is_file():
            raise ValueError(f"{str(path)!r} is not a run directory: it has no config.yaml")
        if not run.resume.is_file():
            raise ValueError(
                f"run directory {str(path)!r} has no resume.safetensors: its first checkpoint was not made"
            )
        return run, load_config(run.config)

    def past(self) -> list[Path]:
        """Return the checkpoints made so far, oldest first."""
        return sorted(self.checkpoints.glob("*.safetensors"))

    def checkpoint_path(self, decisions: int) -> Path:
        """Return where the checkpoint after so many decisions belongs."""
        return self.checkpoints / f"{decisions:012d}.safetensors"

    def add_evaluations(self, rows: list[dict[str, Any]]) -> None:
        """Append evaluation results to ``evaluations.csv``."""
        _append_rows(self.evaluations, EVALUATION_COLUMNS, rows)

    def read_evaluations(self) -> list[dict[str, Any]]:
        """Return the evaluation results so far; numbers as float."""
        if not self.evaluations.exists():
            return []
        with self.evaluations.open(newline="", encoding="utf-8") as file:
            return [
                {key: text if key == "opponent" else float(text) for key, text in row.items()}
                for row in csv.DictReader(file)
            ]

    def forget_after(self, decisions: int) -> None:
        """Drop what a killed run recorded after the point it goes on from."""
        for path in self.past():
            if int(path.stem) > decisions:
                path.unlink()
        drop_rows_after(self.evaluations, "decisions", decisions)
        drop_rows_after(self.metrics, "time/total_timesteps", decisions)


def _append_rows(path: Path, columns: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        if new:
            writer.writeheader()
        writer.writerows(rows)


def _free_path(folder: Path, name: str) -> Path:
    path, number = folder / name, 1
    while path.exists():
        number += 1
        path = folder / f"{name}-{number}"
    return path


def code_version() -> dict[str, Any]:
    """Return what code runs: package, git commit when there is one, Python and libraries."""
    libraries = ("numpy", "numba", "torch", "stable_baselines3", "sb3_contrib", "gymnasium", "pettingzoo")
    return {
        "german_whist": metadata.version("german-whist"),
        "commit": _git_commit(),
        "python": platform.python_version(),
        "libraries": {name: metadata.version(name) for name in libraries},
    }


def _git_commit() -> str | None:
    folder = Path(__file__).resolve().parent
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip() or None
    except (OSError, subprocess.SubprocessError):
        return None
