"""The observation vector: its layout, its bounds, and the way back to the view."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.full_state import full_states, state_high, state_layout
from german_whist.simulator.observation.vector import observation_high, observation_layout, view_from_observation
from tests.strategies import GAMES


@pytest.mark.parametrize("name", GAMES)
def test_layouts_have_no_gaps(name: str) -> None:
    rules = GAMES[name]
    batch = DealBatch(rules)
    for layout, high, vectors in (
        (observation_layout(rules), observation_high(rules), batch.observe()),
        (state_layout(rules), state_high(rules), full_states(rules, batch.states)),
    ):
        stop = 0
        for block in layout.values():
            assert block.start == stop < block.stop
            stop = block.stop
            assert (high[block.start : block.stop] == block.high).all()
        assert stop == high.size == vectors.shape[1]
    assert batch.num_observations == batch.observe().shape[1]


@pytest.mark.parametrize("shape", [(), (442,), (3, 444), (1, 1, 443)])
def test_wrong_length_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="443"):
        view_from_observation(np.zeros(shape, np.int8))


def test_normalised_observation_is_refused() -> None:
    with pytest.raises(ValueError, match="normalisation"):
        view_from_observation(DealBatch("classic", 1).observe() / 13)
