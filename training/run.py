"""A training run on disk and in the terminal: folder, snapshot to resume from, metrics, evaluations and progress."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import hashlib
import io
import itertools
import json
import platform
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from german_whist.agents.base import Agent
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.registry import make_agent
from german_whist.evaluation.match import MatchResult, game_title, play_match, results_table
from german_whist.evaluation.plots import draw_curve
from german_whist.evaluation.report import Report, Table
from german_whist.game.rules import rules
from german_whist.game.utils.files import file_lock, write_atomically
from german_whist.game.utils.names import parse_yaml
from german_whist.simulator.text.words import percent_text
from german_whist.training.config import TrainConfig, load_config

Callback = Callable[[int, dict[str, float]], None]  # called with the decisions so far and numbers by name

EVALUATION_SEED = 1_000_003  # so that `german-whist evaluate` plays other deals
EVALUATION_COLUMNS = ("decisions", "opponent", "deals", "win_rate", "low", "high", "margin", "seconds")
METRIC_COLUMNS = ("decisions", "charts/seconds")  # which the rows of every trainer have
SNAPSHOT_FORMAT = "german-whist-snapshot-4"
# Settings that cannot change within a run.
FIXED = (
    *("trainer", "rules", "games", "opponents", "init", "inputs", "hidden", "suit_layers", "value_hidden"),
    *("num_envs", "processes"),
)
_LOCK = ".lock"
_PLAIN_EVERY = 10.0  # seconds between lines of progress without a terminal
_MAX_NAMES = 5  # opponents to name; if there are more, show their number and the mean of their win rates


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
    def open(cls, path: str | Path, settings: Mapping[str, Any] | None = None) -> tuple[RunDirectory, TrainConfig]:
        """Open a run to resume. A run that was killed before its first snapshot starts from scratch.

        Args:
            path: the run's folder.
            settings: new values of some settings, as for ``load_config``.

        Raises:
            ValueError: if the folder holds no run of this version, or a setting cannot change within a run.
        """
        run = cls(path)
        run.check_exists()
        if not run.has_snapshot and any(int(saved.stem) for saved in run.checkpoint_paths()):
            raise ValueError(f"run {str(path)!r} is of another version: start a new one from a checkpoint of it (init)")
        before = parse_yaml(run.config.read_bytes(), run.config)
        if not before:
            raise ValueError(f"{run.config} is damaged: it is empty")
        config = load_config(run.config, settings)
        now = config.model_dump()
        for key in FIXED:
            if now.get(key) != before.get(key):
                raise ValueError(f"{key} cannot change within a run: it is {before.get(key)!r}, got {now.get(key)!r}")
        return run, config

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
        """Write the settings, with which a run begins."""
        self.checkpoints.mkdir(exist_ok=True)
        self.write_config(config)

    def write_config(self, config: TrainConfig) -> None:
        """Write ``config.yaml``."""
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
        _write_rows(self.evaluations, EVALUATION_COLUMNS, [*kept, *rows])

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
                _write_rows(path, list(rows[0]), rows)
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


def _write_rows(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(path, text.getvalue().encode())


def write_snapshot(path: Path, about: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
    """Write a snapshot beside the previous one, and rename it.

    Args:
        path: the file.
        about: values for its JSON metadata.
        tensors: tensors by name.
    """
    content = {name: tensor.contiguous() for name, tensor in tensors.items()}
    described = {"format": SNAPSHOT_FORMAT, "about": json.dumps(about)}
    described["sha256"] = _digest(described["about"], content)
    write_atomically(path, save(content, described))


def read_snapshot(path: Path) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """Return the ``about`` and the tensors of a snapshot.

    Raises:
        ValueError: if it is damaged or of another version.
    """
    try:
        with safe_open(path, "pt") as file:
            described = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no dictionary
    except SafetensorError as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    if described.get("format") != SNAPSHOT_FORMAT:
        raise ValueError(f"{path} is of another version, {described.get('format')}: start a new run (init)")
    if described.get("sha256") != _digest(described.get("about", ""), tensors):
        raise ValueError(f"{path} is damaged: its checksum is wrong")
    about: dict[str, Any] = json.loads(described["about"])
    return about, tensors


def _digest(about: str, tensors: Mapping[str, torch.Tensor]) -> str:
    digest = hashlib.sha256(about.encode())
    for name in sorted(tensors):
        digest.update(name.encode() + tensors[name].numpy().tobytes())
    return digest.hexdigest()


def diverged(run: RunDirectory, decisions: int, reason: str) -> FloatingPointError:
    """Return the error of a run that has diverged before so many decisions."""
    return FloatingPointError(
        f"training diverged before decision {decisions}: {reason}; the checkpoints before it are in {run.checkpoints}"
    )


@dataclass(frozen=True, repr=False)
class TrainingOutcome(Report):
    """The outcome of :func:`german_whist.train`.

    Attributes:
        run: the run's folder.
        decisions: decisions trained on so far.
        results: the final evaluation, a match against each opponent; empty if the run was interrupted.
    """

    run: RunDirectory
    decisions: int
    results: tuple[MatchResult, ...]

    def report(self) -> Sequence[Table | str]:
        """Return a table with a row for each opponent, and the paths of the main files."""
        if self.interrupted:
            return [f"stopped after {self.decisions:,} decisions; the run's folder: {self.run.given}"]
        titles = {game_title(result.rules, result.endgame) for result in self.results}
        title = titles.pop() if len(titles) == 1 else f"German Whist, {len(titles)} games"
        return [
            results_table(self.results, f"{title}, after {self.decisions:,} decisions of training"),
            f"learning curve:  {self.run.given / self.run.curve.name}",
            f"checkpoint:      {self.run.given / self.run.final.name}",
        ]

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.run.path

    @property
    def agent(self) -> Agent:
        """The trained network as an agent; if the run was stopped, that of its newest checkpoint."""
        path = self.run.checkpoint_paths()[-1] if self.interrupted else self.run.final
        return make_agent(path, load_checkpoint(path).rules)

    @property
    def win_rates(self) -> dict[str, float]:
        """Win rate against each opponent of the final evaluation, by name; draws count half."""
        return {result.second: result.win_rate for result in self.results}

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before its end, so that it can be resumed."""
        return not self.results


