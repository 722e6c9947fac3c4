"""The self-play environment as Stable-Baselines3 uses it, and the rewards that its learner gets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecCheckNan, VecMonitor

from german_whist.envs.engine.rules import rules
from german_whist.training.sb3.vec_env import SelfPlayRolloutBuffer, SelfPlayVecEnv
from tests.envs.players import Lowest
from tests.strategies import GAMES
from tests.training.sb3.single_row import random_actions

MIXED = [(0.5, None), (0.5, Lowest)]


def filled_buffer(env: SelfPlayVecEnv, steps: int, seed: int = 0) -> SelfPlayRolloutBuffer:
    """A rollout of random play in which every decision was expected to be worth 0, credited for the whole deal."""
    rng = np.random.default_rng(seed)
    rows = env.num_envs
    buffer = SelfPlayRolloutBuffer(
        steps, env.observation_space, env.action_space, "cpu", 1.0, 1.0, rows, source=env
    )  # fmt: skip
    buffer.reset()
    observations, starts, nothing = env.reset(), np.ones(rows), torch.zeros(rows)
    for _ in range(steps):
        masks, actions = env.action_masks(), random_actions(env, rng)
        following, rewards, dones, _ = env.step(actions)
        buffer.add(observations, actions[:, None], rewards, starts, nothing, nothing, action_masks=masks)
        observations, starts = following, dones
    buffer.compute_returns_and_advantage(nothing, dones)
    return buffer


@pytest.mark.parametrize("opponents", [[(1, None)], [(1, Lowest)], MIXED])
@pytest.mark.parametrize("name", ["classic", "tiny", "one_suit"])
def test_the_learner_gets_negative_rewards_for_losses(name: str, opponents: Any) -> None:
    env = SelfPlayVecEnv(GAMES[name], 16, reward="win", opponents=opponents)
    buffer = filled_buffer(env, 4 * GAMES[name].tricks)
    rewards_seen: list[float] = []
    lost_without_the_last_card = 0
    for row in range(16):
        first = 0
        for end in np.flatnonzero(buffer.ends[:, row]):
            result = buffer.seat_rewards[end, row]
            deal = range(first, end + 1)
            for seat in {int(buffer.seats[step, row]) for step in deal}:
                own = [step for step in deal if buffer.seats[step, row] == seat]
                # Every decision is credited with the end of the deal, the seat's last one included.
                assert buffer.returns[own, row].tolist() == [result[seat]] * len(own)
                rewards_seen.append(float(result[seat]))
                lost_without_the_last_card += bool(result[seat] < 0 and own[-1] < end)
            first = end + 1
    assert {-1.0, 1.0} <= set(rewards_seen)
    if opponents == [(1, None)]:
        assert rewards_seen.count(-1.0) == rewards_seen.count(1.0) > 10
        # Whoever leads the last of tiny's two counted tricks has won the other, so he cannot lose the deal.
        assert lost_without_the_last_card == 0 if name == "tiny" else lost_without_the_last_card > 3


def test_losses_are_paid_when_the_opponent_plays_the_last_card() -> None:
    # The learner leads the last trick, the opponent answers, and the deal is lost.
    env = SelfPlayVecEnv(rules("classic"), 64, reward="win", opponents=[(1, Lowest)])
    rng = np.random.default_rng(1)
    env.reset()
    lost_to_the_last_card = 0
    for step in range(1, 5 * env.batch.rules.tricks + 1):
        leads = env.batch.states["led"] < 0
        _, rewards, dones, _ = env.step(random_actions(env, rng))
        assert (dones == (step % env.batch.rules.tricks == 0)).all()
        lost_to_the_last_card += int((dones & leads & (rewards == -1)).sum())
    assert lost_to_the_last_card > 20


def test_advantages_are_compared_with_the_values_of_the_policy() -> None:
    env = SelfPlayVecEnv(rules("tiny"), 4, reward="win")
    buffer = filled_buffer(env, 24)
    plain = buffer.returns.copy()
    buffer.values[:] = 0.25
    buffer.compute_returns_and_advantage(torch.zeros(4), env.ended)
    np.testing.assert_allclose(buffer.advantages, plain - 0.25, atol=1e-6)
    np.testing.assert_allclose(buffer.returns, plain, atol=1e-6)


def test_a_truncated_deal_bootstraps_with_opposite_signs_for_the_seats() -> None:
    env = SelfPlayVecEnv(rules("classic"), 32, reward="win")
    buffer = filled_buffer(env, 5)
    assert not buffer.ends.any()
    buffer.compute_returns_and_advantage(torch.full((32,), 0.5), env.ended)
    expected = np.where(buffer.seats == env.batch.turn, 0.5, -0.5)
    np.testing.assert_allclose(buffer.returns, expected)
    assert len(np.unique(expected)) == 2


def test_a_buffer_can_be_used_again() -> None:
    env = SelfPlayVecEnv(rules("tiny"), 2)
    buffer = filled_buffer(env, 16)
    assert buffer.ends.any()
    buffer.reset()
    for features in (buffer.ends, buffer.seats, buffer.seat_rewards, buffer.observations):
        assert not features.any()


def test_spaces_hold_what_is_shown_and_masks_are_of_the_actions() -> None:
    for name in ("classic", "tiny", "three_suits", "no_time"):
        env = SelfPlayVecEnv(GAMES[name], 3, opponents=[(2, None), (1, Lowest)])
        rng = np.random.default_rng(3)
        observations = env.reset()
        for _ in range(60):
            assert observations.dtype == np.int8
            assert all(env.observation_space.contains(row) for row in observations)
            masks = env.action_masks()
            assert masks.shape == (3, env.action_space.n)
            assert masks.any(axis=1).all()
            observations, rewards, dones, infos = env.step(random_actions(env, rng))
            assert rewards.shape == dones.shape == (3,)
            assert len(infos) == 3
            for row in np.flatnonzero(dones):
                assert env.observation_space.contains(infos[row]["terminal_observation"])


def test_masking_is_supported() -> None:
    env = SelfPlayVecEnv(rules("tiny"), 3)
    env.reset()
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.dtype == np.bool_
    np.testing.assert_array_equal(masks, env.action_masks())


def test_attributes_and_methods_answer_for_each_row_asked_for() -> None:
    env = SelfPlayVecEnv(rules("tiny"), 4)
    env.reset()
    assert env.get_attr("render_mode") == [None] * 4
    assert env.get_attr("num_envs", indices=[0, 2]) == [4, 4]
    assert len(env.env_method("action_masks", indices=[3, 1])) == 2
    np.testing.assert_array_equal(env.env_method("action_masks", indices=3)[0], env.action_masks()[3])
    env.set_attr("render_mode", "ansi")
    assert env.get_attr("render_mode", indices=1) == ["ansi"]
    assert env.has_attr("action_masks")
    assert not env.has_attr("no_such_thing")
    assert env.env_is_wrapped(VecMonitor) == [False] * 4
    env.seed(3)
    env.close()


def test_common_wrappers_work_and_masks_pass_through_them() -> None:
    env = VecCheckNan(VecMonitor(SelfPlayVecEnv(rules("tiny"), 4, opponents=MIXED)), raise_exception=True)
    env.reset()
    lengths = []
    for _ in range(16):
        masks = get_action_masks(env)
        _, _, _, infos = env.step(masks.argmax(axis=1))
        lengths += [info["episode"]["l"] for info in infos if "episode" in info]
    assert sorted(lengths) == [4] * 8 + [8] * 4


@pytest.mark.parametrize("own_buffer", [True, False])
def test_maskable_ppo_learns_on_it(own_buffer: bool) -> None:
    env = SelfPlayVecEnv(rules("tiny"), 4, opponents=MIXED)
    settings: dict[str, Any] = {}
    if own_buffer:
        settings = {"rollout_buffer_class": SelfPlayRolloutBuffer, "rollout_buffer_kwargs": {"source": env}}
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=1, device="cpu",
        policy_kwargs={"net_arch": [8]}, **settings,
    )  # fmt: skip
    before = [weight.clone() for weight in model.policy.parameters()]
    model.learn(128)
    assert model.num_timesteps == 128
    assert any((weight != old).any() for weight, old in zip(model.policy.parameters(), before, strict=True))
    assert all(torch.isfinite(weight).all() for weight in model.policy.parameters())
