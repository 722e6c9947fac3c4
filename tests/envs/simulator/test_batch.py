"""Batches of deals: what they do with their rows, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from german_whist.envs.engine.rules import Rules
from german_whist.envs.simulator.batch import DealBatch
from tests.reference.plain import NAMES, raw, same_views
from tests.strategies import games, seeds

FIRST = "CJ CQ DJ DQ CK DK CA DA"


def lowest_legal(batch: DealBatch) -> np.ndarray:
    return batch.action_mask().argmax(axis=1)


def snapshot(batch: DealBatch) -> bytes:
    return raw(batch.states)


@settings(max_examples=30)
@given(games(), seeds, st.integers(1, 9))
def test_rows_play_the_same_in_any_batch(rules: Rules, seed: int, size: int) -> None:
    whole = DealBatch(rules, size, seed)
    single = [DealBatch(rules, 1, seed, first=row) for row in range(size)]
    rng = np.random.default_rng(seed)
    while not whole.done.all():
        assert whole.legal().tolist() == [int(batch.legal()[0]) for batch in single]
        np.testing.assert_array_equal(whole.observe(), np.concatenate([batch.observe() for batch in single]))
        actions = (rng.random((size, whole.num_actions)) * whole.action_mask()).argmax(axis=1)
        whole.step(actions)
        for action, batch in zip(actions, single, strict=True):
            batch.step([action])
    for reward in ("margin", "win", "points"):
        np.testing.assert_array_equal(
            whole.returns(reward), np.concatenate([batch.returns(reward) for batch in single])
        )


def test_action_mask_equals_legal(positions) -> None:
    batch = positions("classic", size=30, steps=31)
    masks = batch.action_mask()
    assert masks.dtype == np.int8
    assert masks.shape == (30, batch.num_actions)
    for row, mask in enumerate(batch.legal()):
        assert np.flatnonzero(masks[row]).tolist() == [card for card in range(52) if int(mask) >> card & 1]
    out = np.full((30, 52), 7, np.int8)
    assert batch.action_mask(out) is out
    np.testing.assert_array_equal(out, masks)


def test_finished_deals_have_no_legal_action_and_are_left_alone(positions) -> None:
    batch = positions("tiny", size=3, steps=None)
    assert batch.done.all()
    assert not batch.legal().any()
    assert not batch.action_mask().any()
    before = snapshot(batch)
    batch.step([0, -1, 2**40])
    assert snapshot(batch) == before


def test_unfinished_deals_move_on_beside_finished_ones(positions) -> None:
    batch = positions("tiny", size=3, steps=None)
    batch.deal_rows([1], [7])
    fresh = DealBatch("tiny", 1, seed=1, first=7)
    finished = raw(batch.states[[0, 2]])
    while not batch.done.all():
        assert not batch.returns()[1].any()
        action = lowest_legal(fresh)
        fresh.step(action)
        batch.step([99, action[0], -5])
    assert raw(batch.states[[0, 2]]) == finished
    assert raw(batch.states[[1]]) == raw(fresh.states)


def test_steps_of_some_rows_leave_the_others_alone() -> None:
    whole, part = DealBatch("classic", 5, seed=6), DealBatch("classic", 5, seed=6)
    actions = lowest_legal(whole)
    whole.step(actions)
    part.step(actions[[4, 1]], [4, 1])
    assert raw(part.states[[1, 4]]) == raw(whole.states[[1, 4]])
    assert raw(part.states[[0, 2, 3]]) == raw(DealBatch("classic", 5, seed=6).states[[0, 2, 3]])
    part.step(actions[[0, 2, 3]], np.array([0, 2, 3]))
    assert snapshot(part) == snapshot(whole)
    part.step([], [])
    assert snapshot(part) == snapshot(whole)


# Illegal actions.


@pytest.mark.parametrize(
    ("action", "name"), [(51, "51 (SA)"), (10, "10 (CQ)"), (52, "52"), (63, "63"), (64, "64"), (-1, "-1"), (-64, "-64")]
)
def test_an_illegal_action_is_refused_by_name_and_nothing_moves(action: int, name: str) -> None:
    batch = DealBatch("tiny", 3)
    batch.deal_decks([FIRST] * 3, [1, 1, 0])
    before = snapshot(batch)
    with pytest.raises(ValueError, match="illegal") as error:
        batch.step([NAMES.index("CJ"), NAMES.index("DJ"), action])
    assert str(error.value) == f"action {name} is illegal in row 2: seat 1 may play DJ CJ"
    assert snapshot(batch) == before


def test_illegal_actions_of_some_rows_are_refused_by_the_rows_number() -> None:
    batch = DealBatch("tiny", 3)
    batch.deal_decks([FIRST] * 3, [1, 1, 0])
    before = snapshot(batch)
    with pytest.raises(ValueError, match=r"action 51 \(SA\) is illegal in row 2: seat 1 may play DJ CJ"):
        batch.step([NAMES.index("CJ"), 51], [0, 2])
    for actions, rows, complaint in (
        ([9], [3], "rows must.* got 3"),
        ([9], [-1], "rows must.* got -1"),
        ([9], [0, 1], "actions must"),
    ):
        with pytest.raises(ValueError, match=complaint):
            batch.step(actions, rows)
    assert snapshot(batch) == before


def test_actions_64_off_a_legal_one_are_illegal() -> None:
    batch = DealBatch("classic", 1)
    for card in np.flatnonzero(batch.action_mask()[0]):
        for action in (card + 64, card - 64, card + 2**32):
            with pytest.raises(ValueError, match=f"action {action} is illegal in row 0"):
                batch.step([action])


@pytest.mark.parametrize(
    "actions", [[], [9], [9] * 4, [[9] * 3], 9, [9.0] * 3, [9.5] * 3, [None] * 3, ["CJ"] * 3, [True] * 3, [2**70] * 3]
)
def test_actions_that_are_not_one_whole_number_a_row_are_refused(actions: object) -> None:
    batch = DealBatch("tiny", 3)
    before = snapshot(batch)
    with pytest.raises(ValueError, match=r"actions must (be integers, got|have shape \(3,\), got)"):
        batch.step(actions)  # type: ignore[arg-type]
    assert snapshot(batch) == before


# Looking at rows.


def test_views_of_some_rows_and_seats(positions) -> None:
    batch = positions("classic", size=6, steps=15)
    whole = [batch.views(seats=[seat] * 6) for seat in (0, 1)]
    assert same_views(batch.views([4, 1]), batch.views()[[4, 1]])
    picked = batch.views([4, 1, 4], [0, 1, 1])
    assert same_views(picked[:1], whole[0][[4]])
    assert same_views(picked[1:], whole[1][[1, 4]])
    assert len(batch.views([])) == 0


@pytest.mark.parametrize(
    ("rows", "seats", "complaint"),
    [
        ([3], None, "rows must be integers from 0 to 2, got 3"),
        ([-1], None, "rows must be integers from 0 to 2, got -1"),
        ([0], [2], "seats must be integers from 0 to 1, got 2"),
        ([0], [-1], "seats must be integers from 0 to 1, got -1"),
        (None, [0], "seats must have shape"),
        ([0, 1], [0], "seats must have shape"),
        ([True, False, True], None, "rows must be integers, got bool"),
    ],
)
def test_views_of_rows_and_seats_that_are_not_there_are_refused(rows: object, seats: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        DealBatch("tiny", 3).views(rows, seats)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.bool_, np.float32])
def test_arrays_of_any_type_and_layout_can_be_written_into(dtype: type, positions) -> None:
    batch = positions("classic", size=5, steps=17)
    expected = batch.action_mask().astype(dtype)
    wide = np.zeros((10, 3 * 52), dtype)
    for out in (np.ones((5, 52), dtype), np.ones((52, 5), dtype).T, wide[::2, 1:53], wide[5:, ::3]):
        batch.action_mask(out)
        np.testing.assert_array_equal(out, expected)


def test_nothing_is_written_beside_the_array(positions) -> None:
    batch = positions("classic", size=5, steps=17)
    for write in (batch.observe, batch.action_mask):
        expected = write()
        wide = np.full((11, expected.shape[1] + 40), 99, np.int8)
        write(wide[1::2, 20:-20])
        np.testing.assert_array_equal(wide[1::2, 20:-20], expected)
        assert (wide[::2] == 99).all()
        assert (wide[:, :20] == 99).all()
        assert (wide[:, -20:] == 99).all()
        flat = np.full(expected.size + 40, 99, np.int8)
        write(flat[20:-20].reshape(expected.shape))
        assert (flat[:20] == 99).all()
        assert (flat[-20:] == 99).all()


@pytest.mark.parametrize("shape", [(2, 52), (3, 51), (3, 442), (3 * 52,)])
def test_arrays_of_another_shape_are_not_written_into(shape: tuple[int, ...]) -> None:
    batch = DealBatch("tiny", 3)
    for write in (batch.observe, batch.action_mask):
        with pytest.raises(ValueError, match="out must have shape"):
            write(np.zeros(shape, np.int8))
