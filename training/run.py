"""A training run on disk: its folder, its lock and the snapshot to resume from; and requests to stop the run."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import math
import os
import platform
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from german_whist.envs.utils.files import file_lock, naming, read_limited, write_atomically
from german_whist.training.config import TrainConfig
from german_whist.training.load_config import COMMAND_LINE, load_config

LOCK = ".lock"
EVALUATION_COLUMNS = ("decisions", "opponent", "deals", "win_rate", "low", "high", "margin", "seconds")
MAX_METRICS = 64 << 20  # bytes of metrics.csv: hundreds of thousands of updates
MAX_EVALUATIONS = 4 << 20  # bytes of evaluations.csv
FIXED = ("trainer", "rules", "games", "init", "inputs")  # settings that cannot change within a run


class RunDirectory:
    """The files of one run.

    ``config.yaml`` (resolved settings), ``metrics.csv`` and ``tensorboard/``, ``evaluations.csv``, ``curve.png``,
    ``checkpoints/`` (named by decisions), ``final.safetensors``, ``distilled.safetensors`` (policy iteration only), and
    the snapshot to resume from: ``snapshot/``, or ``model.zip`` with ``trainer: sb3``.
    """

    def __init__(self, path: str | Path) -> None:
        """Set the folder's path without creating it."""
        self.path = Path(path)
        self.overrides: tuple[str, ...] = ()  # names of settings that are changed on resuming
        self._made: list[Path] = []  # folders created for a new run, innermost first
        self.config = self.path / "config.yaml"
        self.metrics = self.path / "metrics.csv"
        self.tensorboard = self.path / "tensorboard"
        self.evaluations = self.path / "evaluations.csv"
        self.curve = self.path / "curve.png"
        self.checkpoints = self.path / "checkpoints"
        self.final = self.path / "final.safetensors"
        self.distilled = self.path / "distilled.safetensors"
        self.snapshot = self.path / "snapshot"
        self.model = self.path / "model.zip"

    @classmethod
    def create(cls, name: str, out: str | Path | None = None, runs: Path = Path("runs")) -> RunDirectory:
        """Create a new run's folder: ``out``, or the first of ``runs/NAME``, ``runs/NAME-2``, … that does not exist.

        The folder stays empty until the run begins, so a failure before that does not block the next run.

        Raises:
            ValueError: if ``out`` is not empty or cannot be created.
        """
        path = Path(out) if out is not None else _free_path(runs, name)
        run = cls(path)
        run._made = [folder for folder in (path, *path.parents) if not folder.exists()]
        try:
            path.mkdir(parents=True, exist_ok=out is not None)
        except OSError as error:
            if out is None and os.path.lexists(path):
                return cls.create(name, None, runs)  # another run took it since
            run._remove_folders()
            raise ValueError(f"run directory {str(path)!r} cannot be created: {error.strerror}") from None
        if any(path.iterdir()):
            raise ValueError(run._not_empty)
        return run

    @property
    def _not_empty(self) -> str:
        return f"run directory {str(self.path)!r} is not empty: choose another, or resume it"

    @contextmanager
    def beginning(self) -> Iterator[None]:
        """Remove a new run if the block fails before the first update.

        A full disk, a lost connection or divergence leaves a run that has a snapshot in place, to be resumed.

        Raises:
            ValueError: if the folder already holds a run.
        """
        if self.config.exists():
            raise ValueError(self._not_empty)
        try:
            yield
        except BaseException as error:
            stays = isinstance(error, (OSError, FloatingPointError, KeyboardInterrupt)) and self.has_snapshot
            if not stays and len(_read_rows(self.metrics, MAX_METRICS)) < 2:
                self._discard()
            raise

    def begin(self, config: TrainConfig) -> None:
        """Write the settings, with which a run begins.

        Raises:
            ValueError: if the folder cannot be written.
        """
        try:
            self.checkpoints.mkdir(exist_ok=True)
            self.write_config(config)
        except OSError as error:
            raise ValueError(f"run directory {str(self.path)!r} cannot be written: {error.strerror}") from None

    def write_config(self, config: TrainConfig) -> None:
        """Write ``config.yaml``."""
        write_atomically(self.config, config.to_yaml().encode())

    def _discard(self) -> None:
        """Remove the run's files, and those folders created for it that are then empty."""
        for folder in (self.checkpoints, self.tensorboard, self.snapshot):
            shutil.rmtree(folder, ignore_errors=True)
        files = (self.config, self.metrics, self.evaluations, self.curve, self.final, self.distilled, self.model)
        for file in (*files, self.path / LOCK):
            file.unlink(missing_ok=True)
        self._remove_folders()

    def _remove_folders(self) -> None:
        for folder in self._made:
            with contextlib.suppress(OSError):
                folder.rmdir()

    @classmethod
    def open(
        cls, path: str | Path, overrides: Mapping[str, Any] | None = None, given_by: str = COMMAND_LINE
    ) -> tuple[RunDirectory, TrainConfig]:
        """Open a run to resume. A run that was killed before its first snapshot starts from scratch.

        Args:
            path: the run's folder.
            overrides: new values of some settings, as for ``load_config``; recorded when the run is resumed.
            given_by: name of the overrides' source in error messages.

        Raises:
            ValueError: if the folder holds no run, its settings are those of an older version, an override changes a
                setting that is fixed within a run, or the snapshot is gone.
        """
        run = cls(path)
        if not run.config.is_file():
            raise ValueError(f"{str(path)!r} is not a run directory: it has no config.yaml")
        if not run.has_snapshot and any(int(saved.stem) for saved in run.checkpoint_paths()):
            raise ValueError(
                f"run directory {str(path)!r} has checkpoints, but no snapshot of this version to resume from: "
                "start a new run from one of them (init)"
            )
        config = load_config(run.config, overrides, given_by)
        # The other overrides apply here, too: agents that run code are accepted only from overrides.
        others = {key: value for key, value in (overrides or {}).items() if key not in FIXED}
        before = load_config(run.config, others, given_by).to_dict()
        for key in FIXED:
            now = config.to_dict().get(key)
            if now != before.get(key):
                difference = f"{key} is {now}, and the run was trained with {before.get(key)}"
                raise ValueError(f"{str(path)!r} cannot be resumed: {difference}; {key} cannot change within a run")
        run.overrides = tuple(overrides or ())
        return run, config

    @property
    def has_snapshot(self) -> bool:
        """Whether a snapshot has been written, so that the run can be resumed."""
        return any(self.snapshot.glob("*.json")) or self.model.is_file()

    def checkpoint_paths(self, most: float = math.inf) -> list[Path]:
        """Return the paths of the checkpoints after at most ``most`` decisions, oldest first."""
        paths = sorted(self.checkpoints.glob(f"{'[0-9]' * 12}.safetensors"))
        return [path for path in paths if int(path.stem) <= most]

    def checkpoint_path(self, decisions: int) -> Path:
        """Return the path of the checkpoint after this many decisions."""
        return self.checkpoints / f"{decisions:012d}.safetensors"

    def add_evaluations(self, rows: list[dict[str, Any]]) -> None:
        """Add results to ``evaluations.csv``, replacing earlier ones for the same number of decisions."""
        again = {str(row["decisions"]) for row in rows}
        kept = [row for row in _read_rows(self.evaluations, MAX_EVALUATIONS)[1:] if row[0] not in again]
        added = [[row[column] for column in EVALUATION_COLUMNS] for row in rows]
        write_rows(self.evaluations, [EVALUATION_COLUMNS, *kept, *added])

    def read_evaluations(self) -> list[dict[str, Any]]:
        """Return the rows of ``evaluations.csv``, with numbers as floats.

        Raises:
            ValueError: if the file cannot be read or a cell is not a number.
        """
        return _evaluations(self.evaluations, _read_rows(self.evaluations, MAX_EVALUATIONS))

    def drop_records_after(self, decisions: int) -> None:
        """Remove everything that a killed run recorded after ``decisions``, and its half-written files.

        Raises:
            ValueError: if the records cannot be read; then no file has changed.
        """
        metrics = _rows_until(_read_rows(self.metrics, MAX_METRICS), decisions)
        evaluations = _rows_until(_read_rows(self.evaluations, MAX_EVALUATIONS), decisions)
        _evaluations(self.evaluations, evaluations)
        for folder in (self.path, self.checkpoints, self.snapshot):
            for path in folder.glob(".*.tmp"):
                path.unlink()
        for path in self.checkpoint_paths():
            if int(path.stem) > decisions:
                path.unlink()
        for path, rows in ((self.metrics, metrics), (self.evaluations, evaluations)):
            if rows:
                write_rows(path, rows)


