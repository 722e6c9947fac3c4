"""Two processes that learn together do what one does with the joined batch; and one whose partner dies says so."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
import torch

from german_whist.training import policy_iteration
from german_whist.training.policy_iteration import Batch, PolicyIteration
from german_whist.training.run.processes import Processes, joined_processes
from tests.training.own_runs import own_config

POSITIONS, FEATURES, ACTIONS = 64, 20, 5


def joined_batch() -> Batch:
    generator = torch.Generator().manual_seed(0)
    features = torch.randint(0, 2, (POSITIONS, FEATURES), generator=generator).to(torch.int8)
    masks = torch.rand((POSITIONS, ACTIONS), generator=generator) < 0.8
    masks[:, :2] = True
    q_targets, logits = (torch.randn((POSITIONS, ACTIONS), generator=generator) for _ in range(2))
    returns = torch.randn(POSITIONS, generator=generator)
    return Batch(features, masks, q_targets, logits, returns, (torch.arange(POSITIONS) % 2).to(torch.int8))


def updated(processes: Processes, rows: slice) -> PolicyIteration:
    """Learn from some rows of the joined batch in one minibatch."""
    batch = Batch(*(tensor[rows] for tensor in vars(joined_batch()).values() if tensor is not None))
    config = own_config(batch_size=len(batch.features), epochs=1)
    in_float32 = mock.patch.object(policy_iteration, "native_dtype", return_value=torch.float32)
    with in_float32:  # whose rounding the comparison allows for
        algorithm = PolicyIteration(config, torch.ones(FEATURES), ACTIONS, processes)
    algorithm.update(batch, 0.0)
    return algorithm


def gradients_and_weights(algorithm: PolicyIteration) -> dict[str, torch.Tensor]:
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
        with pytest.raises(ConnectionError, match=r"^another process of this run is gone or stuck: ") as caught:
            updated(processes, half)
        (folder / "error").write_text(str(caught.value))


def free_port() -> int:
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        port: int = some.getsockname()[1]
        return port


def start_two(code: list[str], folder: Path) -> list[subprocess.Popen[str]]:
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "OMP_NUM_THREADS": "1"}
    root = Path(__file__).parents[3]
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


def test_two_processes_take_the_step_of_one_with_the_joined_batch(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from tests.training.run.test_distributed import as_one_of_two; as_one_of_two(Path())"
    )
    first, second = start_two(["-c", code], tmp_path)
    assert second.wait(240) == 7, second.communicate()[1]
    assert first.wait(240) == 0, first.communicate()[1]
    expected = gradients_and_weights(updated(Processes(), slice(0, POSITIONS)))
    parts = [torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in (0, 1)]
    for name, tensor in expected.items():
        assert torch.equal(parts[0][name], parts[1][name]), name
        torch.testing.assert_close(parts[0][name], tensor, rtol=1e-3, atol=1e-5, msg=name)
    error = (tmp_path / "error").read_text()
    assert error.count("\n") == 0
    assert ".cc:" not in error  # a place in Gloo's source
    assert "This is typically" not in error


def test_one_process_alone_needs_no_group() -> None:
    alone = Processes()
    assert alone.is_first
    assert alone.broadcast("thing") == "thing"
    assert alone.all_gather("thing") == ["thing"]
    assert alone.all_min(3) == 3
    assert alone.all_sum(3, 4) == [3, 4]
    assert alone.all_reduce(torch.tensor(3)) == 3


def test_without_torchrun_there_is_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    with joined_processes() as processes:
        assert processes == Processes(0, 1)
