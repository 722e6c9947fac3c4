"""A batch in tensors has the deals, observations and states of one in arrays, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.views import VIEW
from tests.players import random_legal

SIZE = 40


def both(rules: str = "small", **settings: Any) -> tuple[Any, Any]:
    return DealBatch(rules, SIZE, 7, **settings), DealBatch(rules, SIZE, 7, device="cpu", **settings)


def assert_same_states(arrays: Any, tensors: Any) -> None:
    assert arrays.states.tobytes() == tensors.states.bytes.numpy().tobytes()


@pytest.mark.parametrize(
    ("rules", "endgame"),
    [("classic", "exact"), ("draft", "played"), ("high_low", "exact"), ("humbug", "played"), ("race", "exact")],
)
def test_tensors_match_arrays(rules: str, endgame: str) -> None:
    arrays, tensors = both(rules, endgame=endgame)
    rng = np.random.default_rng(0)
    while not arrays.done.all():
        masks, seats = arrays.action_mask(), rng.integers(0, 2, SIZE)
        np.testing.assert_array_equal(tensors.action_mask().numpy(), masks)
        np.testing.assert_array_equal(tensors.legal().numpy().view(np.uint64), arrays.legal())
        np.testing.assert_array_equal(tensors.observe().numpy(), arrays.observe())
        np.testing.assert_array_equal(tensors.observe(seats=seats).numpy(), arrays.observe(seats=seats))
        np.testing.assert_array_equal(
            tensors.views(seats=seats).bytes.numpy().view(VIEW)[:, 0], arrays.views(None, seats)
        )
        actions = random_legal(masks, rng)
        arrays.step(actions)
        tensors.step(torch.from_numpy(actions))
        np.testing.assert_array_equal(tensors.turn.numpy(), arrays.turn)
        np.testing.assert_array_equal(tensors.done.numpy(), arrays.done)
        assert_same_states(arrays, tensors)
    for reward in ("margin", "win", "points"):
        np.testing.assert_array_equal(tensors.returns(reward).numpy(), arrays.returns(reward))


def test_rows_dealt_match_arrays() -> None:
    arrays, tensors = both()
    decks = [list(arrays.rules.cards), list(arrays.rules.cards)[::-1]]
    for batch in (arrays, tensors):
        batch.deal_rows([3, 1], np.array([2**64 - 1, 5], np.uint64), np.array([2**63, 0], np.uint64), [1, 0])
        batch.deal_decks(decks, [1, 0], [0, 2])
        batch.step(batch.action_mask()[4:6].argmax(1), rows=[4, 5])
    assert_same_states(arrays, tensors)
    arrays.reset(9)
    tensors.reset(9)
    assert_same_states(arrays, tensors)


def test_saved_states_are_restored_or_refused() -> None:
    _, tensors = both()
    saved = tensors.get_state([5, 5])
    tensors.step(tensors.action_mask().argmax(1))
    tensors.set_state(saved, rows=[0, 1])
    fresh = DealBatch("small", SIZE, 7, device="cpu")
    assert (tensors.states.bytes[:2] == fresh.states.bytes[5]).all()
    with pytest.raises(ValueError, match="of other rules"):
        DealBatch("classic", 2, device="cpu").set_state(saved)
    arrays = DealBatch("small", 2)
    for target, state in ((arrays, saved), (tensors, arrays.get_state())):
        with pytest.raises(ValueError, match="another device"):
            target.set_state(state, rows=[0, 1])
    with pytest.raises(ValueError, match="number of deals"):
        tensors.set_state(saved, rows=[0])
    saved.states.bytes[1] = 7
    with pytest.raises(ValueError, match="row 1"):
        tensors.set_state(saved, rows=[0, 1])


@pytest.mark.parametrize("device", ["nowhere", "meta", "cuda:99", 3.5])
def test_unknown_devices_are_refused(device: Any) -> None:
    with pytest.raises(ValueError, match="device"):
        DealBatch("small", 2, device=device)


@pytest.mark.parametrize("rules", ["small", "humbug"])
def test_histories_match_arrays(rules: str) -> None:
    arrays, tensors = both(rules, history=True, canonical=True)
    rng, saved = np.random.default_rng(0), tensors.get_state()
    while not arrays.done.all():
        seats = rng.integers(0, 2, SIZE)
        for keywords in ({}, {"seats": seats}, {"rows": [3, 1]}):
            for found, expected in zip(tensors.history(**keywords), arrays.history(**keywords), strict=True):
                np.testing.assert_array_equal(found.numpy(), expected, strict=True)
        actions = random_legal(arrays.action_mask(), rng)
        for batch in (arrays, tensors):
            batch.step(actions)
    first = tensors.history()[1]
    tensors.set_state(saved)
    assert (tensors.history()[1] < first).all()
