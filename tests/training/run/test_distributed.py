"""Two processes that learn together do what one does with the joined batch; and one whose partner dies says so."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from german_whist.training.ppo.ppo import PPO
from german_whist.training.rollouts.collector import Collector, Rollout
from german_whist.training.run.distributed import Processes, joined_processes
from tests.training.ppo_runs import collector_of, networks, own_config

ROWS, STEPS = 8, 16
OF_OPPONENTS = 5  # decisions of the second process that are not learnt from, so that the halves weigh differently


def joined_rollout() -> tuple[Collector, Rollout]:
    config = own_config(num_envs=ROWS, num_steps=STEPS)
    collector = collector_of(config)
    rollout = collector.collect(networks(config, collector).policy)
    rollout.learner_mask[:OF_OPPONENTS, ROWS - 1] = False
    return collector, rollout


def part_of(rollout: Rollout, rows: slice) -> Rollout:
    return Rollout(**{name: tensor[:, rows].clone() for name, tensor in vars(rollout).items()})


def updated(processes: Processes, rows: slice) -> PPO:
    """Learn from some rows of the joined rollout in one minibatch."""
    taken = len(range(ROWS)[rows])
    # Gradients are left as they are, so that they can be compared too.
    config = own_config(num_envs=taken, batch_size=taken * STEPS, epochs=1, max_grad_norm=1e9, magnet=0.1)
    collector, rollout = joined_rollout()
    ppo = networks(config, collector, processes)
    ppo.update(part_of(rollout, rows), 0.0)
    return ppo


def gradients_and_weights(ppo: PPO) -> dict[str, torch.Tensor]:
    found = {}
    for name, weight in ppo.named_parameters():
        assert weight.grad is not None
        found |= {f"weight {name}": weight.detach(), f"gradient {name}": weight.grad}
    return found


def as_one_of_two(folder: Path) -> None:
    """What each of the two processes does."""
    torch.set_num_threads(1)
    with joined_processes() as processes:
        half = slice(0, ROWS // 2) if processes.rank == 0 else slice(ROWS // 2, ROWS)
        ppo = updated(processes, half)
        torch.save(gradients_and_weights(ppo), folder / f"{processes.rank}.pt")
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
    expected = gradients_and_weights(updated(Processes(), slice(0, ROWS)))
    parts = [torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in (0, 1)]
    for name, tensor in expected.items():
        assert torch.equal(parts[0][name], parts[1][name]), name
        torch.testing.assert_close(parts[0][name], tensor, rtol=1e-4, atol=1e-6, msg=name)
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
