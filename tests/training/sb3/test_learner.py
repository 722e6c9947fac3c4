"""How a learner follows its settings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from stable_baselines3.common.logger import Logger

from german_whist.training.run.directory import RunDirectory
from german_whist.training.sb3.trainer import SB3Learner
from tests.training.sb3_runs import ROLLOUT, tiny_config


def learner_of(tmp_path: Path, **changes: object) -> SB3Learner:
    config = tiny_config(**changes)
    run = RunDirectory.create("mine", tmp_path / "run")
    run.begin(config)
    learner = SB3Learner(config, run)
    learner.model.set_logger(Logger(None, []))
    return learner


def rate_now(learner: SB3Learner) -> float:
    return float(learner.model.policy.optimizer.param_groups[0]["lr"])


def test_the_step_size_falls_from_the_first_to_the_last(tmp_path: Path) -> None:
    learner = learner_of(tmp_path, learning_rate=0.01, learning_rate_end=0.002, decisions=4 * ROLLOUT)
    schedule = learner.model.lr_schedule
    assert [schedule(left) for left in (1.0, 0.5, 0.0)] == pytest.approx([0.01, 0.006, 0.002])
    learner.model.learn(4 * ROLLOUT)
    assert rate_now(learner) == pytest.approx(0.002)


def test_the_step_size_is_never_below_the_last_even_where_a_rollout_is_longer_than_the_run(tmp_path: Path) -> None:
    learner = learner_of(tmp_path, learning_rate=0.01, learning_rate_end=0.0, decisions=10)
    learner.model.learn(10)
    assert learner.decisions == ROLLOUT
    assert rate_now(learner) == 0


def test_the_entropy_coefficient_falls_from_start_to_end(tmp_path: Path) -> None:
    learner = learner_of(tmp_path, ent_coef=0.1, ent_coef_end=0.02, decisions=1000)
    weights = []
    for decisions in (0, 500, 1000, 2000):
        learner.model.num_timesteps = decisions
        learner.begin_rollout()
        weights.append(learner.model.ent_coef)
    assert weights == pytest.approx([0.1, 0.06, 0.02, 0.02])


def test_settings_reach_the_model(tmp_path: Path) -> None:
    model = learner_of(tmp_path, epochs=3).model
    assert (model.n_epochs, model.n_steps, model.batch_size, model.env.num_envs) == (3, 16, 64, 8)
    assert model.rollout_buffer.gamma == 1


def test_a_batch_is_never_larger_than_a_rollout(tmp_path: Path) -> None:
    assert learner_of(tmp_path, batch_size=10**6).model.batch_size == ROLLOUT


def test_evaluations_meet_the_same_deals_every_time(tmp_path: Path) -> None:
    learner = learner_of(tmp_path, evaluate_against=["random", "greedy"])
    assert learner.evaluate(30) == learner.evaluate(30)
    assert [result.second for result in learner.evaluate(5)] == ["random", "greedy"]


def test_evaluation_leaves_the_course_of_training_alone(tmp_path: Path) -> None:
    weights = []
    for name, evaluates in (("with", True), ("without", False)):
        learner = learner_of(tmp_path / name)
        if evaluates:
            learner.evaluate(20)
        learner.model.learn(ROLLOUT)
        weights.append(learner.checkpoint().layers[0][0])
    np.testing.assert_array_equal(*weights)
