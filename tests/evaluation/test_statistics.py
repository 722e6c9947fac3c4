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
def test_interval_covers_95_percent(draw: str) -> None:
    rng = np.random.default_rng(1)
    if draw == "normal":
        samples, truth = rng.normal(2, 3, (4000, 200)), 2.0
    else:  # what pairs of games give: 0, a half or 1
        samples, truth = rng.choice([0.0, 0.5, 1.0], (4000, 200), p=[0.2, 0.2, 0.6]), 0.7
    covered = np.mean([low <= truth <= high for _, (low, high) in map(mean_interval, samples)])
    assert 0.935 <= covered <= 0.962


def test_equal_samples_have_the_wilson_interval() -> None:
    share = 1.959963984540054**2 / (10 + 1.959963984540054**2)
    assert bounded_interval(np.ones(10), 0, 1) == (1.0, (pytest.approx(1 - share), 1.0))
    assert bounded_interval(np.zeros(10), 0, 1) == (0.0, (0.0, pytest.approx(share)))
    assert bounded_interval(np.full(10, 0.5), 0, 1)[1] == pytest.approx((0.5 - share / 2, 0.5 + share / 2))
    assert bounded_interval(np.full(10, 3.0), -math.inf, math.inf) == (3.0, (-math.inf, math.inf))
    assert bounded_interval(np.ones(1), 0, 1) == mean_interval(np.ones(1))
    assert bounded_interval(np.array([0.0, 0.5] * 20), 0, 1) == mean_interval(np.array([0.0, 0.5] * 20))
    one_lost = np.array([1.0] * 199 + [0.0])
    ratio = 1.959963984540054**2 / 199  # 199, as the standard error has n − 1
    centre, half = (0.995 + ratio / 2) / (1 + ratio), math.sqrt(ratio * (0.995 * 0.005 + ratio / 4)) / (1 + ratio)
    assert bounded_interval(one_lost, 0, 1)[1] == pytest.approx((centre - half, centre + half))
    assert bounded_interval(26 * one_lost - 13, -13, 13)[1] == pytest.approx(
        (26 * (centre - half) - 13, 26 * (centre + half) - 13)
    )


@pytest.mark.parametrize(("deals", "chances"), [(50, (0.01, 0.04, 0.95)), (100, (0.01, 0.02, 0.97))])
def test_interval_near_the_bound_covers(deals: int, chances: tuple[float, float, float]) -> None:
    results, truth = np.array([0.0, 0.5, 1.0]), float(np.dot(chances, [0, 0.5, 1]))
    samples = np.random.default_rng(0).choice(results, (4000, deals), p=chances)
    found = [bounded_interval(one, 0, 1)[1] for one in samples]
    assert all(0 <= low < high <= 1 for low, high in found)
    assert np.mean([low <= truth <= high for low, high in found]) >= 0.95  # the normal interval: 0.76, 0.84


def test_paired_intervals_contain_their_means() -> None:
    for margins in ([[3, -3], [-1, 1], [0, 0]], [[3, -1], [-2, 5], [3, -4]]):  # each wins one game of every deal
        found = paired_intervals(np.sign(margins), np.array(margins), 13)
        assert found.interval[0] < 0.5 < found.interval[1]
        assert found.margin_interval[0] < found.margin < found.margin_interval[1]
    won = paired_intervals(np.ones((2, 2)), np.full((2, 2), 7), 13)
    assert (won.win_rate, won.interval[1]) == (1.0, 1.0)
    assert won.interval[0] < 0.5
    assert -13 < won.margin_interval[0] < won.margin == 7 < won.margin_interval[1] < 13


def test_interval_text_is_symmetric_or_both_ends() -> None:
    assert interval_text(67.4, (66.8, 68.0), 1) == "± 0.6"
    assert interval_text(100.0, (91.2, 100.0), 1) == "(91.2 to 100.0)"
    assert interval_text(1.0, (-1.0, 2.5), 2, "+") == "(-1.00 to +2.50)"
    assert interval_text(1.0, (-math.inf, math.inf), 1) == "± inf"
