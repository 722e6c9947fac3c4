"""Bradley-Terry ratings and Nash averaging."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from german_whist.evaluation.tournament.ratings import ELO, bradley_terry, nash_averaging

CYCLE = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0.0]])


def test_ratings_are_those_of_choix() -> None:
    choix = pytest.importorskip("choix")
    for seed in range(5):
        wins = np.random.default_rng(seed).integers(1, 60, size=(6, 6)).astype(float)
        np.fill_diagonal(wins, 0)
        expected = choix.ilsr_pairwise_dense(wins)
        assert bradley_terry(wins, virtual_draws=0) == pytest.approx(ELO * (expected - expected.mean()), abs=1e-4)


@given(arrays(np.float64, 5, elements=st.floats(-700, 700)))
@settings(max_examples=30, deadline=None)
def test_ratings_are_found_again_from_their_own_win_rates(ratings: np.ndarray) -> None:
    ratings = ratings - ratings.mean()
    rates = 1 / (1 + 10 ** ((ratings[None] - ratings[:, None]) / 400))
    assert bradley_terry(1000 * rates, virtual_draws=0) == pytest.approx(ratings, abs=1e-3)


def test_a_stack_of_matrices_is_rated_one_by_one() -> None:
    stack = np.random.default_rng(1).integers(0, 40, size=(4, 3, 3)).astype(float)
    assert bradley_terry(stack) == pytest.approx(np.array([bradley_terry(one) for one in stack]))


def test_a_virtual_draw_keeps_the_rating_of_an_unbeaten_agent_finite() -> None:
    first, second = bradley_terry([[0, 200], [0, 0]])
    assert first - second == pytest.approx(ELO * np.log(200.5 / 0.5))
    assert bradley_terry([[0, 60], [40, 0]])[0] == pytest.approx(ELO * np.log(60.5 / 40.5) / 2)


@pytest.mark.parametrize(
    ("wins", "message"),
    [
        ([[0, 1, 2]], "a square matrix"),
        ([[0, -1], [1, 0]], "a square matrix of numbers from 0"),
        (np.kron(np.eye(2), [[0, 1], [1, 0]]), "not connected by games"),
    ],
)
def test_what_cannot_be_rated_is_refused(wins: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bradley_terry(wins)  # type: ignore[arg-type]


def test_a_cycle_is_averaged_evenly_and_by_its_payoffs() -> None:
    assert nash_averaging(CYCLE).weights == pytest.approx(np.full(3, 1 / 3))
    uneven = np.array([[0, 0.5, -0.1], [-0.5, 0, 0.3], [0.1, -0.3, 0]])
    assert nash_averaging(uneven).weights == pytest.approx(np.array([3, 1, 5]) / 9, abs=1e-5)


def test_an_agent_that_beats_all_has_all_the_weight() -> None:
    weights, averages = nash_averaging([[0, 0.1, 0.1], [-0.1, 0, 0], [-0.1, 0, 0]])
    assert weights == pytest.approx([1, 0, 0])
    assert averages == pytest.approx([0, -0.1, -0.1])


def test_copies_share_a_weight_and_change_nothing_else() -> None:
    copied = CYCLE[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    weights, averages = nash_averaging(copied)
    assert weights == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=1e-5)
    assert averages == pytest.approx(np.zeros(4), abs=1e-5)


@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.floats(0, 1))
@settings(max_examples=25, deadline=None)
def test_nobody_wins_against_the_mixture(size: int, seed: int, order: float) -> None:
    rng = np.random.default_rng(seed)
    noise, skill = rng.normal(size=(size, size)), rng.normal(size=size)
    payoffs = (1 - order) * (noise - noise.T) + order * (skill[:, None] - skill)
    weights, averages = nash_averaging(payoffs)
    scale = max(1e-9, np.abs(payoffs).max())
    assert weights.sum() == pytest.approx(1)
    assert averages.max() <= 1e-4 * scale
    assert abs(weights @ averages) <= 1e-4 * scale


@pytest.mark.parametrize("payoffs", [[[0, 1], [1, 0]], [1, 2]])
def test_other_matrices_are_refused(payoffs: object) -> None:
    with pytest.raises(ValueError, match="antisymmetric"):
        nash_averaging(payoffs)  # type: ignore[arg-type]
