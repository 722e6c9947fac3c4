"""Runs of our own trainer that fail: the cause is named, and the last good checkpoint is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.training.ppo.ppo import PPO
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.distributed import Processes
from tests.training.ppo_runs import begin_own
from tests.training.run.test_failures import fail_writing
from tests.training.whole_runs import call_at, evaluated, resume_run


def spoil(monkeypatch: pytest.MonkeyPatch, name: str, change: Any) -> None:
    """Change a loss from the sixth update on."""
    losses = PPO._losses

    def spoilt(self: PPO, batch: Any) -> dict[str, torch.Tensor]:
        found = losses(self, batch)
        return {**found, name: change(found[name])} if self.updates >= 5 else found

    monkeypatch.setattr(PPO, "_losses", spoilt)


@pytest.mark.parametrize(
    ("name", "change", "cause"),
    [
        ("policy_loss", lambda loss: loss * float("nan"), "losses/policy_loss is nan"),
        ("value_loss", lambda loss: loss * 1e9, r"losses/value_loss is [\d.e+]+"),
        ("entropy", lambda loss: loss + float("inf"), "losses/entropy is inf"),
    ],
)
def test_a_nan_or_exploding_loss_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, change: Any, cause: str
) -> None:
    with monkeypatch.context() as patch:
        spoil(patch, name, change)
        message = rf"^training diverged before decision 768: {cause}; the checkpoints before it are in "
        with pytest.raises(FloatingPointError, match=message):
            begin_own(tmp_path / "run")
    run = RunDirectory(tmp_path / "run")
    assert [int(path.stem) for path in run.checkpoint_paths()] == [0, 256, 512]
    load_checkpoint(run.checkpoint_paths()[-1])
    assert not run.final.exists()
    done = resume_run(tmp_path / "run")  # whatever it was has passed
    assert evaluated(done.run) == [0, 512, 1024]


def test_a_nan_weight_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    update = PPO.update

    def poisoned(self: PPO, *args: Any, **settings: Any) -> dict[str, float]:
        metrics = update(self, *args, **settings)
        with torch.no_grad():
            self.critic.linear_layers()[-1].bias.fill_(float("nan"))
        return metrics

    monkeypatch.setattr(PPO, "update", poisoned)
    message = r"^training diverged before decision 128: critic.layers.1.bias is not finite; "
    with pytest.raises(FloatingPointError, match=message):
        begin_own(tmp_path / "run")
    assert [int(path.stem) for path in RunDirectory(tmp_path / "run").checkpoint_paths()] == [0]


def test_divergence_by_a_huge_learning_rate_is_detected(tmp_path: Path) -> None:
    with pytest.raises(FloatingPointError, match=r"^training diverged before decision "):
        begin_own(tmp_path / "run", learning_rate=1e30, evaluate_every=10**6)


def test_nan_logits_stop_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = PPO.policy

    def blank(self: PPO, features: torch.Tensor) -> torch.Tensor:
        return policy(self, features) * (float("nan") if self.updates == 3 else 1)

    monkeypatch.setattr(PPO, "policy", blank)
    with pytest.raises(FloatingPointError, match=r"^training diverged before decision 384: logits are not finite; "):
        begin_own(tmp_path / "run")


@pytest.mark.parametrize("name", ["000000000000.safetensors", "resume.safetensors"])
def test_a_disk_that_is_full_at_once_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    fail_writing(monkeypatch, name)
    with pytest.raises(OSError, match="No space left"):
        begin_own(tmp_path / "some" / "run")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "after"), [("000000000512.safetensors", 0), ("resume.safetensors", 2), ("evaluations.csv", 1)]
)
def test_a_disk_that_fills_up_keeps_the_last_good_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, after: int
) -> None:
    with monkeypatch.context() as patch:
        fail_writing(patch, name, after)
        with pytest.raises(OSError, match="No space left"):
            begin_own(tmp_path / "run")
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not [path for path in files if "tmp" in path.name or path.stat().st_size == 5]
    assert resume_run(tmp_path / "run").decisions == 1024


def test_a_worker_that_dies_stops_the_run_and_the_checkpoint_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(self: Processes, numbers: torch.Tensor) -> torch.Tensor:
        raise ConnectionError("another process of this run is gone or stuck: closed by peer")

    def lose_it() -> None:
        monkeypatch.setattr(Processes, "all_reduce", gone)

    call_at(monkeypatch, 600, lose_it)
    message = rf"^another process .* closed by peer; the last good checkpoint is in {tmp_path / 'run' / 'checkpoints'}$"
    with pytest.raises(ConnectionError, match=message):
        begin_own(tmp_path / "run")
    assert [int(path.stem) for path in RunDirectory(tmp_path / "run").checkpoint_paths()] == [0, 256, 512]


def test_a_device_that_is_not_there_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^device: 'quantum' cannot be used: "):
        begin_own(tmp_path / "run", device="quantum")
    assert list(tmp_path.iterdir()) == []


def test_a_network_too_large_for_the_machine_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^the network cannot be made: "):
        begin_own(tmp_path / "run", hidden=[10**12])
    assert list(tmp_path.iterdir()) == []


def test_an_opponents_share_of_less_than_a_row_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="less than one environment of 8"):
        begin_own(tmp_path / "run", opponents={"self": 99, "random": 1})
    assert list(tmp_path.iterdir()) == []
