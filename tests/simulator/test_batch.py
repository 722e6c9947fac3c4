"""Batches of deals: what they do with their rows, and what they refuse."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from german_whist.game.rules import Rules
from german_whist.simulator.batch import DealBatch
from tests.players import play_randomly, random_legal
from tests.reference.plain import NAMES, raw
from tests.strategies import games, seeds

FIRST = "CJ CQ DJ DQ CK DK CA DA"


def snapshot(batch: DealBatch) -> bytes:
    return raw(batch.states)


@settings(max_examples=30)
@given(games(), seeds, st.integers(1, 9))
def test_rows_independent_of_batch(rules: Rules, seed: int, size: int) -> None:
    whole = DealBatch(rules, size, seed)
    single = [DealBatch(rules, 1, seed, first=row) for row in range(size)]
    rng = np.random.default_rng(seed)
    while not whole.done.all():
        assert whole.legal().tolist() == [int(batch.legal()[0]) for batch in single]
        np.testing.assert_array_equal(whole.observe(), np.concatenate([batch.observe() for batch in single]))
        actions = random_legal(whole.action_mask(), rng)
        whole.step(actions)
        for action, batch in zip(actions, single, strict=True):
            batch.step([action])
    for reward in ("margin", "win", "points"):
        np.testing.assert_array_equal(
            whole.returns(reward), np.concatenate([batch.returns(reward) for batch in single])
        )


def test_finished_rows_stay(rng: np.random.Generator) -> None:
    batch = DealBatch("tiny", 3, seed=1)
    play_randomly(batch, rng)
    batch.deal_rows([1], [7])
    fresh = DealBatch("tiny", 1, seed=1, first=7)
    finished = raw(batch.states[[0, 2]])
    while not batch.done.all():
        assert not batch.returns()[1].any()
        assert not batch.action_mask()[[0, 2]].any()
        action = fresh.action_mask().argmax(axis=1)
        fresh.step(action)
        batch.step([2**40, action[0], -5])
    assert raw(batch.states[[0, 2]]) == finished
    assert raw(batch.states[[1]]) == raw(fresh.states)


def test_step_leaves_other_rows() -> None:
    whole, part = DealBatch("classic", 5, seed=6), DealBatch("classic", 5, seed=6)
    actions = whole.action_mask().argmax(axis=1)
    whole.step(actions)
    part.step(actions[[4, 1]], [4, 1])
    assert raw(part.states[[1, 4]]) == raw(whole.states[[1, 4]])
    assert raw(part.states[[0, 2, 3]]) == raw(DealBatch("classic", 5, seed=6).states[[0, 2, 3]])
    part.step(actions[[0, 2, 3]], np.array([0, 2, 3]))
    assert snapshot(part) == snapshot(whole)
    part.step([], [])
    assert snapshot(part) == snapshot(whole)


# Dealing.


def test_deal_rows_deals_addresses() -> None:
    batch = DealBatch("classic", 5, seed=4)
    play_randomly(batch, np.random.default_rng(0), 11)
    before = batch.states.copy()
    batch.deal_rows([3, 1], [1001, 2**64 - 2])
    batch.deal_rows([4], [5], seeds=[2**64 - 1])
    batch.deal_rows([], [])
    for row, seed, deal in ((3, 4, 1001), (1, 4, 2**64 - 2), (4, 2**64 - 1, 5)):
        assert raw(batch.states[[row]]) == raw(DealBatch("classic", 1, seed, deal).states)
    assert raw(batch.states[[0, 2]]) == raw(before[[0, 2]])


def test_deal_decks_deals_given_decks() -> None:
    batch = DealBatch("tiny", 4, seed=8)
    given_decks = DealBatch("tiny", 5, seed=1)
    play_randomly(given_decks, np.random.default_rng(0), 4)
    before = given_decks.states.copy()
    numbers = [state["deck"][:8].tolist() for state in batch.states]
    texts = [" ".join(NAMES[card] for card in deck) for deck in numbers]
    decks = [texts[0], numbers[1], np.array(numbers[2]), texts[3]]
    given_decks.deal_decks(decks, batch.states["dealer"], rows=[0, 1, 2, 3])
    assert raw(given_decks.states[:4]) == snapshot(batch)
    assert given_decks.states[4] == before[4]


# States that are kept.


@pytest.mark.parametrize("name", ["classic", "draft", "humbug", "tiny:open_stock=4"])
def test_saved_state_is_restored(name: str, rng: np.random.Generator) -> None:
    batch = DealBatch(name, 6, seed=2, history=True)
    play_randomly(batch, rng, 5)
    saved = pickle.loads(pickle.dumps(batch.get_state()))
    expected = batch.states.copy(), batch.history(seats=[0] * 6)
    for steps in (3, 2):
        play_randomly(batch, rng, steps)
        assert not np.array_equal(batch.states, expected[0])
        batch.set_state(saved)
        assert np.array_equal(batch.states, expected[0])
        np.testing.assert_equal(batch.history(seats=[0] * 6), expected[1])


def test_state_into_other_batch(rng: np.random.Generator) -> None:
    batch = DealBatch("classic", 3, seed=2, history=True)
    play_randomly(batch, rng, 11)
    worlds = DealBatch("classic", 8, history=True)
    before = worlds.states.copy()
    worlds.set_state(batch.get_state([2] * 5), rows=[7, 1, 2, 3, 4])
    assert all(worlds.states[row] == batch.states[2] for row in (1, 2, 3, 4, 7))
    assert np.array_equal(worlds.states[[0, 5, 6]], before[[0, 5, 6]])
    np.testing.assert_array_equal(worlds.history(seats=[1] * 8)[0][7], batch.history(seats=[1] * 3)[0][2])


def test_restored_endgame_is_exact(rng: np.random.Generator) -> None:
    played, batch = DealBatch("classic", 4, seed=1), DealBatch("classic", 4, seed=1, endgame="exact")
    while played.views()["stock"].any():
        actions = random_legal(played.action_mask(), rng)
        for one in (played, batch):
            one.step(actions)
    restored = DealBatch("classic", 4, endgame="exact")
    restored.set_state(played.get_state())
    assert restored.done.all()
    np.testing.assert_array_equal(restored.returns(), batch.returns())


@pytest.mark.parametrize("device", [None, "cpu"])
def test_calls_without_rows_change_nothing(device: str | None) -> None:
    batch = DealBatch("tiny", 2, device=device)
    batch.set_state(batch.get_state(rows=[]), rows=[])
    batch.deal_decks([], [], rows=[])
    batch.step([], rows=[])
    assert tuple(batch.observe(rows=[]).shape) == (0, batch.num_observations)


# Refusals.


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"seed": 2**64}, "seed"),
        ({"first": -1}, "first deal .* -1"),
        ({"first": 2**64 - 2}, "last deal"),
    ],
)
def test_wrong_address_is_refused(changed: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        DealBatch(**{"rules": "tiny", "size": 3, **changed})  # type: ignore[call-overload]


CJ, DJ = NAMES.index("CJ"), NAMES.index("DJ")
OTHER_RULES, THREE = DealBatch("classic", 3).get_state(), DealBatch("tiny", 3).get_state()
REFUSED: dict[str, list[tuple[list[Any], str]]] = {
    "step": [
        *(([[CJ, DJ, action]], f"action {action} .* in row 2") for action in (51, 10, 52, 64, -1, DJ + 2**32)),
        ([[9], [3]], "rows .* 3"),
        ([[9], [0, 1]], "actions"),
        *(([actions], r"actions must have shape \(3,\)") for actions in ([9], [[9] * 3], 9)),
        *(([[action] * 3], "actions must be integers") for action in (9.5, None, True, 2**70)),
    ],
    "views": [
        ([[3]], "rows .* 3"),
        ([[0], [2]], "seats .* 2"),
        ([[0, 1], [0]], "seats must have shape"),
        ([[True, False, True]], "rows .* bool"),
    ],
    "deal_rows": [
        ([[-1], [0]], "rows .* -1"),
        ([[0, 1], [0]], "deal indices"),
        ([[0], [2**64]], f"deal index .* {2**64}"),
        ([[0], [0], [-1]], "seed .* -1"),
    ],
    "deal_decks": [
        ([[FIRST] * 4, [0, 1, 0]], "3 each"),
        ([[FIRST] * 3, [0, 0, 2]], "dealers"),
        ([[FIRST, FIRST, FIRST[:-3]], [0, 1, 0]], "DA"),
    ],
    "set_state": [([OTHER_RULES], "other rules"), ([THREE, [0]], "got 3"), ([THREE, [0, 1, 4]], "rows")],
    "observe": [([np.zeros((3, 52), np.int8)], "shape")],
    "action_mask": [([np.zeros((3, 51), np.int8)], "shape")],
    "history": [([], "history=True")],
}


@pytest.mark.parametrize(
    ("method", "arguments", "complaint"), [(method, *case) for method, cases in REFUSED.items() for case in cases]
)
def test_wrong_calls_change_nothing(method: str, arguments: list[Any], complaint: str) -> None:
    batch = DealBatch("tiny", 3)
    batch.deal_decks([FIRST] * 3, [1, 1, 0])
    before = snapshot(batch)
    with pytest.raises(ValueError, match=complaint):
        getattr(batch, method)(*arguments)
    assert snapshot(batch) == before


TWICE: dict[str, Callable[[DealBatch], object]] = {
    "step": lambda batch: batch.step([CJ, CJ], [2, 2]),
    "set_state": lambda batch: batch.set_state(DealBatch("tiny", 2, history=True).get_state(), [2, 2]),
    "deal_rows": lambda batch: batch.deal_rows([2, 0, 2], [7, 8, 9]),
    "deal_decks": lambda batch: batch.deal_decks([FIRST, FIRST], [0, 1], [2, 2]),
}


@pytest.mark.parametrize("write", TWICE.values(), ids=TWICE)
def test_row_given_twice_changes_nothing(write: Callable[[DealBatch], object]) -> None:
    batch = DealBatch("tiny", 3, history=True)
    batch.deal_decks([FIRST] * 3, [1, 1, 0])
    before, decisions = batch.get_state(), batch.decisions()
    with pytest.raises(ValueError, match=r"rows .* 2 2 times"):
        write(batch)
    np.testing.assert_equal(batch.get_state(), before)
    np.testing.assert_array_equal(decisions.observations, batch.observe())


def test_more_actions_than_a_deal_has() -> None:
    batch = DealBatch("tiny", 2, history=True)
    before = batch.get_state()
    with pytest.raises(ValueError, match="from 0 to 8, got 9"):
        batch.set_state(before._replace(counts=np.array([9, 0])))
    np.testing.assert_equal(batch.get_state()[1:], before[1:])


def test_actions_counted_wrong_stay_in_their_row() -> None:
    batch = DealBatch("tiny", 2, history=True)
    batch.set_state(batch.get_state()._replace(counts=np.array([8, 0])))
    after = batch.get_state()
    batch.step([int(np.flatnonzero(batch.action_mask()[0])[0])], [0])
    actions, counts = batch.get_state()[2:]
    np.testing.assert_array_equal(actions[1], after.actions[1])
    assert counts.tolist() == [8, 0]


def test_rows_may_be_read_more_often_than_there_are() -> None:
    batch = DealBatch("tiny", 2, history=True, canonical=True)
    rows = [1, 0, 1, 1, 0]
    for read in (batch.views, batch.action_mask, batch.observe):
        np.testing.assert_array_equal(read(rows=rows), read()[rows])
    for found, whole in zip(batch.history(rows=rows), batch.history(), strict=True):
        np.testing.assert_array_equal(found, whole[rows])
    decisions, whole = batch.decisions(rows), batch.decisions()
    np.testing.assert_array_equal(decisions.observations, whole.observations[rows])
    np.testing.assert_array_equal(decisions.histories[0], whole.histories[0][rows])
