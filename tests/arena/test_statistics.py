from __future__ import annotations

import math

import numpy as np
import pytest

from german_whist.arena.statistics import mean_interval


def test_against_a_calculation_by_hand() -> None:
    # Mean 0.5; squared deviations 0.25, 0, 0.25, 0 sum to 0.5; variance 1/6; standard error sqrt(1/24) = 0.204124.
    mean, (low, high) = mean_interval(np.array([1.0, 0.5, 0.0, 0.5]))
    assert mean == 0.5
    assert high - mean == pytest.approx(1.959964 * 0.2041241, abs=1e-6)
    assert mean - low == pytest.approx(high - mean)


def test_identical_samples_give_a_point_interval() -> None:
    assert mean_interval(np.full(9, 0.25)) == (0.25, (0.25, 0.25))


def test_one_sample_gives_an_unbounded_interval() -> None:
    assert mean_interval(np.array([3])) == (3.0, (-math.inf, math.inf))


@pytest.mark.parametrize("draw", ["normal", "halves"])
def test_intervals_cover_the_truth_about_19_times_in_20(draw: str) -> None:
    rng = np.random.default_rng(1)
    if draw == "normal":
        samples, truth = rng.normal(2, 3, (4000, 200)), 2.0
    else:  # what pairs of games give: 0, a half or 1
        samples, truth = rng.choice([0.0, 0.5, 1.0], (4000, 200), p=[0.2, 0.2, 0.6]), 0.7
    covered = np.mean([low <= truth <= high for _, (low, high) in map(mean_interval, samples)])
    assert 0.935 <= covered <= 0.962
