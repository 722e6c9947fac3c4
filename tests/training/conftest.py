"""A finished run to look at, and none that draws or takes long at its end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from german_whist.envs.utils.files import write_atomically
from german_whist.training import run, train
from german_whist.training.run import TrainingOutcome
from tests.training.policy_iteration_runs import train_small


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    """A run that nobody may change."""
    return train_small(tmp_path_factory.mktemp("finished") / "run", evaluate_against=["random", "greedy"])


@pytest.fixture(autouse=True, scope="module")
def short_runs() -> Iterator[None]:
    """One thread, which is fastest for networks this small; no picture, and a small value network's fit."""
    torch.set_num_threads(1)

    def draw(rows: Any, path: Path, title: str) -> None:
        write_atomically(path, f"{title}: {len(rows)} points".encode())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "draw_curve", draw)
        patch.setattr(train, "VALUE_DEALS", 200)
        yield
