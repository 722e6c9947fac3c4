from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from german_whist.envs.engine.rules import rule_names, rules
from german_whist.envs.observation.full_state import full_states, state_high, state_layout
from german_whist.envs.pettingzoo_env import raw_env
from german_whist.envs.simulator.batch import DealBatch


def test_the_layout_covers_the_whole_vector() -> None:
    blocks = list(state_layout("classic").values())
    assert blocks[0].start == 0
    assert blocks[-1].stop == state_high("classic").size == full_states(rules("classic"), DealBatch().states).shape[1]
    assert all(before.stop == after.start for before, after in pairwise(blocks))


@pytest.mark.parametrize("name", rule_names())
def test_the_environments_state_lies_in_its_space_and_is_the_engines(name: str, rng: np.random.Generator) -> None:
    environment = raw_env(rules=name)
    batch = DealBatch(name, 1, seed=3)
    environment.reset(seed=3)
    while True:
        assert environment.state_space.contains(environment.state())
        np.testing.assert_array_equal(environment.state(), full_states(batch.rules, batch.states)[0])
        if batch.done[0]:
            break
        action = int(rng.choice(np.flatnonzero(batch.action_mask()[0])))
        environment.step(action)
        batch.step([action])
