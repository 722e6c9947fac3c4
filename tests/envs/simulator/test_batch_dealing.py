"""Creating a batch and dealing into its rows, by address or by deck."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.envs.simulator.batch import DealBatch
from tests.conftest import play_randomly
from tests.reference.plain import NAMES, raw

FIRST = "CJ CQ DJ DQ CK DK CA DA"


def snapshot(batch: DealBatch) -> bytes:
    return raw(batch.states)


# Making a batch.


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"rules": "clasic"}, "did you mean 'classic'"),
        ({"seed": -1}, "seed must be an integer .*, got -1"),
        ({"seed": 2**64}, "seed"),
        ({"first": -1}, "first deal must be an integer .*, got -1"),
        ({"first": 1.5}, "first deal must be an integer .*, got 1.5"),
        ({"first": 2**64 - 2}, "last deal"),
    ],
)
def test_addresses_that_are_not_there_are_refused(changed: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        DealBatch(**{"rules": "tiny", "size": 3, **changed})  # type: ignore[arg-type]


# Dealing into rows.


def test_reset_deals_other_deals_of_the_same_seed_in_place() -> None:
    batch = DealBatch("classic", 7, seed=4)
    states = batch.states
    play_randomly(batch, np.random.default_rng(0), 30)
    batch.reset(70)
    assert batch.states is states
    assert snapshot(batch) == snapshot(DealBatch("classic", 7, seed=4, first=70))
    play_randomly(batch, np.random.default_rng(0))
    batch.reset(0)
    assert snapshot(batch) == snapshot(DealBatch("classic", 7, seed=4))


def test_deal_rows_deals_into_those_rows_only() -> None:
    batch = DealBatch("classic", 5, seed=4)
    play_randomly(batch, np.random.default_rng(0), 11)
    before = batch.states.copy()
    batch.deal_rows([3, 1], [1001, 2**64 - 2])
    for row, deal in ((3, 1001), (1, 2**64 - 2)):
        assert raw(batch.states[[row]]) == raw(DealBatch("classic", 1, 4, deal).states)
    assert raw(batch.states[[0, 2, 4]]) == raw(before[[0, 2, 4]])
    batch.deal_rows([], [])
    assert raw(batch.states[[0, 2, 4]]) == raw(before[[0, 2, 4]])


@pytest.mark.parametrize(
    ("rows", "indices", "complaint"),
    [
        ([5], [0], "rows must be integers from 0 to 4, got 5"),
        ([-1], [0], "rows must be integers from 0 to 4, got -1"),
        ([0, 1], [0], "deal indices must have shape"),
        ([0], [0, 1], "deal indices must have shape"),
        ([[0]], [[0]], "rows must have shape"),
        ([0.5], [0], "rows must be integers, got float64"),
        ([0], [-1], "deal index must be an integer from .*, got -1"),
        ([0], [0.5], "deal index must be an integer from .*, got 0.5"),
        ([0], [2**64], f"deal index must be an integer from .*, got {2**64}"),
        ([0], np.array([-1]), "deal index must be an integer from .*, got -1"),
        ([0], np.array([0.5]), "deal indices must be integers, got float64"),
    ],
)
def test_rows_and_deals_that_are_not_there_are_refused(rows: object, indices: object, complaint: str) -> None:
    batch = DealBatch("tiny", 5)
    before = snapshot(batch)
    with pytest.raises(ValueError, match=complaint):
        batch.deal_rows(rows, indices)  # type: ignore[arg-type]
    assert snapshot(batch) == before


def test_decks_may_be_given_as_text_or_numbers() -> None:
    batch = DealBatch("tiny", 3)
    numbers = [NAMES.index(name) for name in FIRST.split()]
    batch.deal_decks([FIRST, numbers, np.array(numbers)], [1, 1, 1])
    assert len({raw(batch.states[[row]]) for row in range(3)}) == 1
    assert batch.states["deck"][0][:8].tolist() == numbers


def test_a_given_deck_plays_like_the_same_deck_by_address() -> None:
    batch = DealBatch("classic", 4, seed=8)
    given_decks = DealBatch("classic", 4, seed=1)
    play_randomly(given_decks, np.random.default_rng(0), 40)
    given_decks.deal_decks([state["deck"] for state in batch.states], batch.states["dealer"])
    assert snapshot(given_decks) == snapshot(batch)


@pytest.mark.parametrize(
    ("decks", "dealers", "complaint"),
    [
        ([FIRST], [0, 1], "decks and dealers must be 2 each"),
        ([FIRST] * 3, [0, 1], "decks and dealers must be 2 each"),
        ([FIRST] * 2, [0], "dealers 0 or 1, got 2 decks and dealers"),
        ([FIRST] * 2, [0, 2], "dealers 0 or 1, got 2 decks and dealers"),
        ([FIRST] * 2, [0, -1], "dealers 0 or 1, got 2 decks and dealers"),
        ([FIRST] * 2, [0, 0.5], "dealers 0 or 1, got 2 decks and dealers"),
        ([FIRST, FIRST[:-3]], [0, 1], "DA is missing"),
        ([FIRST, FIRST.replace("DA", "CJ")], [0, 1], "CJ appears twice"),
        ([FIRST, FIRST.replace("DA", "SA")], [0, 1], "SA is not in this game's deck of 8"),
        ([FIRST, FIRST.replace("DA", "D1")], [0, 1], "'D1' is not a card"),
    ],
)
def test_bad_decks_and_dealers_are_refused_and_nothing_moves(decks: object, dealers: object, complaint: str) -> None:
    batch = DealBatch("tiny", 2)
    before = snapshot(batch)
    with pytest.raises(ValueError, match=complaint):
        batch.deal_decks(decks, dealers)  # type: ignore[arg-type]
    assert snapshot(batch) == before
