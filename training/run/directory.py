"""A training run's folder: its settings, its records, its checkpoints, and the lock that lets one process train it."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from german_whist.envs.utils.files import check_writable, file_lock, naming, read_limited, write_atomically
from german_whist.training.config import TrainConfig
from german_whist.training.load_config import load_config
from german_whist.training.run.provenance import code_version

LOCK = ".lock"
EVALUATION_COLUMNS = ("decisions", "opponent", "deals", "win_rate", "low", "high", "margin", "seconds")
MAX_METRICS = 64 << 20  # bytes of metrics.csv: hundreds of thousands of updates
MAX_EVALUATIONS = 4 << 20  # bytes of evaluations.csv


class RunDirectory:
    """The files of one run.

    ``config.yaml`` (resolved settings), ``version.json`` (the code that ran), ``metrics.csv`` and ``tensorboard/``,
    ``evaluations.csv``, ``curve.png``, ``checkpoints/`` (by decisions), ``final.safetensors``,
    ``distilled.safetensors`` (of policy iteration), and the snapshot to resume from: ``resume.safetensors`` or, of
    ``trainer: sb3``, ``model.zip``.
    """

    def __init__(self, path: str | Path) -> None:
        """Name the folder, without creating it."""
        self.path = Path(path)
        self.overrides: tuple[str, ...] = ()  # settings that are changed as the run is resumed
        self._made: list[Path] = []  # folders created for a new run, outermost first
        self.config = self.path / "config.yaml"
        self.version = self.path / "version.json"
        self.metrics = self.path / "metrics.csv"
        self.tensorboard = self.path / "tensorboard"
        self.evaluations = self.path / "evaluations.csv"
        self.curve = self.path / "curve.png"
        self.checkpoints = self.path / "checkpoints"
        self.final = self.path / "final.safetensors"
        self.distilled = self.path / "distilled.safetensors"
        self.resume = self.path / "resume.safetensors"
        self.model = self.path / "model.zip"

    @classmethod
    def create(cls, name: str, out: str | Path | None = None) -> RunDirectory:
        """Create a new run's folder: ``out``, or the first of ``runs/NAME``, ``runs/NAME-2``, … that does not exist.

        It stays empty until the run begins, so that what fails before does not keep the next run from using it.

        Raises:
            ValueError: when ``out`` is not empty or cannot be created.
        """
        path = Path(out) if out is not None else _free_path(Path("runs"), name)
        run = cls(path)
        try:
            run._made = _make_folder(path, may_exist=out is not None)
        except OSError as error:
            if out is None and os.path.lexists(path):
                return cls.create(name)  # another run took it since
            raise ValueError(f"run directory {str(path)!r} cannot be made: {error.strerror}") from None
        return run

    @contextmanager
    def beginning(self) -> Iterator[None]:
        """Remove a new run again if it fails inside, before its first update.

        Disks that are full, connections that are lost and training that diverges leave a run that can be resumed.

        Raises:
            ValueError: when there is a run in the folder.
        """
        if self.config.exists():
            raise ValueError(f"run directory {str(self.path)!r} is not empty: choose another, or --resume it")
        try:
            yield
        except (OSError, FloatingPointError, KeyboardInterrupt):
            if not self.has_snapshot:
                self._discard()
            raise
        except BaseException:
            if read_text(self.metrics, MAX_METRICS).count("\n") < 2:
                self._discard()
            raise

    def begin(self, config: TrainConfig) -> None:
        """Write what a run begins with: its settings, and what code runs.

        Raises:
            ValueError: when the folder cannot be written.
        """
        try:
            self.checkpoints.mkdir(exist_ok=True)
            self.tensorboard.mkdir(exist_ok=True)
            write_atomically(self.version, json.dumps(code_version(), indent=2).encode())
            self.write_config(config)
        except OSError as error:
            raise ValueError(f"run directory {str(self.path)!r} cannot be written: {error.strerror}") from None

    def _discard(self) -> None:
        """Remove a run's files, and the folders created for it if they are empty."""
        for folder in (self.checkpoints, self.tensorboard):
            shutil.rmtree(folder, ignore_errors=True)
        for file in (*self._files, self.config, self.path / LOCK):
            file.unlink(missing_ok=True)
        _remove_empty(self._made)

    @property
    def _files(self) -> tuple[Path, ...]:
        records = (self.version, self.metrics, self.evaluations, self.curve)
        return (*records, self.final, self.distilled, self.resume, self.model)

    def write_config(self, config: TrainConfig) -> None:
        """Write the settings."""
        write_atomically(self.config, config.to_yaml().encode())

    @classmethod
    def open(cls, path: str | Path, overrides: Mapping[str, str] | None = None) -> tuple[RunDirectory, TrainConfig]:
        """Open a run to resume; one that was killed before its first snapshot starts afresh.

        Args:
            path: the run's folder.
            overrides: new values of some settings, as YAML text. They are recorded when the run is resumed.

        Raises:
            ValueError: when it is no run directory, a file of it is a pipe, its settings are of an older version,
                its snapshot is gone, or nothing can be written to ``tensorboard/``.
        """
        run = cls(path)
        if not run.config.is_file():
            raise ValueError(f"{str(path)!r} is not a run directory: it has no config.yaml")
        if not run.has_snapshot and any(int(saved.stem) for saved in run.checkpoint_paths()):
            raise ValueError(f"run directory {str(path)!r} has checkpoints, but no resume.safetensors to resume from")
        for file in run._files:
            if file.exists() and not file.is_file():  # a pipe would wait for its other end
                raise ValueError(f"{str(file)!r} is not a file")
        if run.tensorboard.exists():
            check_writable(run.tensorboard)  # its writer is a thread, whose errors would be printed as they are
        run.overrides = tuple(overrides or ())
        return run, load_config(run.config, overrides)

    @property
    def has_snapshot(self) -> bool:
        """Whether the run can be resumed: a snapshot has been written."""
        return self.resume.is_file() or self.model.is_file()

    def checkpoint_paths(self, most: float = math.inf) -> list[Path]:
        """Return the paths of the checkpoints of at most so many decisions, oldest first."""
        found = {int(path.stem) for path in self.checkpoints.glob("*.safetensors") if path.stem.isdecimal()}
        paths = [self.checkpoint_path(decisions) for decisions in sorted(found) if decisions <= most]
        return [path for path in paths if os.path.lexists(path)]  # 7.safetensors is none: its name is too short

    def checkpoint_path(self, decisions: int) -> Path:
        """Return the path of the checkpoint after this many decisions."""
        return self.checkpoints / f"{decisions:012d}.safetensors"

    def add_evaluations(self, rows: list[dict[str, Any]]) -> None:
        """Add results to ``evaluations.csv``, replacing earlier ones after the same number of decisions."""
        again = {str(row["decisions"]) for row in rows}
        kept = [row for row in self._evaluation_rows() if row["decisions"] not in again]
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, EVALUATION_COLUMNS)
        writer.writeheader()
        writer.writerows([*kept, *rows])
        write_atomically(self.evaluations, text.getvalue().encode())

    def _evaluation_rows(self) -> list[dict[str, str]]:
        return self._parsed(read_text(self.evaluations, MAX_EVALUATIONS))

    def _parsed(self, text: str) -> list[dict[str, str]]:
        try:
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
            for number, row in enumerate(rows, 2):
                for column in EVALUATION_COLUMNS:
                    if not row.get(column):
                        raise ValueError(f"line {number} has no {column}")
                numbers = [text for key, text in row.items() if key != "opponent" and text]
                if None in row or not all(math.isfinite(float(text)) for text in numbers):
                    raise ValueError(f"line {number} is not one of {', '.join(EVALUATION_COLUMNS)}")
        except (ValueError, csv.Error) as error:
            raise ValueError(f"{str(self.evaluations)!r} cannot be read: {error!s:.200}") from None
        return rows

    def read_evaluations(self) -> list[dict[str, Any]]:
        """Return the evaluation results so far, numbers as float.

        Raises:
            ValueError: when a line lacks a column or holds something else than numbers.
        """
        return [
            {key: text if key == "opponent" else float(text) for key, text in row.items()}
            for row in self._evaluation_rows()
        ]

    def drop_records_after(self, decisions: int) -> None:
        """Drop what a killed run recorded after ``decisions``, and its half-written files.

        Raises:
            ValueError: when the records cannot be read; then no file has changed.
        """
        check_rows(self.metrics)
        evaluations = read_text(self.evaluations, MAX_EVALUATIONS)
        evaluations = kept_rows(self.evaluations, evaluations, "decisions", lambda number: number <= decisions)
        self._parsed(evaluations)
        dropped = [path for folder in (self.path, self.checkpoints) for path in folder.glob(".*.tmp")]
        dropped += [path for path in self.checkpoint_paths() if int(path.stem) > decisions]
        for path in dropped:
            if path.is_dir():
                raise ValueError(f"{str(path)!r} is a folder, not a file of the run")
        for path in dropped:
            path.unlink()
        if self.evaluations.exists():
            write_atomically(self.evaluations, evaluations.encode())
        keep_rows(self.metrics, "decisions", lambda number: number <= decisions)


