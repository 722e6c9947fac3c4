from __future__ import annotations

from itertools import pairwise

from german_whist.envs.engine.rules import rules
from german_whist.envs.observation.full_state import full_states, state_high, state_layout
from german_whist.envs.simulator.batch import DealBatch


def test_the_layout_covers_the_whole_vector() -> None:
    blocks = list(state_layout("classic").values())
    assert blocks[0].start == 0
    assert blocks[-1].stop == state_high("classic").size == full_states(rules("classic"), DealBatch().states).shape[1]
    assert all(before.stop == after.start for before, after in pairwise(blocks))
