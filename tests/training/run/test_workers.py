"""Processes that a run starts by itself learn as those of ``torchrun`` do, and none survives or hides its failure."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from safetensors.numpy import load_file

from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.processes import started_workers
from german_whist.training.run.progress import FIRST_ROLLOUT
from tests.training.own_runs import OWN_SETTINGS, begin_own
from tests.training.run.test_distributed import start_two

ENDLESS = {**OWN_SETTINGS, "processes": 2, "decisions": 10**8, "evaluate_every": 10**7}
WITHIN = 60.0  # seconds
in_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the workers are found in /proc")


def endless(run: Path) -> subprocess.Popen[str]:
    config = run.with_suffix(".yaml")
    config.write_text(yaml.safe_dump(ENDLESS))
    return trained(str(config), "--out", str(run))


def trained(*options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "german_whist", "train", "--quiet", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_training(run: Path, process: subprocess.Popen[str], checkpoints: int = 3) -> None:
    while not run.is_dir() or len(RunDirectory(run).checkpoint_paths()) < checkpoints:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def worker_of(process: subprocess.Popen[str]) -> int:
    """Find the worker among the children, of which others come and go (Matplotlib lists the fonts with one)."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    (worker,) = [child for child in children if "german_whist.training.worker" in command_line(child)]
    return int(worker)


def command_line(process: str) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it has ended
        return ""


def test_they_learn_as_those_of_torchrun(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(yaml.safe_dump(OWN_SETTINGS))
    ranks = start_two(["-m", "german_whist", "train", "tiny.yaml", "--quiet", "--out", "torchrun"], tmp_path)
    own = begin_own(tmp_path / "own", processes=2)
    assert [rank.wait(240) for rank in ranks] == [0, 0], [rank.communicate() for rank in ranks]
    given = RunDirectory(tmp_path / "torchrun")
    assert own.run.config.read_text() == given.config.read_text()
    expected = load_file(given.resume)
    got = load_file(own.run.resume)
    assert got.keys() == expected.keys()
    assert all((got[name] == expected[name]).all() for name in expected)


@in_proc
def test_a_worker_ends_with_the_first_process(tmp_path: Path) -> None:
    run = endless(tmp_path / "run")
    wait_for_training(tmp_path / "run", run)
    worker = Path(f"/proc/{worker_of(run)}")
    run.kill()
    run.communicate(timeout=WITHIN)
    until = time.monotonic() + WITHIN
    while worker.is_dir() and "Z" not in (worker / "stat").read_text().split():
        assert time.monotonic() < until
        time.sleep(0.1)


@in_proc
def test_an_interrupted_run_resumes_with_as_many_processes_and_a_worker_that_dies_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run = endless(folder)
    wait_for_training(folder, run)
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=WITHIN)
    assert run.returncode == 130
    run = trained("--resume", str(folder))
    wait_for_training(folder, run, len(RunDirectory(folder).checkpoint_paths()) + 1)
    os.kill(worker_of(run), signal.SIGKILL)
    _, errors = run.communicate(timeout=WITHIN)
    assert run.returncode == 2
    said = [line for line in errors.splitlines() if "compiling" not in line]  # with an empty cache
    assert said == [f"german-whist: process 2 of 2 was ended by signal {signal.SIGKILL}"]


@in_proc
def test_a_second_interrupt_ends_all_processes_at_once(tmp_path: Path) -> None:
    # A rollout of minutes: only one that is given up ends within the time.
    folder = tmp_path / "run"
    config = tmp_path / "long.yaml"
    config.write_text(yaml.safe_dump({**ENDLESS, "num_envs": 16, "num_steps": 2**16, "rules": "classic"}))
    run = subprocess.Popen(
        [sys.executable, "-m", "german_whist", "train", str(config), "--out", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stderr is not None
    assert any(line.strip() == FIRST_ROLLOUT for line in run.stderr)
    worker = Path(f"/proc/{worker_of(run)}")
    run.send_signal(signal.SIGINT)
    assert "Ctrl-C again" in run.stderr.readline()
    time.sleep(1)  # by then it waits for the other's rollout; Python loses an interrupt in a callback of a C library
    run.send_signal(signal.SIGINT)
    printed = run.communicate(timeout=WITHIN)
    assert run.returncode == 130, printed
    assert "Traceback" not in printed[1]
    assert printed[1].endswith(f" train --resume {folder}\n")
    assert not worker.is_dir()


def test_a_worker_that_cannot_start_is_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(ConnectionError, match=r"^process 2 of 2 ended with exit code 1$"), started_workers(2, 1):
        pass
