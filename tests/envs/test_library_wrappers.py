"""Wrappers of Gymnasium that learners use go around our environments and say what is true."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.wrappers import vector

from tests.players import Random

GAME = "german_whist:GermanWhist-v0"
ROWS = 3

pytestmark = pytest.mark.filterwarnings("error::UserWarning")


def test_flattened_observation_is_mask_and_observation() -> None:
    settings = {"rules": "tiny", "opponent": "greedy", "observation_keys": ("observation", "action_mask")}
    plain = gymnasium.make(GAME, **settings)
    flat = wrappers.FlattenObservation(gymnasium.make(GAME, **settings))
    (given, info), (found, _), terminated = plain.reset(seed=1), flat.reset(seed=1), False
    while not terminated:
        assert flat.observation_space.contains(found)
        np.testing.assert_array_equal(found, np.concatenate([given["action_mask"], given["observation"]]))
        action = int(info["action_mask"].argmax())
        given, _, terminated, _, info = plain.step(action)
        found = flat.step(action)[0]


def test_recorded_episode_has_its_steps_and_reward() -> None:
    env = wrappers.RecordEpisodeStatistics(gymnasium.make(GAME, rules="tiny", opponent=Random()))
    (_, info), terminated, rewards = env.reset(seed=1), False, []
    while not terminated:
        _, reward, terminated, _, info = env.step(int(info["action_mask"].argmax()))
        rewards.append(float(reward))
    assert info["episode"]["r"] == sum(rewards)
    assert info["episode"]["l"] == len(rewards)


def test_recorded_episodes_of_a_vector_have_their_steps_and_rewards() -> None:
    made = gymnasium.make_vec(GAME, ROWS, rules="tiny", opponent=Random(), autoreset_mode="NEXT_STEP")
    envs = vector.RecordEpisodeStatistics(made)
    (_, info), ended = envs.reset(seed=1), np.zeros(ROWS, np.int64)
    rewards, steps, is_new = np.zeros(ROWS), np.zeros(ROWS, np.int64), np.zeros(ROWS, bool)
    while ended.min() < 2:
        _, reward, terminated, _, info = envs.step(info["action_mask"].argmax(1))
        rewards, steps = np.where(is_new, 0, rewards + reward), np.where(is_new, 0, steps + 1)
        for row in np.flatnonzero(terminated):
            assert (info["episode"]["r"][row], info["episode"]["l"][row]) == (rewards[row], steps[row])
        ended, is_new = ended + terminated, terminated
