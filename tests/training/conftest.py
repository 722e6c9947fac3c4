"""A finished run to look at, and none that draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from german_whist.envs.utils.files import write_atomically
from german_whist.training import records
from german_whist.training.records import TrainingOutcome
from tests.training.policy_iteration_runs import train_small


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    """A run that nobody may change."""
    return train_small(tmp_path_factory.mktemp("finished") / "run", evaluate_against=["random", "greedy"])


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    """Networks this small are fastest on one thread, the more so where other tests run beside these."""
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than these runs; the finished one has a real picture."""

    def draw(rows: Any, path: Path, title: str) -> None:
        write_atomically(path, f"{title}: {len(rows)} points".encode())

    monkeypatch.setattr(records, "draw_curve", draw)
