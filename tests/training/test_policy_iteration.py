"""The algorithm: that its networks learn what it says, and its runs."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.policy.network.layers import LOGITS_PER_TRICK
from german_whist.game.rules import rules
from german_whist.training.policy_iteration.networks import LOGITS_PER_OUTPUT, Networks
from german_whist.training.policy_iteration.trainer import PolicyIteration
from german_whist.training.processes import Processes
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.outcome import TrainingOutcome
from german_whist.training.run.records import Periodic
from tests.training.policy_iteration_runs import ALL_PARTS, some_batch
from tests.training.policy_iteration_runs import small_config as config
from tests.training.policy_iteration_runs import train_small as run
from tests.training.whole_runs import resume_run

FAST = {"learning_rate": 1e-2, "learning_rate_end": 1e-2, "batch_size": 64, "ema_horizon": 640}


def some_algorithm(**changes: object) -> Networks:
    return Networks(config(**changes), torch.ones(20), 5, Processes())


def test_networks_learn_targets():
    algorithm = some_algorithm(**FAST, hidden=[256], value_hidden=[128])
    batch = some_batch()
    features, masks, q_targets, _, returns = vars(batch).values()
    first = algorithm.update(batch, 0.0)
    for _ in range(300):
        algorithm.freeze()
        last = algorithm.update(dataclasses.replace(batch, logits=algorithm.policy(features)), 0.0)
    algorithm.freeze()
    assert last["losses/loss"] < first["losses/loss"] / 5
    assert first["losses/value_explained_variance"] < 0.2
    assert min(last["losses/explained_variance"], last["losses/value_explained_variance"]) > 0.95
    estimated = algorithm.policy(features) / LOGITS_PER_TRICK
    repeated = algorithm.rollout_policy.frozen()(features) * 4
    for row in range(64):
        legal = masks[row]
        about, by_distilled, truth = (it[row][legal] - it[row][legal].mean() for it in (estimated, repeated, q_targets))
        assert torch.allclose(about, truth, atol=0.5)
        assert torch.allclose(by_distilled, truth, atol=3)
    assert ((repeated - estimated)[masks] ** 2).mean() < 0.2 * (estimated[masks] ** 2).mean()
    assert (algorithm.values(features)[:, 0] - returns).abs().max() < 0.5


def test_learning_rate_falls_to_its_end():
    algorithm = some_algorithm(learning_rate=3e-3, learning_rate_end=1e-3, decisions=1000)
    no_positions = some_batch(0)
    rates = [algorithm.update(no_positions, done / 1000)["charts/learning_rate"] for done in (0, 500, 750, 999, 1200)]
    np.testing.assert_allclose(rates, [3e-3, 2e-3, 1.5e-3, 1.002e-3, 1e-3])


@pytest.mark.parametrize("epochs", [1, 3])
def testminibatches(epochs):
    seen = list(some_algorithm(batch_size=8).minibatches(60, epochs))
    assert [len(rows) for rows in seen] == [8] * 7 * epochs
    for rows in np.split(np.concatenate([rows.numpy() for rows in seen]), epochs):
        assert len(set(rows)) == len(rows)


def test_init_takes_the_value_network():
    trained, fresh, batch = some_algorithm(), some_algorithm(seed=1), some_batch()
    *hidden, (weight, bias) = trained.value.layers()
    margin_and_win = weight * np.float32([[4], [-9]]), bias * np.float32([4, -9])
    checkpoint = Checkpoint(trained.layers(), rules("tiny"), value=(*hidden, margin_and_win))
    fresh.start_from(checkpoint, "it")
    torch.testing.assert_close(fresh.values(batch.features), trained.values(batch.features))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> TrainingOutcome:
    return run(tmp_path_factory.mktemp("policy_iteration") / "run", **ALL_PARTS)


def test_final_checkpoint_has_the_settings(finished):
    checkpoint = load_checkpoint(finished.run.final)
    assert (checkpoint.ranks, checkpoint.endgame) == ("live", "exact")
    assert (checkpoint.suit_layers, checkpoint.sizes[1:-1]) == (1, [6, 16, 6])
    assert "ent_coef" not in checkpoint.training["config"]
    assert checkpoint.results["random"]["endgame"] == "exact"
    assert finished.run.curve.exists()


def test_loaded_policy_is_distilled(finished, tmp_path):
    settings = config(**{**ALL_PARTS, "init": str(finished.run.final), "num_envs": 128, "learning_rate": 1e-2})
    state = PolicyIteration(settings, RunDirectory.create("run", tmp_path / "run"), Processes())
    state.run.begin(settings)
    state.begin()
    state.save()  # the pool's first member
    state.distill()
    batch, _ = state.collect()
    legal = batch.masks.float()
    policy, replies = (
        (found - (found * legal).sum(1, keepdim=True) / legal.sum(1, keepdim=True))[batch.masks]
        for found in (batch.logits, state.networks.replies(batch.features) * LOGITS_PER_OUTPUT)
    )
    assert ((policy - replies) ** 2).sum() < 0.3 * (policy**2).sum()


def test_resumed_run_is_equal(finished, tmp_path):
    settings = config(**ALL_PARTS)
    directory = RunDirectory.create("policy_iteration", tmp_path / "half")
    directory.begin(settings)
    state = PolicyIteration(settings, directory, Processes())
    state.save()
    save_is_due = Periodic(settings.checkpoint_every, 0)
    while state.decisions < 512:
        state.update()
        if save_is_due(state.decisions):
            state.save()
    state.save_snapshot()
    assert contents(resume_run(directory.path)) == contents(finished)


def test_policy_that_plays_during_lookahead_itself(finished, tmp_path):
    settings = {**ALL_PARTS, "rollout_hidden": 0, "init": str(finished.run.final), "learning_rate_end": 2e-3}
    whole = run(tmp_path / "whole", **settings)
    assert not whole.run.distilled.exists()
    run(tmp_path / "run", **settings, decisions=512)
    resumed = resume_run(tmp_path / "run", decisions=whole.decisions)
    assert weights(resumed.run.final) == weights(whole.run.final)
    alone = config(**{**settings, "opponents": {"self": 1}})
    state = PolicyIteration(alone, whole.run, Processes())
    batch, _ = state.collect()
    assert torch.equal(
        state.networks.replies(batch.features), state.networks.policy(batch.features) / LOGITS_PER_OUTPUT
    )


def contents(outcome: TrainingOutcome) -> list[bytes]:
    return weights(outcome.run.final) + weights(outcome.run.distilled)


def weights(checkpoint: Path) -> list[bytes]:
    return [array.tobytes() for layer in load_checkpoint(checkpoint).layers for array in layer]
