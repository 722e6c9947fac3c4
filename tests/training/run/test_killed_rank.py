"""A rank that is killed in the middle of a run ends the others with its cause named, and the run resumes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from german_whist.training.run.directory import RunDirectory
from tests.training.own_runs import OWN_SETTINGS
from tests.training.run.test_distributed import free_port, start_two

pytestmark = pytest.mark.nightly
ENDLESS = {**OWN_SETTINGS, "decisions": 10**8, "evaluate_every": 10**7}
WITHIN = 60.0  # seconds


def await_checkpoints(run: Path, number: int, ranks: list[subprocess.Popen[str]]) -> None:
    while not run.is_dir() or len(RunDirectory(run).checkpoint_paths()) < number:
        assert all(rank.poll() is None for rank in ranks), [rank.communicate() for rank in ranks]
        time.sleep(0.1)


def endless_settings() -> list[str]:
    return [
        word
        for name, value in ENDLESS.items()
        if name != "trainer"
        for word in (f"--{name}", str(value).replace("'", ""))
    ]


def start_torchrun(words: list[str], folder: Path) -> subprocess.Popen[str]:
    path = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(Path(__file__).parents[3])])
    launcher = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port", str(free_port())]
    return subprocess.Popen(
        [sys.executable, *launcher, "-m", "german_whist", "train", *words],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def process_of_rank(launcher: subprocess.Popen[str], rank: int) -> int:
    children = Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split()
    wanted = f"RANK={rank}".encode()
    (found,) = [int(child) for child in children if wanted in Path(f"/proc/{child}/environ").read_bytes().split(b"\0")]
    return found


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the ranks are found in /proc")
@pytest.mark.parametrize("rank", [0, 1])
def test_torchrun_names_the_killed_rank_and_the_run_resumes(tmp_path: Path, rank: int) -> None:
    run = tmp_path / "run"
    launcher = start_torchrun(["quickstart", "--quiet", "--out", str(run), *endless_settings()], tmp_path)
    try:
        await_checkpoints(run, 3, [launcher])
        os.kill(process_of_rank(launcher, rank), signal.SIGKILL)
        assert launcher.wait(WITHIN) != 0
        printed = launcher.communicate()[0]
        cause = printed[printed.index("Root Cause") :]
        assert f"rank      : {rank} (local_rank: {rank})" in cause
        assert "SIGKILL" in cause
        kept = len(RunDirectory(run).checkpoint_paths())
        launcher = start_torchrun(["--quiet", "--resume", str(run)], tmp_path)
        await_checkpoints(run, kept + 3, [launcher])
    finally:
        launcher.terminate()
        launcher.communicate()


def test_a_killed_rank_ends_the_other_and_the_run_resumes(tmp_path: Path) -> None:
    settings, run = endless_settings(), tmp_path / "run"
    ranks = start_two(["-m", "german_whist", "train", "quickstart", "--quiet", "--out", str(run), *settings], tmp_path)
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
