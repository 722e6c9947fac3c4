"""The environment for Stable-Baselines3: the deals of Gymnasium's vector environment, as its learners need them."""

from __future__ import annotations

import re
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecCheckNan, VecMonitor

from german_whist.sb3 import GermanWhistVecEnv
from tests.players import lowest


@pytest.mark.parametrize("rules", ["classic", "draft", "high_low", "humbug", "race"])
@pytest.mark.parametrize("reward", ["margin", "win"])
def test_sb3_matches_vector_env(rules: str, reward: str) -> None:
    settings: dict[str, Any] = {"rules": rules, "opponent": "greedy", "reward": reward}
    known = gymnasium.make_vec("german_whist:GermanWhist-v0", 6, **settings)
    envs = GermanWhistVecEnv(6, **settings)
    envs.seed(3)
    seen, (expected, info) = envs.reset(), known.reset(seed=3)
    largest = []
    for _ in range(90):
        assert (seen == expected).all()
        assert all(envs.observation_space.contains(row) for row in seen)
        assert (envs.action_masks() == info["action_mask"]).all()
        seen, rewards, ends, infos = envs.step(lowest(envs.action_masks()))
        expected, paid, over, _, info = known.step(lowest(info["action_mask"]))
        assert (ends == over).all()
        assert (envs.deals == known.deals).all()
        assert (envs.final_deals == known.final_deals).all()
        for row in np.flatnonzero(ends):
            assert (infos[row]["terminal_observation"] == info["final_obs"][row]).all()
            if paid[row]:
                largest.append(paid[row] / rewards[row])
        assert not rewards[paid == 0].any()
        assert np.abs(rewards).max() <= 1
    assert len(largest) > 6
    np.testing.assert_allclose(largest, largest[0], rtol=1e-5)


def test_maskable_ppo_finds_masks() -> None:
    envs = GermanWhistVecEnv(8, rules="tiny", canonical=True, endgame="exact")
    envs.reset()
    assert is_masking_supported(envs)
    assert get_action_masks(envs).shape == (8, envs.rules.num_actions)
    monitored = VecMonitor(VecCheckNan(envs, raise_exception=True))
    model = MaskablePPO("MlpPolicy", monitored, n_steps=16, batch_size=32, seed=0, device="cpu")
    assert model.learn(256).num_timesteps == 256


@pytest.mark.parametrize("options", [5, [], [{}, {}], "deal", [5]])
def test_wrong_options_are_refused(options: Any) -> None:
    envs = GermanWhistVecEnv(1)
    with pytest.raises(ValueError, match=re.escape(repr(options))):
        envs.set_options(options)
    envs.set_options([{"deal": (1, 2)}])
    envs.reset()