def _make_folder(path: Path, may_exist: bool) -> list[Path]:
    """Create a folder for a new run, or take an empty one; return the folders created, outermost first."""
    if may_exist and path.is_dir() and any(path.iterdir()):
        raise ValueError(f"run directory {str(path)!r} is not empty: choose another, or --resume it")
    missing = [folder for folder in (*reversed(path.parents), path) if not folder.exists()]
    try:
        # Of two runs that start at once, only one gets a new folder.
        path.mkdir(parents=True, exist_ok=may_exist and path not in missing)
    except OSError:
        _remove_empty(missing[:-1])
        raise
    return missing


def _remove_empty(folders: list[Path]) -> None:
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _free_path(folder: Path, name: str) -> Path:
    path, number = folder / name, 1
    while os.path.lexists(path):
        number += 1
        path = folder / f"{name}-{number}"
    return path


@contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Hold a run's lock. It ends with the process, however that ends.

    Raises:
        ValueError: when another process, or this one, trains the run already.
    """
    path = folder / LOCK
    with ExitStack() as stack:
        try:
            stack.enter_context(file_lock(path))
        except TimeoutError:
            raise ValueError(f"run directory {str(folder)!r} is in use: another process trains this run") from None
        try:
            yield
        finally:
            path.unlink(missing_ok=True)  # while it is held, so that no one else can hold it


def start_rows(path: Path, columns: Sequence[str]) -> None:
    """Begin a CSV file with the names of its columns, if there is none.

    Raises:
        OSError: when it cannot be written; the error names it.
    """
    if not path.exists():
        text = io.StringIO(newline="")
        csv.writer(text).writerow(columns)
        write_atomically(path, text.getvalue().encode())


def append_row(path: Path, row: Sequence[Any]) -> None:
    """Append a row to a CSV file.

    Raises:
        OSError: when it cannot be written; the error names it.
    """
    with naming(path), path.open("a", newline="", encoding="utf-8") as file:
        csv.writer(file).writerow(row)


def read_text(path: Path, most: int) -> str:
    """Return the text of a CSV file; none if there is no file.

    Raises:
        ValueError: when it is not a file, has more than ``most`` bytes, or is not text.
    """
    try:
        return read_limited(path, most).decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise ValueError(f"{str(path)!r} cannot be read: {error!s:.200}") from None


def _rows(path: Path, text: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""))
    except csv.Error as error:
        raise ValueError(f"{str(path)!r} cannot be read: {error!s:.200}") from None


def check_rows(path: Path) -> None:
    """Read a CSV file, if there is one, and forget it.

    Raises:
        ValueError: when it is not CSV, or too large.
    """
    for _ in _rows(path, read_text(path, MAX_METRICS)):
        pass


def kept_rows(path: Path, text: str, column: str, wanted: Callable[[float], bool]) -> str:
    """Return the text of a CSV file with only the complete rows whose number in ``column`` is wanted.

    Without such a column the text stays as it is.

    Raises:
        ValueError: when it is not CSV; the message names ``path``.
    """
    rows = _rows(path, text)
    header = next(rows, [])
    if column not in header:
        return text
    at = header.index(column)
    kept = io.StringIO(newline="")
    writer = csv.writer(kept)
    writer.writerow(header)
    writer.writerows(row for row in rows if len(row) == len(header) and _passes(row[at], wanted))
    return kept.getvalue()


def keep_rows(path: Path, column: str, wanted: Callable[[float], bool]) -> None:
    """Rewrite a CSV file with :func:`kept_rows`; a missing file is left alone.

    Raises:
        ValueError: when it is not CSV, or too large.
    """
    text = read_text(path, MAX_METRICS)
    kept = kept_rows(path, text, column, wanted)
    if kept != text:
        write_atomically(path, kept.encode())


def _passes(cell: str, wanted: Callable[[float], bool]) -> bool:
    try:
        return wanted(float(cell))
    except ValueError:
        return False
