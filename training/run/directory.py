"""A run's folder: its files, the lock, and the rows of metrics and evaluations."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from german_whist.game.utils.files import file_lock, write_atomically
from german_whist.training.config import TrainConfig

EVALUATION_COLUMNS = ("decisions", "opponent", "deals", "win_rate", "low", "high", "margin", "seconds")
METRIC_COLUMNS = ("decisions", "charts/seconds")  # every trainer's rows have them
_LOCK = ".lock"


class RunDirectory:
    """The files of one run.

    ``config.yaml`` (resolved settings), ``metrics.csv`` and ``tensorboard/``, ``evaluations.csv``, ``curve.png``,
    ``checkpoints/`` (named by decisions), ``final.safetensors``, ``distilled.safetensors`` (policy iteration only), and
    the snapshot to resume from: ``snapshot.safetensors``, or ``model.zip`` with ``trainer: sb3``.
    """

    def __init__(self, path: str | Path) -> None:
        """Set the folder's path without creating it."""
        self.given = Path(path)  # what people are shown
        self.path = self.given.absolute()  # a callback or a notebook may change the working folder
        self.config = self.path / "config.yaml"
        self.metrics = self.path / "metrics.csv"
        self.tensorboard = self.path / "tensorboard"
        self.evaluations = self.path / "evaluations.csv"
        self.curve = self.path / "curve.png"
        self.checkpoints = self.path / "checkpoints"
        self.final = self.path / "final.safetensors"
        self.distilled = self.path / "distilled.safetensors"
        self.snapshot = self.path / "snapshot.safetensors"
        self.model = self.path / "model.zip"

    @classmethod
    def create(cls, name: str, out: str | Path | None = None) -> RunDirectory:
        """Create a new run's folder: ``out``, or the first of ``runs/NAME``, ``runs/NAME-2``, … that does not exist.

        Raises:
            ValueError: if ``out`` is not empty.
        """
        if out is not None:
            path = Path(out)
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                raise ValueError(f"run directory {str(out)!r} is not empty: choose another, or resume it")
            return cls(path)
        for number in itertools.count(1):
            path = Path("runs") / (name if number == 1 else f"{name}-{number}")
            with contextlib.suppress(FileExistsError):
                path.mkdir(parents=True)
                break
        return cls(path)

    @classmethod
    def open(cls, path: str | Path) -> RunDirectory:
        """Open a run to resume. A run that was killed before its first snapshot starts from scratch.

        Raises:
            ValueError: if the folder holds no run of this version.
        """
        run = cls(path)
        run.check_exists()
        if not run.has_snapshot and any(int(saved.stem) for saved in run.checkpoint_paths()):
            raise ValueError(f"run {str(path)!r} is of another version: start a new one from a checkpoint of it (init)")
        return run

    def check_exists(self) -> None:
        """Refuse a folder that holds no run.

        Raises:
            ValueError: if it has no settings.
        """
        if not self.config.is_file():
            raise ValueError(f"{str(self.given)!r} is not a run directory: it has no config.yaml")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the run's lock, which the operating system releases even if the process is killed.

        Of a run that has not begun, nothing stays.

        Raises:
            ValueError: if another process, or this one, is training the run.
        """
        path = self.path / _LOCK
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(file_lock(path))
            except TimeoutError:
                raise ValueError(f"run {str(self.path)!r} is in use: another process trains it") from None
            try:
                yield
            finally:
                path.unlink(missing_ok=True)  # while the lock is held: nobody else can hold it yet
                if not any(self.path.iterdir()):
                    self.path.rmdir()

    def begin(self, config: TrainConfig) -> None:
        """Write the settings, with which a run begins or goes on, and a copy of a trainer of the user's own."""
        self.checkpoints.mkdir(exist_ok=True)
        if code := config.trainer_file:
            copy = self.path / code.name
            if code.resolve() != copy.resolve():
                write_atomically(copy, code.read_bytes())
            config = config.replace(trainer=config.trainer.replace(str(code), code.name))
        write_atomically(self.config, config.to_yaml().encode())

    @property
    def has_snapshot(self) -> bool:
        """Whether a snapshot has been written, so that the run can be resumed."""
        return self.snapshot.is_file() or self.model.is_file()

    def checkpoint_paths(self) -> list[Path]:
        """Return the paths of the checkpoints, oldest first."""
        return sorted(self.checkpoints.glob(f"{'[0-9]' * 12}.safetensors"))

    def checkpoint_path(self, decisions: int) -> Path:
        """Return the path of the checkpoint after this many decisions."""
        return self.checkpoints / f"{decisions:012d}.safetensors"

    def add_evaluations(self, rows: list[dict[str, Any]]) -> None:
        """Add results to ``evaluations.csv``, replacing those of the same decisions and opponent."""
        again = {(row["decisions"], row["opponent"]) for row in rows}
        kept = [row for row in self.read_evaluations() if (row["decisions"], row["opponent"]) not in again]
        write_rows(self.evaluations, EVALUATION_COLUMNS, [*kept, *rows])

    def read_evaluations(self) -> list[dict[str, Any]]:
        """Return the rows of ``evaluations.csv``: numbers as floats, decisions and deals as integers."""
        rows = _read_rows(self.evaluations, EVALUATION_COLUMNS)
        return [{column: _value(column, text) for column, text in row.items()} for row in rows]

    def read_metrics(self) -> list[dict[str, str]]:
        """Return the rows of ``metrics.csv`` by column."""
        return _read_rows(self.metrics, METRIC_COLUMNS)

    def drop_records_after(self, decisions: int) -> None:
        """Remove a killed run's rows after ``decisions``, half-written files, and logs in which no row can be read."""
        for folder in (self.path, self.checkpoints):
            for path in folder.glob(".*.tmp"):
                path.unlink()
        for path in self.checkpoint_paths():
            if int(path.stem) > decisions:
                path.unlink()
        for path, columns in ((self.metrics, METRIC_COLUMNS), (self.evaluations, EVALUATION_COLUMNS)):
            rows = [row for row in _read_rows(path, columns) if int(row["decisions"]) <= decisions]
            if rows:
                write_rows(path, list(rows[0]), rows)
            else:
                path.unlink(missing_ok=True)


def _read_rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """Return the rows of a CSV file by column, without those that a kill or a crash has left incomplete.

    Args:
        path: the file, which may be missing.
        columns: columns that every row must have.
    """
    rows: list[dict[str, str]] = []
    if path.exists():
        with path.open(newline="", encoding="utf-8", errors="replace") as file, contextlib.suppress(csv.Error):
            rows += (row for row in csv.DictReader(file) if _is_complete(row, columns))
    return rows


def _is_complete(row: Mapping[str, str], columns: Sequence[str]) -> bool:
    if not set(columns) <= row.keys():
        return False
    try:
        for column, text in row.items():
            _value(column, text)
    except (TypeError, ValueError):  # a cell is missing or too many, or holds no number
        return False
    return True


def _value(column: str, text: str) -> Any:
    """Return the value of a cell: a name, an integer or a float."""
    if column == "opponent":
        return text
    return int(text) if column in ("decisions", "deals") else float(text)


def write_rows(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a CSV file beside the previous one, and rename it."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(path, text.getvalue().encode())
