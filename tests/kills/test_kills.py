"""A training run that is killed at any moment ends as if it had not been. ``make kill-test`` kills more often."""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from safetensors.numpy import load_file

from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.snapshot import read_snapshot
from tests.training.policy_iteration_runs import SMALL_SETTINGS, train_small

KILLS, SEED = (int(os.environ.get(name, usual)) for name, usual in (("KILLS", 5), ("SEED", 1)))
LONGER: dict[str, Any] = {"decisions": 8192, "checkpoint_every": 1024, "evaluate_every": 2048, "threads": 1}
OPPONENTS = {"self": 0.5, "pool": 0.25, "greedy": 0.25}
SETTINGS = {**SMALL_SETTINGS, **LONGER, "opponents": OPPONENTS}
STOPS = ("SIGKILL", "SIGKILL", "SIGTERM", "SIGINT")
TIMES = ("seconds", "charts/seconds", "charts/SPS", "time/time_elapsed", "time/fps")  # columns of records
PATIENCE = 600  # seconds for a run of a few


def attack(words: list[str], rng: np.random.Generator, seconds: float) -> str:
    """Run a command and stop it at a random moment; return how, or nothing where it has ended before."""
    how = str(rng.choice(STOPS))
    stop = signal.Signals[how]
    process = subprocess.Popen([sys.executable, "-m", "german_whist", *words], stderr=subprocess.PIPE, text=True)
    try:
        process.wait(rng.uniform(0, seconds))
    except subprocess.TimeoutExpired:
        process.send_signal(stop)
    error = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode in (0, 130, -stop), error
    assert "Traceback" not in error or "KeyboardInterrupt" in error
    return how if process.returncode else ""


def contents(run: RunDirectory) -> dict[str, Any]:
    """Return weights, moments, deals, names of checkpoints, and the rows of metrics and evaluations without times."""
    found: dict[str, Any] = {"half written": [path.name for path in run.path.rglob(".*")]}
    found["checkpoints"] = [path.name for path in run.checkpoint_paths()]
    found |= {name: array.tobytes() for name, array in load_file(run.final).items()}
    about, tensors = read_snapshot(run.snapshot)
    found |= {"snapshot": about} | {f"snapshot {name}": tensor.numpy().tobytes() for name, tensor in tensors.items()}
    for path in (run.metrics, run.evaluations):
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        found[path.name] = [{key: cell for key, cell in row.items() if key not in TIMES} for row in rows]
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("with_init", [False, True])
def test_killed_run_ends_the_same(with_init: bool, processes: int, tmp_path: Path) -> None:
    config, rng, kills = tmp_path / "config.yaml", np.random.default_rng([SEED, with_init, processes]), 0
    init = {"init": str(train_small(tmp_path / "start").run.final)} if with_init else {}
    config.write_text(yaml.safe_dump({**SETTINGS, **init, "processes": processes}, sort_keys=False))
    whole, run = (RunDirectory(tmp_path / name) for name in ("whole", "run"))

    def begin(one: RunDirectory) -> list[str]:
        return ["train", str(config), "--out", str(one.path), "--quiet"]

    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "german_whist", *begin(whole)], check=True, timeout=PATIENCE)
    seconds, expected = time.monotonic() - began, contents(whole)
    while kills < KILLS:
        course: list[str] = []
        while not run.final.exists():
            words = ["train", "--resume", str(run.path), "--quiet"]
            if not run.config.exists():  # it was killed before it had settings
                shutil.rmtree(run.path, ignore_errors=True)
                words = begin(run)
            if kills < KILLS:
                course.append(attack(words, rng, 1.1 * seconds))
                kills += bool(course[-1])
            else:
                subprocess.run([sys.executable, "-m", "german_whist", *words], check=True, timeout=PATIENCE)
        assert contents(run) == expected, course
        shutil.rmtree(run.path)
