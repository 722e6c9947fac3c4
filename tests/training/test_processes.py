"""Processes that learn together do what one does with the joined batch, however they are started and ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
import yaml

import german_whist as gw
from german_whist.training.policy_iteration import networks as networks_module
from german_whist.training.policy_iteration.networks import Batch, Networks
from german_whist.training.policy_iteration.trainer import PolicyIteration
from german_whist.training.processes import Processes, joined_processes
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.snapshot import read_snapshot
from tests.processes import WITHIN, children
from tests.training.policy_iteration_runs import SMALL_SETTINGS, small_config, some_batch

POSITIONS, FEATURES, ACTIONS = 64, 20, 5


def updated(processes: Processes, rows: slice) -> Networks:
    """Learn from some rows of the joined batch in one minibatch."""
    batch = Batch(*(tensor[rows] for tensor in vars(some_batch(POSITIONS)).values() if tensor is not None))
    config = small_config(batch_size=POSITIONS, epochs=1)
    in_float32 = mock.patch.object(networks_module, "native_dtype", return_value=torch.float32)
    with in_float32:  # the comparison allows for its rounding
        algorithm = Networks(config, torch.ones(FEATURES), ACTIONS, processes)
    algorithm.update(batch, 0.0)
    return algorithm


def gradients_and_weights(algorithm: Networks) -> dict[str, torch.Tensor]:
    found = {}
    for name, weight in algorithm.named_parameters():
        assert weight.grad is not None
        found |= {f"weight {name}": weight.detach(), f"gradient {name}": weight.grad}
    return found


def as_one_of_two(folder: Path) -> None:
    """What each of the two processes does."""
    torch.set_num_threads(1)
    with joined_processes() as processes:
        half = slice(0, POSITIONS // 2) if processes.rank == 0 else slice(POSITIONS // 2, POSITIONS)
        torch.save(gradients_and_weights(updated(processes, half)), folder / f"{processes.rank}.pt")
        assert processes.broadcast(f"from {processes.rank}") == "from 0"
        assert processes.all_gather(processes.rank) == [0, 1]
        assert processes.all_min(7 - processes.rank) == 6
        assert processes.all_sum(processes.rank, 5) == [1, 10]
        if processes.rank == 1:
            os._exit(7)
        with pytest.raises(ConnectionError):
            updated(processes, half)


def free_port() -> int:
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        port: int = some.getsockname()[1]
        return port


def start_two(code: list[str], folder: Path) -> list[subprocess.Popen[str]]:
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "OMP_NUM_THREADS": "1"}
    root = Path(__file__).parents[2]
    path = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(root)])
    return [
        subprocess.Popen(
            [sys.executable, *code],
            cwd=folder,
            env={**os.environ, **common, "RANK": str(rank), "LOCAL_RANK": str(rank), "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in (0, 1)
    ]


def test_two_processes_step_as_one(tmp_path: Path) -> None:
    code = "from pathlib import Path; from tests.training.test_processes import as_one_of_two; as_one_of_two(Path())"
    first, second = start_two(["-c", code], tmp_path)
    assert second.wait(240) == 7, second.communicate()[1]
    assert first.wait(240) == 0, first.communicate()[1]
    expected = gradients_and_weights(updated(Processes(), slice(0, POSITIONS)))
    parts = [torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in (0, 1)]
    for name, tensor in expected.items():
        assert torch.equal(parts[0][name], parts[1][name]), name
        torch.testing.assert_close(parts[0][name], tensor, rtol=1e-3, atol=1e-5, msg=name)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_work_is_divided_among_processes(size: int, tmp_path: Path) -> None:
    config, run = small_config(num_envs=32, processes=size), RunDirectory(tmp_path)
    states = [PolicyIteration(config, run, Processes(rank, size)) for rank in range(size)]
    assert sum(state.collectors[0].batch.size for state in states) == 32
    with mock.patch.object(Processes, "all_min", lambda _, number: number):
        rows = [next(state.networks.minibatches(100, 1)) for state in states]
    assert 32 <= sum(map(len, rows)) < 32 + size


LONG: dict[str, Any] = {**SMALL_SETTINGS, "processes": 2, "decisions": 10**8, "evaluate_every": 10**7}
in_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the workers are found in /proc")


def command(*words: str, launcher: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*launcher, sys.executable, "-m", "german_whist", "train", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def begun(settings: dict[str, Any], run: Path, launcher: tuple[str, ...] = ()) -> tuple[subprocess.Popen[str], int]:
    """Start a run of two processes; return the first process, and the number of the second, once they train."""
    config = run.with_suffix(".yaml")
    config.write_text(yaml.safe_dump(settings))
    first = command(str(config), "--out", str(run), launcher=launcher)
    assert first.stderr is not None
    assert any(line.startswith("games won after 0 ") for line in first.stderr), first.communicate()
    return first, worker_of(first)


def worker_of(process: subprocess.Popen[str]) -> int:
    """Find the worker among the children, of which others come and go (Matplotlib lists the fonts with one)."""
    (worker,) = [child for child in children(process.pid) if "german_whist.training.worker" in command_line(child)]
    return worker


def command_line(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it has ended
        return ""


@pytest.mark.nightly  # 20 seconds of processor
def test_torchrun_agrees(tmp_path: Path) -> None:
    (tmp_path / "tiny.yaml").write_text(yaml.safe_dump(SMALL_SETTINGS))
    code = "import german_whist as gw; assert gw.train('tiny.yaml', out='torchrun', quiet=True).win_rates"
    ranks = start_two(["-c", code], tmp_path)
    own = gw.train(tmp_path / "tiny.yaml", out=tmp_path / "own", quiet=True, processes=2)
    assert [rank.wait(240) for rank in ranks] == [0, 0], [rank.communicate() for rank in ranks]
    given = RunDirectory(tmp_path / "torchrun")
    assert own.run.config.read_text() == given.config.read_text()
    expected, got = (read_snapshot(run.snapshot)[1] for run in (given, own.run))
    assert got.keys() == expected.keys()
    assert all((got[name] == expected[name]).all() for name in expected)


@pytest.mark.nightly  # four starts of torch
@in_proc
def test_interrupt_resume_and_dead_worker(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first, _ = begun(LONG, folder)
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=WITHIN)
    assert first.returncode == 130
    saved = len(RunDirectory(folder).checkpoint_paths())
    first = command("--resume", str(folder), "--quiet")
    while len(RunDirectory(folder).checkpoint_paths()) <= saved:
        assert first.poll() is None, first.communicate()
        time.sleep(0.05)
    os.kill(worker_of(first), signal.SIGKILL)
    _, errors = first.communicate(timeout=WITHIN)
    assert first.returncode == 2
    assert "another process" in errors
    assert "Traceback" not in errors