def finished_outcome(run: RunDirectory, decisions: int) -> TrainingOutcome | None:
    """Return the outcome of a run that has ended after at least this many decisions; ``None`` if it has not."""
    if not run.final.is_file():
        return None
    final = load_checkpoint(run.final)
    trained = final.training["decisions"]
    results = tuple(MatchResult.from_dict(result) for result in final.results.values())
    return TrainingOutcome(run, trained, results) if trained >= decisions else None


def evaluate(
    checkpoint: Checkpoint,
    name: str,
    opponents: Mapping[str, Sequence[tuple[str, Agent]]],
    deals: int,
    device: str | None = None,
) -> tuple[MatchResult, ...]:
    """Play a policy greedily against each opponent, on the same mirrored deals every time.

    Args:
        checkpoint: the policy.
        name: its name in the results.
        opponents: agents with their names, by game.
        deals: mirrored deals in each match.
        device: where the deals are played, as in ``play_match``.
    """
    results: list[MatchResult] = []
    for game, agents in opponents.items():
        policy = PolicyAgent(checkpoint, name=name, rules=rules(game))
        for against, agent in agents:
            match = play_match(
                policy,
                agent,
                deals=deals,
                seed=EVALUATION_SEED,
                rules=game,
                endgame=checkpoint.endgame,
                device=None if agent.uses_histories else device,
            )
            results.append(dataclasses.replace(match, second=against if len(opponents) == 1 else f"{against}, {game}"))
    return tuple(results)


