"""Bradley-Terry ratings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from german_whist.evaluation.tournament.ratings import ELO, bradley_terry


def test_choix_agrees() -> None:
    choix = pytest.importorskip("choix")
    for seed in range(5):
        wins = np.random.default_rng(seed).integers(1, 60, size=(6, 6)).astype(float)
        np.fill_diagonal(wins, 0)
        expected = choix.ilsr_pairwise_dense(wins)
        assert bradley_terry(wins, virtual_draws=0) == pytest.approx(ELO * (expected - expected.mean()), abs=1e-4)


@given(arrays(np.float64, 5, elements=st.floats(-700, 700)))
@settings(max_examples=30, deadline=None)
def test_ratings_from_own_win_rates(ratings: np.ndarray) -> None:
    ratings = ratings - ratings.mean()
    rates = 1 / (1 + 10 ** ((ratings[None] - ratings[:, None]) / 400))
    assert bradley_terry(1000 * rates, virtual_draws=0) == pytest.approx(ratings, abs=1e-3)


def test_unbeaten_agent_has_a_finite_rating() -> None:
    first, second = bradley_terry([[0, 200], [0, 0]])
    assert first - second == pytest.approx(ELO * np.log(200.5 / 0.5))
    assert bradley_terry([[0, 60], [40, 0]])[0] == pytest.approx(ELO * np.log(60.5 / 40.5) / 2)
