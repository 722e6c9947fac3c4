from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import german_whist as gw
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch import DealBatch


@pytest.mark.parametrize("name", gw.rule_names())
def test_every_state_gives_the_seat_to_act_the_same_view_and_can_be_played_out(name: str) -> None:
    rng = np.random.default_rng(3)
    batch = DealBatch(name, 1, seed=3)
    worlds = DealBatch(name, 16)
    while not batch.done[0]:
        view = batch.views()
        worlds.set_state(gw.sample_states(view[0], name, 16, rng))
        assert (worlds.views() == view[0]).all()
        hands = set(worlds.states["hands"][:, 1].tolist())
        assert len(hands) > 1 or batch.states["played"].any()
        while not worlds.done.all():
            worlds.step(worlds.action_mask().argmax(axis=1))
        batch.step([int(rng.choice(np.flatnonzero(batch.action_mask()[0])))])


def test_states_are_those_of_the_generator_or_seed() -> None:
    view = DealBatch("classic").views()
    first = gw.sample_states(view, "classic", 4, 7)
    assert np.array_equal(gw.sample_states(view, "classic", 4, np.random.default_rng(7)).states, first.states)
    assert not np.array_equal(gw.sample_states(view, "classic", 4, 8).states, first.states)


def test_what_is_not_one_view_of_a_seat_to_act_is_refused() -> None:
    batch = DealBatch("classic", 2)
    wrong: list[Any] = [batch.views(), batch.views([0], [1 - batch.turn[0]]), np.zeros(1), np.zeros(1, VIEW), 5]
    for view in wrong:
        with pytest.raises(ValueError, match="one view of a seat to act"):
            gw.sample_states(view, "classic")
