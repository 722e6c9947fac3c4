"""A finished run to look at, and none that draws or takes long at its end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from german_whist.evaluation import plots
from german_whist.game.utils.files import write_atomically
from german_whist.training.policy_iteration import trainer
from german_whist.training.run.outcome import TrainingOutcome
from tests.conftest import shared_folder
from tests.training.policy_iteration_runs import FINISHED, train_small
from tests.training.whole_runs import resume_run


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    """A run that nobody may change, trained by the first process that needs it."""
    with shared_folder(tmp_path_factory, "finished") as folder:
        return resume_run(folder) if folder.exists() else train_small(folder, **FINISHED)


@pytest.fixture(autouse=True, scope="module")
def short_runs() -> Iterator[None]:
    """One thread, which is fastest for networks this small; no picture, and a small value network's fit."""
    torch.set_num_threads(1)

    def draw(rows: Any, path: Path, title: str) -> None:
        write_atomically(path, f"{title}: {len(rows)} points".encode())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plots, "draw_curve", draw)
        patch.setattr(trainer, "VALUE_DEALS", 200)
        yield