def _free_path(folder: Path, name: str) -> Path:
    path, number = folder / name, 1
    while os.path.lexists(path):
        number += 1
        path = folder / f"{name}-{number}"
    return path


@contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Hold a run's lock, which the operating system releases even if the process is killed.

    Raises:
        ValueError: if another process, or this one, is training the run.
    """
    path = folder / LOCK
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(file_lock(path))
        except TimeoutError:
            raise ValueError(f"run directory {str(folder)!r} is in use: another process trains this run") from None
        try:
            yield
        finally:
            path.unlink(missing_ok=True)  # while the lock is held: nobody else can hold it yet


def _read_rows(path: Path, most: int) -> list[list[str]]:
    """Return the rows of a CSV file, header first; no rows if the file does not exist.

    Raises:
        ValueError: if it is not a regular file, has more than ``most`` bytes, or is not CSV.
    """
    try:
        text = read_limited(path, most).decode()
        return [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    except FileNotFoundError:
        return []
    except (UnicodeDecodeError, csv.Error) as error:
        raise _unreadable(path, str(error)) from None


def write_rows(path: Path, rows: Sequence[Sequence[Any]]) -> None:
    """Write a CSV file.

    Raises:
        OSError: if it cannot be written; the error names it.
    """
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    write_atomically(path, text.getvalue().encode())


def append_row(path: Path, row: Sequence[Any]) -> None:
    """Append a row to a CSV file.

    Raises:
        OSError: if it cannot be written; the error names it.
    """
    with naming(path), path.open("a", newline="", encoding="utf-8") as file:
        csv.writer(file).writerow(row)


def _rows_until(rows: list[list[str]], decisions: int) -> list[list[str]]:
    """Return the header, and those complete rows whose first column, the decisions, is at most ``decisions``."""
    return [row for row in rows if row == rows[0] or (len(row) == len(rows[0]) and _number(row[0]) <= decisions)]


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.inf


def _evaluations(path: Path, rows: list[list[str]]) -> list[dict[str, Any]]:
    """Return rows of ``evaluations.csv`` as dictionaries, with numbers as floats.

    Raises:
        ValueError: if a row does not have this form.
    """
    if rows and tuple(rows[0]) != EVALUATION_COLUMNS:
        raise _unreadable(path, f"its columns are not {', '.join(EVALUATION_COLUMNS)}")
    found: list[dict[str, Any]] = []
    for number, row in enumerate(rows[1:], 2):
        cells = dict(zip(EVALUATION_COLUMNS, row, strict=False))
        numbers = {column: _number(cell) for column, cell in cells.items() if column != "opponent"}
        if len(row) != len(EVALUATION_COLUMNS) or not all(map(math.isfinite, numbers.values())):
            raise _unreadable(path, f"line {number} is {','.join(row)!r:.100}")
        found.append({**cells, **numbers})
    return found


def last_metrics(run: RunDirectory) -> dict[str, float]:
    """Return the last row of ``metrics.csv`` by column; empty if there is none."""
    header, *rows = _read_rows(run.metrics, MAX_METRICS) or [[]]
    return dict(zip(header, map(_number, rows[-1]), strict=False)) if rows else {}


def _unreadable(path: Path, reason: str) -> ValueError:
    return ValueError(f"{str(path)!r} cannot be read: {reason:.200}")


# A snapshot is a safetensors file in parts, which `cat` would join, and a JSON index. The index is written last, so a
# snapshot that was not finished has none and is ignored. Parts are named by their digest, so they replace no others.
SNAPSHOT_FORMAT = "german-whist-snapshot-3"
PART_SIZE = 16_000_000  # bytes
MAX_PARTS = 1024


def write_snapshot(folder: Path, about: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
    """Write a snapshot, and remove the previous one.

    Args:
        folder: the folder of the run's snapshot.
        about: values for the JSON index; the files are named after ``"decisions"``.
        tensors: tensors by name.

    Raises:
        OSError: if it cannot be written; the previous snapshot stays as it was.
    """
    folder.mkdir(exist_ok=True)
    content = save({name: tensor.contiguous() for name, tensor in tensors.items()})
    starts = range(0, len(content), PART_SIZE)
    index = {"format": SNAPSHOT_FORMAT, "parts": len(starts), **about}
    index["sha256"] = _digest(index, content)
    path = folder / f"{about['decisions']:012d}.json"
    parts = _parts(path, index)
    for part, start in zip(parts, starts, strict=True):
        write_atomically(part, content[start : start + PART_SIZE])
    write_atomically(path, json.dumps(index, indent=1).encode())
    for other in {*folder.iterdir()} - {path, *parts}:
        other.unlink()


def _parts(path: Path, index: Mapping[str, Any]) -> list[Path]:
    """Return the files of a snapshot's parts from the path of its index and the index."""
    count = min(int(index["parts"]), MAX_PARTS)
    return [path.with_name(f"{path.stem}-{index['sha256'][:8]}-{number}.part") for number in range(count)]


