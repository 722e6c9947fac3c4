"""Estimates of the drift of random walks that stopped at a bound."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from german_whist.evaluation.stopped_walk import median_unbiased, probability_of_more

BOUND = 3.0


def walks(drift: float, deviation: float, looks: int, size: int) -> Iterator[tuple[int, float]]:
    """Looks until each of some walks stopped, and its last value."""
    steps = np.random.default_rng(5).normal(drift, deviation, (size, looks))
    for values in steps.cumsum(axis=1):
        outside = np.flatnonzero(abs(values) >= BOUND)
        end = int(outside[0]) if len(outside) else looks - 1
        yield end + 1, float(values[end])


@pytest.mark.parametrize(("drift", "deviation"), [(0.0, 1.0), (0.3, 0.7), (-0.1, 0.4), (2.5, 0.5)])
@pytest.mark.parametrize(("look", "value"), [(1, 3.1), (3, 3.4), (12, 3.2), (12, 1.0), (12, 0.0)])
def test_probability_of_more_matches_simulation(drift: float, deviation: float, look: int, value: float) -> None:
    size = 20_000
    more = sum(
        last >= value if end == look else last >= BOUND and end < look
        for end, last in walks(drift, deviation, 12, size)
    )
    found = probability_of_more(np.array([drift - 0.1, drift, drift + 0.1]), look, value, deviation, BOUND)
    assert (np.diff(found) > -1e-9).all()
    assert more / size == pytest.approx(found[1], abs=4 * math.sqrt(found[1] * (1 - found[1]) / size) + 1e-4)


def test_walk_that_hardly_meets_bounds() -> None:
    middle, low, high = median_unbiased(40, 0.9, 0.05, BOUND)
    error = 0.05 / math.sqrt(40)
    assert (middle, low, high) == pytest.approx((0.0225, 0.0225 - 1.96 * error, 0.0225 + 1.96 * error), abs=1e-4)


def test_mirrored_walks_have_mirrored_estimates() -> None:
    middle, low, high = median_unbiased(7, 3.3, 0.6, BOUND)
    assert 0 < middle < 3.3 / 7  # a walk that has left is more often lucky than not
    assert median_unbiased(7, -3.3, 0.6, BOUND) == pytest.approx((-middle, -high, -low))


def test_estimates_are_median_unbiased() -> None:
    found = [median_unbiased(look, value, 0.8, BOUND) for look, value in walks(0.4, 0.8, 20, 400)]
    middle, low, high = np.transpose(found)
    assert np.mean(middle < 0.4) == pytest.approx(0.5, abs=2.5 * math.sqrt(0.25 / len(found)))
    assert 0.93 <= np.mean((low <= 0.4) & (high >= 0.4)) <= 0.97
