"""What a sequential test that has stopped says about the drift of its random walk.

A test that stops when the walk leaves (−bound, bound) stops early when luck helped, so the plain estimate lies too far
from zero on average. The median-unbiased one and its interval come from the order of stopping (D. Siegmund, "Estimation
following sequential tests", Biometrika 65, 1978): above all other outcomes are those that ended at the upper bound, the
sooner the higher; below them those that did not end, by their value; last those that ended at the lower bound, the
later the higher. The probability of an outcome at least as high as that observed grows with the drift, and the drifts
at which it is 2.5, 50 and 97.5 % are the estimate and the ends of its 95 % interval.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]

PROBABILITIES = 0.025, 0.5, 0.975
_SPAN, _DRIFTS = 8.0, 401  # standard errors around the plain estimate that are looked at, and how many drifts
_NODES_PER_DEVIATION = 2.0  # quadrature nodes: twice as many change the estimates by less than 1e-6 errors


def median_unbiased(looks: int, value: float, deviation: float, bound: float) -> tuple[float, float, float]:
    """Return the median-unbiased estimate of the drift per look, and the ends of its 95 % interval.

    Args:
        looks: number of looks until the walk stopped.
        value: the walk's last value: outside (−bound, bound) if it left the interval, inside if looks ran out.
        deviation: standard deviation of an increment, which is normal.
        bound: the walk stops when it leaves (−bound, bound).
    """
    if value < 0:  # so that the paths which end sooner are those to the upper bound
        middle, low, high = median_unbiased(looks, -value, deviation, bound)
        return -middle, -high, -low
    plain, error = value / looks, deviation / math.sqrt(looks)
    # A walk that went up soon may have had luck only: the drift may be far below the plain estimate, not above.
    drifts = plain + error * np.linspace(-_SPAN, _SPAN, _DRIFTS)
    reached = probability_of_more(drifts, looks, value, deviation, bound)
    low, middle, high = np.interp(PROBABILITIES, reached, drifts).tolist()
    return middle, low, high


def probability_of_more(drifts: Vector, looks: int, value: float, deviation: float, bound: float) -> Vector:
    """Return, by drift, the probability that a walk leaves at the upper bound sooner, or then with at least ``value``.

    The densities of walks that are still inside are followed from look to look by Gauss–Legendre quadrature (P.
    Armitage, C. McPherson and B. Rowe, "Repeated significance tests on accumulating data", Journal of the Royal
    Statistical Society A 132, 1969), at one drift: those at others differ by a factor.

    Args:
        drifts: drifts per look, float64[n].
        looks: number of looks until the walk stopped.
        value: its last value, at least 0.
        deviation: standard deviation of an increment.
        bound: the walk stops when it leaves (−bound, bound).
    """
    nodes, weights = np.polynomial.legendre.leggauss(40 + math.ceil(_NODES_PER_DEVIATION * 2 * bound / deviation))
    nodes, weights = bound * nodes, bound * weights
    middle = drifts[len(drifts) // 2]
    tilts = (drifts - middle) / deviation**2
    steps = _density((nodes[:, None] - nodes - middle) / deviation) / deviation * weights
    over = {end: _upper_tail((end - nodes[:, None] - drifts) / deviation) for end in (bound, value)}
    tilted = np.exp(nodes[:, None] * tilts) * weights[:, None]
    above = _upper_tail((np.array([bound, value])[:, None] - drifts) / deviation)
    if looks == 1:
        last: Vector = above[1]
        return last
    found, inside = above[0], _density((nodes - middle) / deviation) / deviation
    leaving = tilted * over[bound]
    decay = np.exp(-tilts * (middle + drifts) / 2)
    for look in range(1, looks - 1):
        found = found + inside @ leaving * decay**look
        inside = steps @ inside
    result: Vector = found + inside @ (tilted * over[value]) * decay ** (looks - 1)
    return result


def _density(standardised: Vector) -> Vector:
    density: Vector = np.exp(-(standardised**2) / 2) / math.sqrt(2 * math.pi)
    return density


def _upper_tail(standardised: Any) -> Vector:
    tail: Vector = _complementary_error(standardised / math.sqrt(2)) / 2
    return tail


_complementary_error = np.vectorize(math.erfc, otypes=[np.float64])
