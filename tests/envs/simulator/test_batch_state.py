from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from german_whist.envs.simulator.batch import DealBatch


def play(batch: DealBatch, steps: int, rng: np.random.Generator) -> None:
    for _ in range(steps):
        batch.step((rng.random((batch.size, batch.num_actions)) * batch.action_mask()).argmax(axis=1))


@pytest.mark.parametrize("name", ["classic", "draft", "humbug", "tiny:open_stock=4"])
def test_a_saved_state_is_gone_back_to_with_its_history(name: str, rng: np.random.Generator) -> None:
    batch = DealBatch(name, 6, seed=2, history=True)
    play(batch, 5, rng)
    saved = pickle.loads(pickle.dumps(batch.get_state()))
    expected = batch.states.copy(), batch.history(seats=[0] * 6)
    play(batch, 3, rng)
    assert not np.array_equal(batch.states, expected[0])
    batch.set_state(saved)
    assert np.array_equal(batch.states, expected[0])
    np.testing.assert_equal(batch.history(seats=[0] * 6), expected[1])
    play(batch, 2, rng)
    batch.set_state(saved)
    assert np.array_equal(batch.states, expected[0])


def test_one_deal_is_copied_into_many_rows_of_another_batch(rng: np.random.Generator) -> None:
    batch = DealBatch("classic", 3, seed=2, history=True)
    play(batch, 11, rng)
    worlds = DealBatch("classic", 8, history=True)
    before = worlds.states.copy()
    worlds.set_state(batch.get_state([2] * 5), rows=[7, 1, 2, 3, 4])
    assert all(worlds.states[row] == batch.states[2] for row in (1, 2, 3, 4, 7))
    assert np.array_equal(worlds.states[[0, 5, 6]], before[[0, 5, 6]])
    np.testing.assert_array_equal(worlds.history(seats=[1] * 8)[0][7], batch.history(seats=[1] * 3)[0][2])


@pytest.mark.parametrize(
    ("rules", "rows", "history", "word"),
    [
        ("tiny", None, False, "other rules"),
        ("classic", [0], False, "the number of deals in the state must be 1, one a row, got 3"),
        ("classic", [0, 1, 4], False, "rows"),
        ("classic", None, True, "no history"),
    ],
)
def test_a_state_that_does_not_fit_is_refused_and_changes_nothing(
    rules: str, rows: Any, history: bool, word: str
) -> None:
    saved = DealBatch("classic", 3).get_state()
    batch = DealBatch(rules, 3, seed=5, history=history)
    before = batch.states.copy()
    with pytest.raises(ValueError, match=word):
        batch.set_state(saved, rows)
    assert np.array_equal(batch.states, before)


def test_rows_are_dealt_from_seeds_of_their_own() -> None:
    batch = DealBatch("classic", 3, seed=1)
    batch.deal_rows([0, 2], [4, 5], seeds=[8, 2**64 - 1])
    assert batch.states[0] == DealBatch("classic", 1, seed=8, first=4).states[0]
    assert batch.states[2] == DealBatch("classic", 1, seed=2**64 - 1, first=5).states[0]
    assert batch.states[1] == DealBatch("classic", 1, seed=1, first=1).states[0]
    with pytest.raises(ValueError, match=r"seed must be an integer .*, got -1"):
        batch.deal_rows([0], [0], seeds=[-1])


def test_some_rows_are_dealt_given_decks() -> None:
    batch = DealBatch("tiny", 3, seed=1)
    batch.deal_decks(["CA CK CQ CJ DA DK DQ DJ"], [1], rows=[2])
    other = DealBatch("tiny", 1)
    other.deal_decks(["CA CK CQ CJ DA DK DQ DJ"], [1])
    assert batch.states[2] == other.states[0]
    assert batch.states[0] == DealBatch("tiny", 1, seed=1).states[0]
