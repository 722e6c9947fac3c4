from __future__ import annotations

import math

import numpy as np
import pytest

from german_whist.evaluation.statistics import bounded_interval, interval_text, mean_interval, paired_intervals


def test_mean_interval_by_hand() -> None:
    # Mean 0.5; squared deviations 0.25, 0, 0.25, 0 sum to 0.5; variance 1/6; standard error sqrt(1/24) = 0.204124.
    mean, (low, high) = mean_interval(np.array([1.0, 0.5, 0.0, 0.5]))
    assert mean == 0.5
    assert high - mean == pytest.approx(1.959964 * 0.2041241, abs=1e-6)
    assert mean - low == pytest.approx(high - mean)
    assert mean_interval(np.full(9, 0.25)) == (0.25, (0.25, 0.25))
    assert mean_interval(np.array([3])) == (3.0, (-math.inf, math.inf))


@pytest.mark.parametrize("draw", ["normal", "halves"])
def test_interval_coverage(draw: str) -> None:
    rng = np.random.default_rng(1)
    if draw == "normal":
        samples, truth = rng.normal(2, 3, (4000, 200)), 2.0
    else:  # what pairs of games give: 0, a half or 1
        samples, truth = rng.choice([0.0, 0.5, 1.0], (4000, 200), p=[0.2, 0.2, 0.6]), 0.7
    covered = np.mean([low <= truth <= high for _, (low, high) in map(mean_interval, samples)])
    assert 0.935 <= covered <= 0.962


def test_wilson_interval() -> None:
    share = 1.959963984540054**2 / (10 + 1.959963984540054**2)
    assert bounded_interval(np.ones(10), 0, 1) == (1.0, (pytest.approx(1 - share), 1.0))
    assert bounded_interval(np.zeros(10), 0, 1) == (0.0, (0.0, pytest.approx(share)))
    assert bounded_interval(np.full(10, 0.5), 0, 1)[1] == pytest.approx((0.5 - share / 2, 0.5 + share / 2))
    assert bounded_interval(np.full(10, 3.0), -math.inf, math.inf) == (3.0, (-math.inf, math.inf))
    assert bounded_interval(np.ones(1), 0, 1) == mean_interval(np.ones(1))
    assert bounded_interval(np.array([1.0, 0.5]), 0, 1) == mean_interval(np.array([1.0, 0.5]))


def test_paired_intervals() -> None:
    for margins in ([[3, -3], [-1, 1], [0, 0]], [[3, -1], [-2, 5], [3, -4]]):  # each wins one game of every deal
        found = paired_intervals(np.sign(margins), np.array(margins), 13)
        assert found.interval[0] < 0.5 < found.interval[1]
        assert found.margin_interval[0] < found.margin < found.margin_interval[1]
    won = paired_intervals(np.ones((2, 2)), np.full((2, 2), 7), 13)
    assert (won.win_rate, won.interval[1]) == (1.0, 1.0)
    assert won.interval[0] < 0.5
    assert -13 < won.margin_interval[0] < won.margin == 7 < won.margin_interval[1] < 13


def test_interval_text() -> None:
    assert interval_text(67.4, (66.8, 68.0), 1) == "± 0.6"
    assert interval_text(100.0, (91.2, 100.0), 1) == "(91.2 to 100.0)"
    assert interval_text(1.0, (-1.0, 2.5), 2, "+") == "(-1.00 to +2.50)"
    assert interval_text(1.0, (-math.inf, math.inf), 1) == "± inf"
