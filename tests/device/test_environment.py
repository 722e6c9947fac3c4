"""The vector environment in tensors plays what the one in arrays plays."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

from tests.players import random_legal

ID = "german_whist:GermanWhist-v0"
SETTINGS: list[dict[str, Any]] = [
    {"opponent": "heuristic"},
    {"opponent": "random", "rules": "draft", "reward": "win", "seat": 1},
    {"opponent": "greedy", "rules": "high_low:hand=10,stock=32", "endgame": "exact", "reward": "points"},
    {"opponent": "random", "rules": "tiny"},
    {"opponent": "heuristic", "rules": "draft", "canonical": True, "dense": True},
    {"opponent": "greedy", "endgame": "exact", "canonical": True, "dense": True},
    {"opponent": "greedy", "rules": "small", "canonical": True, "observation": "history"},
    {"opponent": "heuristic", "observation": "both", "observation_keys": ("obs", "mask")},
]


def assert_same(found: Any, expected: Any) -> None:
    """Compare a tensor and an array, or dictionaries of them."""
    parts = found.items() if isinstance(found, dict) else [("", found)]
    for name, tensor in parts:
        np.testing.assert_array_equal(tensor.numpy(), expected[name] if name else expected)


@pytest.mark.parametrize("settings", SETTINGS)
def test_steps_match_arrays(settings: dict[str, Any]) -> None:
    arrays = gymnasium.make_vec(ID, num_envs=20, **settings)
    tensors = gymnasium.make_vec(ID, num_envs=20, device="cpu", **settings)
    (seen, info), (same_seen, same_info) = arrays.reset(seed=3), tensors.reset(seed=3)
    rng = np.random.default_rng(0)
    ended = 0
    for step in range(90):
        if step == 40:
            (seen, info), (same_seen, same_info) = arrays.reset(), tensors.reset()
        assert_same(same_seen, seen)
        np.testing.assert_array_equal(same_info["action_mask"].numpy(), info["action_mask"])
        np.testing.assert_array_equal(same_info["illegal"].numpy(), info["illegal"])
        np.testing.assert_array_equal(tensors.unwrapped.action_masks().numpy(), arrays.unwrapped.action_masks())
        actions = random_legal(info["action_mask"], rng)
        actions[rng.random(20) < 0.02] = 51
        seen, rewards, terminations, _, info = arrays.step(actions)
        same_seen, same_rewards, same_terminations, truncations, same_info = tensors.step(torch.from_numpy(actions))
        np.testing.assert_array_equal(same_rewards.numpy(), rewards)
        np.testing.assert_array_equal(same_terminations.numpy(), terminations)
        assert not truncations.any()
        for row in np.flatnonzero(terminations):
            last = same_info["final_obs"]
            is_dict = isinstance(last, dict)
            assert_same(
                {name: part[row] for name, part in last.items()} if is_dict else last[row], info["final_obs"][row]
            )
        ended += terminations.sum()
    assert ended > 10


def test_settings_without_tensors_are_refused() -> None:
    for setting in ({"render_mode": "ansi"}, {"match": "best_of:3"}, {"autoreset_mode": "NEXT_STEP"}):
        with pytest.raises(ValueError, match=next(iter(setting))):
            gymnasium.make_vec(ID, num_envs=2, device="cpu", **setting)
    with pytest.raises(ValueError, match="uses histories"):
        gymnasium.make_vec(ID, num_envs=2, device="cpu", opponent="champion:search=8")
    envs = gymnasium.make_vec(ID, num_envs=2, device="cpu")
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(torch.zeros(2, dtype=torch.int64))
    envs.reset(seed=0)
    for wrong in (torch.zeros(2), torch.zeros(3, dtype=torch.int64)):
        with pytest.raises(ValueError, match="actions must"):
            envs.step(wrong)
