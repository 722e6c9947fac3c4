"""States that users set: those of play pass; others are refused before a kernel sees them, or can be played."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.game.rules import rule_names, rules
from german_whist.game.state import STATE
from german_whist.simulator.batch import BatchState, DealBatch
from german_whist.simulator.observation.full_state import full_states
from tests.players import play_randomly
from tests.presets import PRESETS


def set_states(batch: DealBatch, states: np.ndarray[Any, Any]) -> None:
    batch.set_state(BatchState(batch.rules, states, None, None))


@pytest.mark.parametrize("name", PRESETS)
def test_states_of_play_pass(name, rng):
    batch, copy = DealBatch(name, 64, seed=3), DealBatch(name, 64)
    while not batch.done.all():
        play_randomly(batch, rng, 1)
        copy.set_state(batch.get_state())
    np.testing.assert_array_equal(copy.returns(), batch.returns())


WRONG = [
    *(("turn", value) for value in (2, -1)),
    *(("decision", value) for value in (9, 4)),
    *(("led", value) for value in (60, 3)),
    ("trump", 100),
    *(("top", value) for value in (100, 52)),
    ("winner", -7),
    *(("face_up", value) for value in (0, 2**63)),
    *(("hands", value) for value in (0, 2**64 - 1)),
    *(("deck", value) for value in (0, 64)),
    ("tricks", 5),
    ("void_trick", -1),
    ("drawn", -1),
    ("low", 2),
    ("known", 2**52 - 1),
    ("discarded", 1),
    ("exchanged", 1),
]


@pytest.mark.parametrize(("field", "value"), WRONG)
def test_wrong_field_names_its_row(field, value, rng):
    batch, played = DealBatch("classic", 4, seed=9), DealBatch("classic", 4, seed=1)
    play_randomly(played, rng, 6)
    states = played.states
    before = batch.states.copy()
    states[field][2] = value
    with pytest.raises(ValueError, match="row 2"):
        set_states(batch, states)
    np.testing.assert_array_equal(batch.states, before)


@given(name=st.sampled_from(rule_names()), steps=st.integers(0, 40), seed=st.integers(0, 2**32), data=st.data())
def test_passing_bytes_are_playable(name, steps, seed, data):
    """A few bytes are replaced: either the state is refused, or the deal still ends with every card played once."""
    batch = DealBatch(name, 1, seed=seed)
    play_randomly(batch, np.random.default_rng(seed), steps)
    raw = batch.states.copy().view(np.uint8)
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, STATE.itemsize - 1))] = data.draw(st.integers(0, 255))
    try:
        set_states(batch, raw.view(STATE))
    except ValueError:
        return
    batch.observe()
    full_states(batch.rules, batch.states)
    play_randomly(batch, np.random.default_rng(seed), 2 * len(rules(name).cards))
    assert batch.done[0]
    game = batch.rules
    if not (game.race or game.humbug):  # a race ends early, and a humbug deals a part of the deck
        first, second = map(int, batch.states["played"][0])
        assert first & second == 0
        assert first.bit_count() + second.bit_count() == len(game.cards)
