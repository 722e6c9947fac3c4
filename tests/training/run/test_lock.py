"""Two processes never train one run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from german_whist.training.run.directory import RunDirectory, only_one
from tests.training.own_runs import begin_own
from tests.training.whole_runs import call_at, interrupt, resume_run

HOLDING = """
import sys, time
from pathlib import Path
from german_whist.training.run.directory import only_one
with only_one(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunDirectory:
    call_at(monkeypatch, 300, interrupt)
    return begin_own(tmp_path / "run").run


def test_a_second_process_is_refused_until_the_first_has_ended(stopped: RunDirectory) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDING, str(stopped.path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    before = {path: path.read_bytes() for path in stopped.path.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match="is in use: another process trains this run"):
        resume_run(stopped.path)
    assert {path: path.read_bytes() for path in stopped.path.rglob("*") if path.is_file()} == before
    os.kill(holder.pid, signal.SIGKILL)  # the lock of a killed process does not stay
    holder.wait()
    holder.stdout.close()
    assert resume_run(stopped.path).decisions == 1024
    assert not list(stopped.path.glob(".*"))


def test_a_run_in_training_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def resume() -> None:
        with pytest.raises(ValueError, match="is in use"):
            resume_run(tmp_path / "run")
        seen.append(True)

    call_at(monkeypatch, 300, resume)
    assert begin_own(tmp_path / "run").decisions == 1024
    assert seen


def test_a_lock_that_is_released_can_be_held_again(tmp_path: Path) -> None:
    for _ in range(2):
        with only_one(tmp_path):
            assert list(tmp_path.iterdir())
        assert not list(tmp_path.iterdir())
