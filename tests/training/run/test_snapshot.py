"""The numbers and deals in a snapshot are checked before anything uses them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.records import TrainingOutcome
from tests.training.policy_iteration_runs import train_small
from tests.training.run.snapshots import WITH_POOL, refused, rewrite


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    return train_small(tmp_path_factory.mktemp("own") / "run", **WITH_POOL)


@pytest.fixture
def own(tmp_path: Path, original: TrainingOutcome) -> RunDirectory:
    """A copy of the run."""
    shutil.copytree(original.run.path, tmp_path / "run")
    return RunDirectory(tmp_path / "run")


@pytest.mark.parametrize(
    "about",
    [
        {"processes": 10**9},
        {"processes": 0},
        {"processes": 10**400},
        {"processes": 2},
        {"seconds": -1.0},
        {"seconds": float("inf")},
        {"seconds": []},
    ],
    ids=lambda about: str(about)[:30],
)
def test_impossible_numbers_are_refused(own: RunDirectory, about: dict[str, object]) -> None:
    rewrite(own.resume, lambda tensors, texts: texts["about"].update(about))
    refused(own, "cannot be resumed: ")


def test_bytes_that_are_no_deals_are_refused(own: RunDirectory) -> None:
    def change(tensors: dict[str, torch.Tensor], about: dict[str, Any]) -> None:
        states = tensors["deals.0.0.states"]
        states.copy_(torch.from_numpy(np.random.default_rng(1).integers(0, 256, states.shape).astype(np.uint8)))

    rewrite(own.resume, change)
    refused(own, "cannot be resumed: the state in row 0 is impossible: ")


@pytest.mark.parametrize(
    ("name", "value"),
    [("deals", -1), ("moves", -1), ("moves", 10**6), ("learner_seat", 5), ("counts", -1), ("counts", 2**40)],
)
def test_impossible_deals_are_refused(own: RunDirectory, name: str, value: int) -> None:
    rewrite(
        own.resume,
        lambda tensors, about: tensors.update(
            {f"deals.0.0.{name}": torch.full_like(tensors[f"deals.0.0.{name}"], value)}
        ),
    )
    refused(own, "cannot be resumed: its deals, moves or seats are impossible")