class RunRecords:
    """Writes and shows the records of a run: a row per update, evaluations against bots, and its progress.

    Progress goes to standard error: a bar below the lines in a terminal, a line every ten seconds elsewhere.
    """

    def __init__(
        self,
        run: RunDirectory,
        config: TrainConfig,
        decisions: int,
        *,
        quiet: bool = False,
        callback: Callback | None = None,
        writes: bool = True,
    ) -> None:
        """Open the files of a run; a resumed one appends to them.

        Args:
            run: the run's folder.
            config: its settings.
            decisions: decisions trained on so far; TensorBoard hides records of later ones.
            quiet: whether to show nothing.
            callback: called with the numbers of each update and evaluation.
            writes: whether this process writes and evaluates.
        """
        self._run, self._config, self._callback = run, config, callback
        self._writes = writes
        self._began = time.perf_counter()
        self._progress = _Progress(config.decisions, decisions, quiet or not writes)
        self.say = self._progress.say
        if writes:
            self._opponents = {
                game: [(name, make_agent(name, game)) for name in config.evaluate_against] for game in config.shares
            }
            # A new run first evaluates the untrained network; a run killed during an evaluation repeats it.
            last = max((row["decisions"] for row in run.read_evaluations()), default=-1)
            self._evaluation_is_due = Periodic(config.evaluate_every, last)
            metrics = run.read_metrics()
            self._seconds = float(metrics[-1]["charts/seconds"]) if metrics else 0.0
            self._board = _tensorboard(run.tensorboard, decisions)

    def __enter__(self) -> RunRecords:
        """Start showing progress."""
        self._progress.bar.start()
        return self

    def __exit__(self, *error: Any) -> None:
        """Close the files."""
        self._progress.bar.stop()
        if self._writes and self._board is not None:
            self._board.close()

    def evaluate_if_due(self, decisions: int, checkpoint: Callable[[], Checkpoint]) -> None:
        """Evaluate if an evaluation is due."""
        if self._writes and self._evaluation_is_due(decisions):
            self._evaluate(decisions, checkpoint(), self._config.evaluate_deals)

    def begin_update(self) -> None:
        """Start timing a rollout and its update."""
        self._began = time.perf_counter()

    def write_update(self, decisions: int, played: int, numbers: Mapping[str, float]) -> None:
        """Write and show an update, the last ``played`` of ``decisions`` decisions; the first one names the columns."""
        self._progress.update(decisions, played)
        if self._writes:
            passed = time.perf_counter() - self._began
            self._seconds += passed
            row = {"charts/SPS": played / passed, "charts/seconds": self._seconds, **numbers}
            if not self._run.metrics.exists():
                _write_rows(self._run.metrics, ("decisions", *row), ())
            with self._run.metrics.open("a", newline="", encoding="utf-8") as file:
                csv.writer(file).writerow([decisions, *(f"{number:.6g}" for number in row.values())])
            self._chart(decisions, row)

    def _chart(self, decisions: int, numbers: dict[str, float]) -> None:
        """Send numbers to TensorBoard and the callback."""
        if self._board is not None:
            for name, number in numbers.items():
                self._board.add_scalar(name, number, decisions)
            self._board.flush()
        if self._callback is not None:
            self._callback(decisions, numbers)

    def _evaluate(self, decisions: int, checkpoint: Checkpoint, deals: int) -> tuple[MatchResult, ...]:
        config = self._config
        device = config.device if config.device.startswith("cuda") else None
        results = evaluate(checkpoint, self._run.path.name, self._opponents, deals, device)
        self._run.add_evaluations([_evaluation_row(decisions, self._seconds, result) for result in results])
        try:
            title = f"German Whist ({config.title}): training, evaluated against bots"
            draw_curve(self._run.read_evaluations(), self._run.curve, title)
        except Exception as error:
            self.say(f"the learning curve cannot be drawn: {' '.join(str(error).split())}")
        rates = {result.second: result.win_rate for result in results}
        self._progress.say_rates(decisions, rates)
        self._chart(decisions, {f"evaluation/win_rate_{metric_name(name)}": rate for name, rate in rates.items()})
        return results

    def finish(self, decisions: int, checkpoint: Checkpoint) -> TrainingOutcome:
        """Evaluate the trained policy, write the final checkpoint and return the outcome.

        The outcome has no results in a process that does not write.
        """
        if not self._writes:
            return TrainingOutcome(self._run, decisions, ())
        deals, opponents = self._config.final_deals, ", ".join(self._config.evaluate_against)
        self.say(f"final evaluation: {deals:,} deals each against {opponents}")
        results = self._evaluate(decisions, checkpoint, deals)
        shown = {result.second: result.to_dict() for result in results}
        dataclasses.replace(checkpoint, results=shown).save(self._run.final)
        return TrainingOutcome(self._run, decisions, results)


