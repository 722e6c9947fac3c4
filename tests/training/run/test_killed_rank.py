"""A rank that is killed in the middle of a run ends the other one with its cause named, and the run resumes."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from german_whist.training.run.directory import RunDirectory
from tests.training.ppo_runs import OWN_SETTINGS
from tests.training.run.test_distributed import start_two

pytestmark = pytest.mark.nightly
ENDLESS = {**OWN_SETTINGS, "decisions": 10**8, "evaluate_every": 10**7}
WITHIN = 60.0  # seconds


def await_checkpoints(run: Path, number: int, ranks: list[subprocess.Popen[str]]) -> None:
    while not run.is_dir() or len(RunDirectory(run).checkpoint_paths()) < number:
        assert all(rank.poll() is None for rank in ranks), [rank.communicate() for rank in ranks]
        time.sleep(0.1)


def test_a_killed_rank_ends_the_other_and_the_run_resumes(tmp_path: Path) -> None:
    settings = [
        word
        for name, value in ENDLESS.items()
        if name != "trainer"
        for word in (f"--{name}", str(value).replace("'", ""))
    ]
    run = tmp_path / "run"
    ranks = start_two(["-m", "german_whist", "train", "ppo", "--quiet", "--out", str(run), *settings], tmp_path)
    try:
        await_checkpoints(run, 3, ranks)
        ranks[1].send_signal(signal.SIGKILL)
        code = ranks[0].wait(WITHIN)
        errors = ranks[0].communicate()[1]
        assert code == 2, errors
        assert "another process of this run is gone or stuck" in errors
        kept = len(RunDirectory(run).checkpoint_paths())
        ranks = start_two(["-m", "german_whist", "train", "--quiet", "--resume", str(run)], tmp_path)
        await_checkpoints(run, kept + 3, ranks)
        for rank in ranks:
            rank.send_signal(signal.SIGTERM)
        assert [rank.wait(WITHIN) for rank in ranks] == [130, 0]
    finally:
        for rank in ranks:
            rank.kill()
