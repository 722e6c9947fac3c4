"""States from a file: those of play pass, and one wrong field is enough to be refused before a kernel sees it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.envs.engine.rules import rule_names, rules
from german_whist.envs.engine.state import STATE
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.simulator.state_check import check_states
from tests.conftest import play_randomly


@pytest.mark.parametrize("name", rule_names())
def test_every_state_of_play_passes(name, rng):
    batch = DealBatch(name, 64, seed=3)
    while not batch.done.all():
        check_states(batch.rules, batch.states[~batch.done])
        play_randomly(batch, rng, 1)
    with pytest.raises(ValueError, match="row 0 is impossible: its deal is finished"):
        check_states(batch.rules, batch.states)


WRONG = [
    ("turn", 2, "its turn is out of range"),
    ("turn", None, "the other seat is to act"),
    ("decision", 9, "its decision is out of range"),
    ("decision", 4, "its rules have no such decision"),
    ("led", 60, "its led is out of range"),
    ("led", 3, "the number of cards played does not match the tricks"),
    ("trump", 100, "its trump is out of range"),
    ("trump", -1, "its trump suit is not that of the card turned up"),
    ("top", 100, "its top is out of range"),
    ("top", 52, "a card is in no place"),
    ("winner", -7, "its winner is out of range"),
    ("face_up", 0, "a card is in no place"),
    ("face_up", 2**63, "a card is in no place"),
    ("hands", 0, "a card is in no place"),
    ("hands", 2**64 - 1, "a card is in two places"),
    ("deck", 0, "its deck is not a permutation"),
    ("tricks", 5, "the number of cards played does not match the tricks"),
    ("void_trick", 9, "a void was shown after the last trick"),
    ("drawn", -1, "its drawn is out of range"),
    ("low", 1, "its low does not follow from the card turned up"),
]


@pytest.mark.parametrize(("field", "value", "reason"), WRONG, ids=lambda value: str(value)[:12])
def test_a_wrong_field_is_refused(positions, field, value, reason):
    batch = positions(size=4, steps=6)
    states = batch.states.copy()
    states[field][2] = 1 - states[field][2] if value is None else value
    with pytest.raises(ValueError, match=f"^the state in row 2 is impossible: {reason}"):
        check_states(batch.rules, states)


def test_a_done_that_is_no_flag_is_refused(positions):
    batch = positions(size=2, steps=6)
    states = batch.states.copy()
    states["done"].view(np.uint8)[1] = 7
    with pytest.raises(ValueError, match="its done is out of range"):
        check_states(batch.rules, states)


@given(name=st.sampled_from(rule_names()), steps=st.integers(0, 40), seed=st.integers(0, 2**32), data=st.data())
def test_bytes_that_pass_can_be_played_to_the_end(name, steps, seed, data):
    """A few bytes are replaced: either the check refuses them, or the deal still ends with every card played once."""
    batch = DealBatch(name, 1, seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        before = batch.states.copy()
        play_randomly(batch, rng, 1)
        if batch.done[0]:
            batch.states[:] = before
            break
    raw = batch.states.view(np.uint8)
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, STATE.itemsize - 1))] = data.draw(st.integers(0, 255))
    try:
        check_states(batch.rules, batch.states)
    except ValueError:
        return
    play_randomly(batch, rng, 2 * len(rules(name).cards))
    assert batch.done[0]
