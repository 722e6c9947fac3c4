from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import german_whist as gw


@pytest.mark.parametrize("name", gw.rule_names())
@pytest.mark.parametrize("match", [None, "first_to:7", "best_of:3"])
def test_no_reward_is_larger_than_the_limit_of_the_environment(name: str, match: Any) -> None:
    rng = np.random.default_rng(1)
    for reward in ("margin", "win", "points"):
        environment = gw.raw_env(rules=name, reward=reward, match=match)
        environment.reset(seed=1)
        while not any(environment.terminations.values()):
            environment.step(int(rng.choice(np.flatnonzero(environment.action_masks()))))
        assert max(environment.rewards.values()) <= environment.reward_limit
