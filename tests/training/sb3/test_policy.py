"""The torch policy and the checkpoint made of it are the same player."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from torch import nn

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.canonical import canonical_views, decode_actions
from german_whist.agents.policy.checkpoint import load_checkpoint
from german_whist.agents.policy.network.forward import MLPForward
from german_whist.envs.engine.rules import rules
from german_whist.envs.observation.vector import observation_high, observation_layout
from german_whist.training.networks import LOW_SCALE
from german_whist.training.sb3.policy import policy_checkpoint, policy_settings
from german_whist.training.sb3.vec_env import SelfPlayVecEnv
from tests.strategies import GAMES
from tests.training.sb3.single_row import random_actions

HIDDEN = [[16], [24, 12], [16, 24, 8]]


def some_policy(env: SelfPlayVecEnv, hidden: list[int]) -> MaskablePPO:
    """A policy with weights as large as training makes them, its biases and last layer included."""
    model = MaskablePPO("MlpPolicy", env, seed=3, device="cpu", policy_kwargs=policy_settings(hidden, env.batch.rules))
    with torch.no_grad():
        for weight in model.policy.parameters():
            weight.copy_(torch.randn_like(weight) * 0.4)
    return model


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("name", ["classic", "tiny", "short", "high_low", "draft", "humbug"])
def test_the_checkpoint_chooses_as_the_policy_does(name: str, hidden: list[int], tmp_path: Path) -> None:
    game = GAMES.get(name) or rules(name)
    env, rng = SelfPlayVecEnv(game, 32, seed=1), np.random.default_rng(4)
    model = some_policy(env, hidden)
    policy_checkpoint(model.policy, game, {}).save(tmp_path / "made.safetensors")
    agent = PolicyAgent(load_checkpoint(tmp_path / "made.safetensors"))
    observations = env.reset()
    for _ in range(min(2 * game.tricks, 20)):
        masks, views = env.action_masks(), env.batch.views()
        seen = torch.as_tensor(observations, dtype=torch.float32)
        with torch.no_grad():
            features = model.policy.extract_features(seen)
            logits = model.policy.action_net(model.policy.mlp_extractor.forward_actor(features)).numpy()
            chances = model.policy.get_distribution(seen, masks).distribution.probs.numpy()
        np.testing.assert_allclose(
            MLPForward(agent.checkpoint.layers).logits(observations), logits, rtol=1e-4, atol=1e-4
        )
        cards, _ = model.predict(observations, deterministic=True, action_masks=masks)
        relabeling = canonical_views(views)[1]
        np.testing.assert_array_equal(agent.act(views, None), decode_actions(cards, relabeling))
        every = np.arange(game.num_actions)
        for row, order in enumerate(relabeling):
            named = decode_actions(every, np.repeat(order[None], game.num_actions, axis=0))
            np.testing.assert_allclose(agent.probabilities(views[row : row + 1])[0][named], chances[row], atol=1e-4)
        observations = env.step(random_actions(env, rng))[0]


@pytest.mark.parametrize("hidden", HIDDEN)
def test_every_hidden_layer_is_in_the_checkpoint_once(hidden: list[int]) -> None:
    env = SelfPlayVecEnv(GAMES["classic"], 2)
    made = policy_checkpoint(some_policy(env, hidden).policy, GAMES["classic"], {"decisions": 7})
    sizes = [observation_high("classic").size, *hidden, 52]
    assert made.model_card()["network"]["sizes"] == sizes
    assert [weight.shape for weight, _ in made.layers] == list(zip(sizes[1:], sizes[:-1], strict=True))
    assert all(array.dtype == np.float32 for layer in made.layers for array in layer)
    assert made.training == {"decisions": 7}
    assert made.rules == GAMES["classic"]


def test_the_checkpoint_does_not_change_with_the_policy() -> None:
    env = SelfPlayVecEnv(GAMES["tiny"], 2)
    model = some_policy(env, [8])
    made = policy_checkpoint(model.policy, GAMES["tiny"], {})
    before = [array.copy() for layer in made.layers for array in layer]
    with torch.no_grad():
        for weight in model.policy.parameters():
            weight.add_(1)
    for array, old in zip((array for layer in made.layers for array in layer), before, strict=True):
        np.testing.assert_array_equal(array, old)


def test_observations_are_scaled_to_at_most_one() -> None:
    env = SelfPlayVecEnv(GAMES["classic"], 2)
    trunk = some_policy(env, [8]).policy.features_extractor
    highest = torch.as_tensor(env.observation_space.high, dtype=torch.float32)
    assert (highest * trunk.scale).max() == 1
    assert highest.max() > 20


def test_another_kind_of_policy_is_refused() -> None:
    env = SelfPlayVecEnv(GAMES["tiny"], 2)
    model = MaskablePPO("MlpPolicy", env, device="cpu", policy_kwargs={"net_arch": [8], "activation_fn": nn.Tanh})
    with pytest.raises(TypeError, match="ScaledTrunk"):
        policy_checkpoint(model.policy, GAMES["tiny"], {})


def test_the_low_feature_is_scaled_above_any_card() -> None:
    scales = {}
    for name in ("classic", "high_low"):
        env = SelfPlayVecEnv(rules(name), 2)
        scales[name] = some_policy(env, [8, 8]).policy.features_extractor.scale
    low = observation_layout("high_low")["low"]
    assert scales["high_low"][low.start] == LOW_SCALE
    assert scales["high_low"].topk(2).values[1] <= 1
    assert scales["classic"].max() <= 1
