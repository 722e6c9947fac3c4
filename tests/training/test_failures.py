"""Runs that fail: what they say, and what they leave."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.training.networks import Batch, Networks
from german_whist.training.processes import Processes
from german_whist.training.run import RunDirectory
from tests.training.policy_iteration_runs import train_small
from tests.training.whole_runs import call_at, evaluated, resume_run


@pytest.mark.parametrize(("factor", "cause"), [(float("nan"), "losses/loss is nan"), (1e9, r"losses/loss is [\d.e+]+")])
def test_a_nan_or_exploding_loss_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, factor: float, cause: str
) -> None:
    update = Networks.update

    def spoilt(self: Networks, batch: Batch, *args: Any, **settings: Any) -> dict[str, float]:
        targets = batch.q_targets * (factor if self.updates >= 5 else 1)
        return update(self, replace(batch, q_targets=targets), *args, **settings)

    with monkeypatch.context() as patch:
        patch.setattr(Networks, "update", spoilt)
        message = rf"^training diverged before decision 768: {cause}; the checkpoints before it are in "
        with pytest.raises(FloatingPointError, match=message):
            train_small(tmp_path / "run")
    run = RunDirectory(tmp_path / "run")
    assert [int(path.stem) for path in run.checkpoint_paths()] == [0, 256, 512]
    load_checkpoint(run.checkpoint_paths()[-1])
    assert not run.final.exists()
    done = resume_run(tmp_path / "run")  # whatever it was has passed
    assert evaluated(done.run) == [0, 512, 1024]


def test_nan_logits_stop_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = Networks.policy

    def blank(self: Networks, features: torch.Tensor) -> torch.Tensor:
        return policy(self, features) * (float("nan") if self.updates == 3 else 1)

    monkeypatch.setattr(Networks, "policy", blank)
    with pytest.raises(FloatingPointError, match=r"^training diverged before decision 384: logits are not finite; "):
        train_small(tmp_path / "run")


def test_a_worker_that_dies_stops_the_run_and_the_checkpoint_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(self: Processes, *numbers: int) -> list[int]:
        raise ConnectionError("another process of this run is gone or stuck: closed by peer")

    def lose_it() -> None:
        monkeypatch.setattr(Processes, "all_sum", gone)

    call_at(monkeypatch, 600, lose_it)
    message = rf"^another process .* closed by peer; the last good checkpoint is in {tmp_path / 'run' / 'checkpoints'}$"
    with pytest.raises(ConnectionError, match=message):
        train_small(tmp_path / "run")
    assert [int(path.stem) for path in RunDirectory(tmp_path / "run").checkpoint_paths()] == [0, 256, 512]


def fail_writing(monkeypatch: pytest.MonkeyPatch, name: str, after: int = 0) -> None:
    """Let the disk be full when a file of this name is written for the (after + 1)-th time."""
    write, left = Path.write_bytes, [after]

    def cut(self: Path, content: bytes) -> int:
        if name not in self.name:
            return write(self, content)
        left[0] -= 1
        if left[0] >= 0:
            return write(self, content)
        write(self, content[:5])
        raise OSError(errno.ENOSPC, "No space left on device")  # the system names no file

    monkeypatch.setattr(Path, "write_bytes", cut)


@pytest.mark.parametrize("name", ["000000000000.safetensors", "000000000000.json"])
def test_a_disk_that_is_full_at_once_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    fail_writing(monkeypatch, name)
    with pytest.raises(OSError, match="No space left") as error:
        train_small(tmp_path / "some" / "run")
    assert Path(error.value.filename).name == name
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "after"),
    [
        *(("000000000512.safetensors", 0), ("000000000512.json", 0)),
        *(("curve.png", 1), ("evaluations.csv", 1), ("final.safetensors", 0)),
    ],
)
def test_a_disk_that_fills_up_leaves_a_resumable_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, after: int
) -> None:
    with monkeypatch.context() as patch:
        fail_writing(patch, name, after)
        with pytest.raises(OSError, match="No space left") as error:
            train_small(tmp_path / "run")
    assert Path(error.value.filename).name == name
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not [path for path in files if "tmp" in path.name or path.stat().st_size == 5]
    done = resume_run(tmp_path / "run")
    assert done.decisions == 1024
    assert evaluated(done.run) == [0, 512, 1024]


def test_a_device_that_is_not_there_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    for device in ("quantum", "meta", "cpu:x"):
        with pytest.raises(ValueError, match=rf"^device: '{device}' cannot be used: ") as caught:
            train_small(tmp_path / "run", device=device)
        assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_an_opponents_share_of_less_than_a_row_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="less than one environment of 8"):
        train_small(tmp_path / "run", opponents={"self": 99, "random": 1})
    assert list(tmp_path.iterdir()) == []