def read_snapshot(folder: Path) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """Return the ``about`` and the tensors of the newest snapshot.

    Raises:
        ValueError: if it is damaged or of another version; the message is one line.
    """
    path = max(folder.glob("*.json"))
    try:
        about = json.loads(read_limited(path, PART_SIZE))
        if not isinstance(about, dict) or about.get("format") != SNAPSHOT_FORMAT:
            raise ValueError(f"it is not a {SNAPSHOT_FORMAT} file")
        content = b"".join(read_limited(part, PART_SIZE) for part in _parts(path, about))
        if about.pop("sha256") != _digest(about, content):
            raise ValueError("it is damaged: its checksum is wrong")
        del about["format"], about["parts"]
        return about, load(content)
    except UNREADABLE as error:
        raise cannot_resume(path, error) from None


UNREADABLE = (SafetensorError, OSError, RuntimeError, ValueError, KeyError, TypeError)


def _digest(about: Mapping[str, Any], content: bytes) -> str:
    return hashlib.sha256(json.dumps(about).encode() + content).hexdigest()


def cannot_resume(path: Path, error: Exception) -> ValueError:
    """Return a one-line error that says why a run cannot be resumed."""
    reason = f"it has no {error.args[0]}" if isinstance(error, KeyError) else str(error).splitlines()[0]
    return ValueError(f"{str(path)!r} cannot be resumed: {reason}")


