"""Runs that fail: what they say, and what they leave."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.training.run.directory import RunDirectory
from tests.training.sb3_runs import tiny_config
from tests.training.whole_runs import begin, evaluated, resume_run


@pytest.mark.parametrize(
    ("changes", "culprit"),
    [
        ({"learning_rate": 1e30, "evaluate_every": 10**6}, r"features_extractor.*"),
        # One huge step leaves weights that are numbers, and outputs that are none.
        ({"learning_rate": 1e30, "max_grad_norm": 1e30, "batch_size": 128, "evaluate_every": 10**6}, "logits"),
    ],
)
def test_a_diverging_run_stops_and_keeps_its_checkpoints(tmp_path: Path, changes: dict[str, Any], culprit: str) -> None:
    message = rf"^training diverged before decision \d+: {culprit} is not finite; the checkpoints before it are in "
    with pytest.raises(FloatingPointError, match=message):
        begin(tmp_path / "run", **changes)
    run = RunDirectory(tmp_path / "run")
    assert [int(path.stem) for path in run.checkpoint_paths()] == [0]
    load_checkpoint(run.checkpoint_paths()[0])
    assert not run.final.exists()
    assert RunDirectory.open(tmp_path / "run")[1] == tiny_config(**changes)


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
        raise OSError(errno.ENOSPC, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_bytes", cut)


@pytest.mark.parametrize("name", ["000000000000.safetensors", "resume.safetensors"])
def test_a_disk_that_is_full_at_once_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    fail_writing(monkeypatch, name)
    with pytest.raises(OSError, match="No space left"):
        begin(tmp_path / "some" / "run")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "after"),
    [("000000000512.safetensors", 0), ("resume.safetensors", 1), ("curve.png", 1), ("evaluations.csv", 1)],
)
def test_a_disk_that_fills_up_leaves_a_resumable_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, after: int
) -> None:
    with monkeypatch.context() as patch:
        fail_writing(patch, name, after)
        with pytest.raises(OSError, match="No space left"):
            begin(tmp_path / "run")
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not [path for path in files if "tmp" in path.name or path.stat().st_size == 5]
    done = resume_run(tmp_path / "run")
    assert done.decisions == 1024
    assert evaluated(done.run) == [0, 512, 1024]


def test_a_device_that_is_not_there_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    for device in ("quantum", "meta", "cpu:x"):
        with pytest.raises(ValueError, match=rf"^device: '{device}' cannot be used: ") as caught:
            begin(tmp_path / "run", device=device)
        assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_network_too_large_for_the_machine_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^the network cannot be made: "):
        begin(tmp_path / "run", hidden=[10**12])
    assert list(tmp_path.iterdir()) == []


def test_an_opponents_share_of_less_than_a_row_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="less than one environment of 8"):
        begin(tmp_path / "run", opponents={"self": 99, "random": 1})
    assert list(tmp_path.iterdir()) == []