class _Progress:
    """A progress bar with decisions per second and the time left."""

    def __init__(self, total: int, done: int, quiet: bool) -> None:
        self._total, self._start = total, done
        self._began: float | None = None  # set at the first decisions, to leave out compilation and first evaluation
        self._last_line = time.monotonic()
        self._console = Console(file=sys.stderr, quiet=quiet)
        self._shows_bar = self._console.is_terminal and not quiet
        self.bar = Progress(
            TextColumn("training"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[speed]}"),
            console=self._console,
            disable=not self._shows_bar,
        )
        self._task = self.bar.add_task("", total=total, completed=min(done, total), speed="")

    def say(self, line: str) -> None:
        """Print a line."""
        self._last_line = time.monotonic()
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def say_rates(self, decisions: int, rates: Mapping[str, float]) -> None:
        """Print the win rates of the evaluation after ``decisions`` decisions."""
        if len(rates) > _MAX_NAMES:
            won = f"{percent_text(sum(rates.values()) / len(rates))} on average of {len(rates)} matches"
        else:
            won = ", ".join(f"{percent_text(rate)} against {name}" for name, rate in rates.items())
        self.say(f"games won after {decisions:,} decisions: {won}")

    def update(self, done: int, played: int) -> None:
        """Show an update, the last ``played`` of ``done`` decisions; the run ends with one."""
        now = time.monotonic()
        end = done + -(-max(self._total - done, 0) // max(played, 1)) * played
        speed = ""
        if self._began is None:
            self._began, self._start = now, done
        else:
            per_second = (done - self._start) / max(now - self._began, 1e-9)
            left = timedelta(seconds=round((end - done) / max(per_second, 1e-9)))
            speed = f"{per_second:,.0f} decisions/s, {left} left"
        self.bar.update(self._task, completed=done, total=end, speed=speed)
        if not self._shows_bar and now - self._last_line >= _PLAIN_EVERY:
            self.say(f"{done:,} of {end:,} decisions{speed and f', {speed}'}")


def _tensorboard(folder: Path, decisions: int) -> Any:
    """Return a TensorBoard writer that hides earlier records after ``decisions``; ``None`` if it is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=decisions + 1 if decisions else None)


def metric_name(opponent: str) -> str:
    """Return an opponent's name in characters that every experiment tracker accepts: letters, digits, ``_-./``.

    ``heuristic+exact`` becomes ``heuristic_exact``, and with several games ``greedy, small`` becomes ``greedy/small``.
    """
    return re.sub(r"[^A-Za-z0-9_./-]+", "_", opponent.replace(", ", "/"))


def _evaluation_row(decisions: int, seconds: float, result: MatchResult) -> dict[str, Any]:
    return {
        "decisions": decisions,
        "opponent": result.second,
        "deals": result.deals,
        "win_rate": round(result.win_rate, 5),
        "low": round(result.interval[0], 5),
        "high": round(result.interval[1], 5),
        "margin": round(result.margin, 4),
        "seconds": round(seconds, 2),
    }


class Periodic:
    """Schedule of an event that happens every ``every`` decisions."""

    def __init__(self, every: int, after: int) -> None:
        """Start at the first multiple of ``every`` above ``after``, or at 0 if ``after`` is negative."""
        self._every = every
        self._next = 0 if after < 0 else (after // every + 1) * every

    def __call__(self, decisions: int) -> bool:
        """Return whether the event is due; true only once each time."""
        if decisions < self._next:
            return False
        self._next = (decisions // self._every + 1) * self._every
        return True


class StopRequest:
    """A request to stop a run, made by a signal and checked after each update.

    Attributes:
        is_made: whether the run has been asked to stop.
    """

    def __init__(self) -> None:
        """Start without a request."""
        self.is_made = False


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

    def ask(number: int, frame: Any) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if not stop.is_made:
            stop.is_made = True
            # Printed by another thread, because the interrupted one may hold the console's lock.
            line = "stopping after this update or evaluation; Ctrl-C again to stop at once"
            threading.Thread(target=say, args=(line,)).start()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_LIBRARIES = ("numpy", "numba", "torch", "stable_baselines3", "sb3_contrib", "gymnasium", "pettingzoo")


@lru_cache
def code_version() -> dict[str, Any]:
    """Return the versions of the package, Python and libraries, and the git commit of a checkout, for model cards."""
    root, commit = Path(__file__).resolve().parents[1], None
    if (root / ".git").exists():
        command = ["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"]
        with contextlib.suppress(FileNotFoundError):  # a copied checkout on a machine without git
            commit = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or None
    return {
        "german_whist": _version("german-whist"),
        "commit": commit,
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in _LIBRARIES},
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