def tensor_of_shape(tensors: Mapping[str, torch.Tensor], name: str, shape: torch.Size) -> torch.Tensor:
    """Return a tensor of a snapshot by name.

    Raises:
        KeyError: if it is missing.
        ValueError: if it has another shape.
    """
    tensor = tensors[name]
    if tensor.shape != shape:
        raise ValueError(f"{name} has shape {list(tensor.shape)}, the network of config.yaml needs {list(shape)}")
    return tensor


def changes_of_settings(
    before: Mapping[str, Any], config: TrainConfig, intended: Collection[str], decisions: int
) -> list[dict[str, Any]]:
    """Return the changes of a run's settings since its snapshot: ``decisions``, ``key``, ``before``, ``after``.

    Args:
        before: the settings that the run was trained with, by name.
        config: the settings to continue with.
        intended: names of the settings that may differ.
        decisions: decisions trained on so far.

    Raises:
        ValueError: if another setting differs, or the new length of the run is less than what it has trained on.
    """
    settings = config.to_dict()
    if settings.keys() != before.keys():
        raise ValueError("its settings are those of another version")
    changed = [key for key, value in settings.items() if json.dumps(value) != json.dumps(before[key])]
    for key in changed:
        difference = f"{key} is {settings[key]}, and the run was trained with {before[key]}"
        if key not in intended:
            raise ValueError(f"{difference}: if the change is intended, use --resume RUN --{key} VALUE")
        if key == "decisions" and settings[key] < decisions:
            raise ValueError(f"{difference}: it has already trained on {decisions} decisions")
    return [{"decisions": decisions, "key": key, "before": before[key], "after": settings[key]} for key in changed]


