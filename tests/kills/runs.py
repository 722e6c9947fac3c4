"""Runs in processes of their own, which are killed, resumed and compared."""

from __future__ import annotations

import csv
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from safetensors.numpy import load_file

from german_whist.training.run.directory import RunDirectory
from tests.training.policy_iteration_runs import SMALL_SETTINGS
from tests.training.sb3_runs import SETTINGS

LONGER: dict[str, Any] = {"decisions": 8192, "checkpoint_every": 1024, "evaluate_every": 2048, "threads": 1}
OPPONENTS = {"self": 0.5, "pool": 0.25, "greedy": 0.25}
TRAINERS: dict[str, dict[str, Any]] = {
    "policy_iteration": {**SMALL_SETTINGS, **LONGER, "opponents": OPPONENTS},
    "sb3": {**SETTINGS, **LONGER, "opponents": OPPONENTS},
}
STOPS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
TIMES = ("seconds", "charts/seconds", "charts/SPS", "time/time_elapsed", "time/fps")  # columns of records
PATIENCE = 600  # seconds for a run of a few

# A process whose files may have only so many bytes: writing fails in the middle, as on a full disk.
_FULL_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
from german_whist.cli import main
sys.exit(main(sys.argv[2:]))
"""


def _command(words: list[str], disk: int | None = None) -> list[str]:
    if disk is None:
        return [sys.executable, "-m", "german_whist", *words]
    return [sys.executable, "-c", _FULL_DISK, str(disk), *words]


def _begin(trainer: str, run: Path) -> list[str]:
    config = run.with_name(f"{trainer}.yaml")
    config.write_text(yaml.safe_dump(TRAINERS[trainer], sort_keys=False))
    return ["train", str(config), "--out", str(run), "--quiet"]


def _resume(run: Path) -> list[str]:
    return ["train", "--resume", str(run), "--quiet"]


def run_whole(trainer: str, run: Path) -> RunDirectory:
    """Train without a stop."""
    subprocess.run(_command(_begin(trainer, run)), check=True, capture_output=True, timeout=PATIENCE)
    return RunDirectory(run)


class Victim:
    """A run that is attacked.

    Attributes:
        run: its folder.
        kills: what has been done to it.
        problems: exits that no attack explains.
    """

    def __init__(self, trainer: str, run: Path) -> None:
        """Prepare a run, without starting it."""
        self.run = RunDirectory(run)
        self.kills: list[str] = []
        self.problems: list[str] = []
        self._trainer = trainer

    @property
    def has_ended(self) -> bool:
        """Whether the final checkpoint is there."""
        return self.run.final.exists()

    def _words(self) -> list[str]:
        if self.run.config.exists():
            return _resume(self.run.path)
        shutil.rmtree(self.run.path, ignore_errors=True)  # it was killed before it had settings
        return _begin(self._trainer, self.run.path)

    def attack(self, rng: np.random.Generator, seconds: float) -> str | None:
        """Start or resume the run and stop it at a random moment; return how, ``None`` if it has ended before."""
        if rng.random() < 0.2:
            disk = int(rng.integers(100, 60_000))
            done = subprocess.run(
                _command(self._words(), disk), capture_output=True, text=True, timeout=PATIENCE, check=False
            )
            how, code = f"a disk of {disk} bytes", done.returncode
            if code not in (0, 2) or (code == 2 and done.stderr.count("\n") != 1):
                self.problems.append(f"{how}: exit code {code}, {done.stderr[-300:]!r}")
        else:
            stop = signal.Signals(int(rng.choice(STOPS)))
            process = subprocess.Popen(_command(self._words()), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            how = stop.name
            try:
                process.wait(rng.uniform(0, 1.1 * seconds))
            except subprocess.TimeoutExpired:
                process.send_signal(stop)
            error = process.communicate(timeout=PATIENCE)[1].decode()
            code = process.returncode
            if code not in (0, 130, -stop) or ("Traceback" in error and "KeyboardInterrupt" not in error):
                self.problems.append(f"{how}: exit code {code}, {error[-300:]!r}")
        if code == 0:
            return None
        self.kills.append(how)
        return how

    def finish(self) -> None:
        """Resume the run to its end, without attacks."""
        if self.has_ended:
            return
        done = subprocess.run(_command(self._words()), capture_output=True, text=True, timeout=PATIENCE, check=False)
        if done.returncode != 0:
            self.problems.append(f"after {self.kills}: exit code {done.returncode}, {done.stderr[-300:]!r}")


def differences(run: RunDirectory, whole: RunDirectory) -> list[str]:
    """Return in what two runs differ: weights, moments, deals, checkpoints, every row of metrics and evaluations."""
    if not run.final.exists():
        return ["it has not ended"]
    found = []
    for name in ("final", "resume"):
        ours, theirs = load_file(getattr(run, name)), load_file(getattr(whole, name))
        names = [key for key in {*ours, *theirs} if key not in ours or key not in theirs]
        found += [f"{name}: {key} is in one of them" for key in names]
        found += [f"{name}: {key}" for key in theirs if key in ours and not np.array_equal(ours[key], theirs[key])]
    checkpoints = [[path.name for path in each.checkpoint_paths()] for each in (run, whole)]
    if checkpoints[0] != checkpoints[1]:
        found.append(f"checkpoints {checkpoints[0]}, not {checkpoints[1]}")
    for name in ("evaluations", "metrics"):
        ours, theirs = _rows(getattr(run, name)), _rows(getattr(whole, name))
        if ours != theirs:
            found.append(f"{name}: {_first_difference(ours, theirs)}")
    half_written = [path.name for path in run.path.rglob(".*")]
    return found + [f"{name} is left" for name in half_written]


def _rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a record in their order, without times."""
    with path.open(newline="", encoding="utf-8") as file:
        return [{key: cell for key, cell in row.items() if key not in TIMES} for row in csv.DictReader(file)]


def _first_difference(ours: list[dict[str, str]], theirs: list[dict[str, str]]) -> str:
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one != other:
            return f"row {number} is {one}, not {other}"
    return f"{len(ours)} rows, not {len(theirs)}"
