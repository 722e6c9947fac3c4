"""``ObservationAgent``: a function of observations and masks plays like the agent that it stands for."""

from __future__ import annotations

import numpy as np
import pytest

import german_whist as gw


@pytest.mark.parametrize("rules", ["classic", "draft"])
def test_it_sees_the_observations_and_masks_of_the_environments(rules: str) -> None:
    batch = gw.DealBatch(rules, size=20, seed=3)
    seen = []

    def choose(observations: np.ndarray, masks: np.ndarray) -> list[int]:
        seen.append((observations, masks))
        return masks.argmax(axis=1).tolist()

    actions = gw.ObservationAgent(choose, rules).act(batch.views(), None)
    assert np.array_equal(seen[0][0], batch.observe())
    assert np.array_equal(seen[0][1], batch.action_mask() == 1)
    assert (actions.dtype, actions.shape) == (np.int64, (20,))
    assert np.array_equal(actions, batch.action_mask().argmax(axis=1))


def test_it_plays_a_match_under_its_name() -> None:
    lowest = gw.ObservationAgent(lambda _, masks: masks.argmax(axis=1), "small", name="lowest")
    result = gw.play_match(lowest, "random", deals=20, rules="small")
    assert (result.first, result.deals) == ("lowest", 20)