class Stopped(Exception):  # noqa: N818 - no error
    """Raised to abandon a rollout or an evaluation after a stop request."""


class StopRequest:
    """A request to stop a run, made by a signal and checked between steps.

    Attributes:
        is_made: whether the run has been asked to stop.
    """

    def __init__(self) -> None:
        """Start without a request."""
        self.is_made = False

    def check(self, *_: object) -> None:
        """Raise ``Stopped`` if the request has been made; ignores arguments, so that it can serve as a callback.

        Raises:
            Stopped: if the run has been asked to stop.
        """
        if self.is_made:
            raise Stopped


@contextmanager
def stop_signals(stop: StopRequest, say: Callable[[str], None]) -> Iterator[None]:
    """Turn SIGINT and SIGTERM into stop requests; a second SIGINT interrupts at once, as usual.

    Only the main thread can set signal handlers; in any other this does nothing.

    Args:
        stop: the request to make.
        say: prints a line after the first signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.getsignal(signal.SIGINT)
    if previous in (signal.SIG_IGN, None):  # as for a background job of a script
        previous = signal.default_int_handler
    # Printed by another thread, because the interrupted one may hold the console's lock.
    answer = threading.Thread(target=say, args=("saving, then stopping; Ctrl-C again to stop at once",), daemon=True)

    def ask(number: int, frame: Any) -> None:
        signal.signal(signal.SIGINT, previous)
        if not stop.is_made:
            stop.is_made = True
            answer.start()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if answer.ident is not None:
            answer.join(5.0)


_LIBRARIES = ("numpy", "numba", "torch", "stable_baselines3", "sb3_contrib", "gymnasium", "pettingzoo")
_IN_CHECKOUT = "training/run.py"  # the path of this file in the project's own repository


@lru_cache
def code_version() -> dict[str, Any]:
    """Return the versions of the package, Python and libraries, for model cards.

    If the package runs from its own checkout, ``commit`` is the git commit and ``modified`` says whether the working
    tree differs from it. For an installed package both are ``None``, even if a repository surrounds ``site-packages``.
    """
    commit, modified = _checkout(Path(__file__).resolve())
    return {
        "german_whist": _version("german-whist"),
        "commit": commit,
        "modified": modified,
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in _LIBRARIES},
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # run from its sources
        return None


def _checkout(file: Path) -> tuple[str | None, bool | None]:
    """Return the commit, and whether the tree is modified, if a file is in a checkout of this project."""
    try:
        if _git(file.parent, "ls-files", "--full-name", "--", file.name) != _IN_CHECKOUT:
            return None, None
        root = _git(file.parent, "rev-parse", "--show-toplevel")
        commit = _git(file.parent, "rev-parse", "--short=12", "HEAD")
        return commit, bool(_git(Path(root), "status", "--porcelain", "--", "*.py", "configs"))
    except (OSError, subprocess.SubprocessError):
        return None, None


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
