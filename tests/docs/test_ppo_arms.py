"""``tools.ppo_arms``: advantages are those of their definition, and a stopped run goes on as if it had not been."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tools.ppo_arms import Arm, Training, arm_of, restore, save, traced


def test_generalised_advantages() -> None:
    values, results = np.array([1.0, 10.0, 2.0, 4.0]), np.array([8.0, 20.0, 8.0, 8.0])
    seats = np.array([3, 0, 3, 3])  # one seat decides three times, another once
    assert traced(values, seats, results, 1.0) == pytest.approx(results - values)
    assert traced(values, seats, results, 0.0) == pytest.approx([1, 10, 2, 4])
    assert traced(values, seats, results, 0.5) == pytest.approx([1 + 0.5 * (2 + 0.5 * 4), 10, 2 + 0.5 * 4, 4])


def test_sum_of_arms() -> None:
    both = arm_of("exact+anneal+width")
    assert (both.endgame, both.ends, both.changes) == ("exact", {"learning_rate": 0.0}, {"hidden": 512})


def test_training_goes_on_from_a_snapshot(tmp_path: Path) -> None:
    arm = Arm("", {"size": 8, "hidden": 16}, {"learning_rate": 0.0}, trace=0.9, critic=True)
    training, other = Training(1, arm), Training(2, arm)
    training.update_at(0.0)
    save(training, tmp_path / "run.pt")
    training.update_at(0.5)
    restore(other, tmp_path / "run.pt")
    other.update_at(0.5)
    assert all(map(torch.equal, training.learner.parameters(), other.learner.parameters()))
    assert all(map(torch.equal, training.critic.parameters(), other.critic.parameters()))
    assert other.decisions == training.decisions
