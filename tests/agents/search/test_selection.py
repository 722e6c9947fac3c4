"""The choice: the policy's prior and the worlds' evidence, weighed by their precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from german_whist.agents.search.selection_kernels import combine, utility

TRIED = np.uint64(0b111)


def chosen(
    margins: Any, advantages: tuple[float, ...], prior_sd: float = 0.5, size: float = 64.0, tanh_scale: float = 0.0
) -> tuple[int, np.ndarray, np.ndarray]:
    """The best of actions 0, 1 and 2, where 0 is the policy's, with gains and standard deviations."""
    tablebase = np.zeros((len(margins), 54), np.float32)
    tablebase[:, :3] = margins
    known = np.full(54, -np.inf)
    known[:3] = advantages
    gains, sds = np.full(54, np.nan), np.full(54, np.nan)
    scales = np.array([prior_sd, 2.0, tanh_scale, 0.0])
    best = combine(tablebase, len(margins), size, TRIED, 0, known, scales, gains, sds)
    return int(best), gains[:3], sds[:3]


def test_gain_is_weighted_by_precision() -> None:
    margins = np.array([[0, 2, -1], [1, 2, 0], [0, 4, 0], [1, 2, 1]] * 16)
    best, gains, sds = chosen(margins, (0.0, -0.4, -0.2))
    assert best == 1
    differences = margins[:, 1] - margins[:, 0]
    variance = (differences.var() * 64 + 16 * 2.0**2) / (64 + 16)
    prior, precision = 1 / 0.5**2, 64 / variance
    assert gains[1] == pytest.approx((prior * -0.4 + precision * differences.mean()) / (prior + precision))
    assert sds[1] == pytest.approx((prior + precision) ** -0.5)
    assert gains[0] == sds[0] == 0


def test_prior_and_evidence() -> None:
    margins = np.array([[0, 1, 0]])
    assert chosen(margins, (0.0, -0.3, -0.3), size=1.0)[0] == 0
    assert chosen(np.repeat(margins, 64, axis=0), (0.0, -0.3, -0.3))[0] == 1
    assert chosen(np.repeat(margins, 64, axis=0), (0.0, -0.3, -0.3), prior_sd=0.02)[0] == 0


def test_utility_is_concave() -> None:
    worth = [utility(np.float32(margin), 4.0, 0.0) for margin in range(-13, 14)]
    assert worth == pytest.approx([-one for one in reversed(worth)])
    assert (np.diff(worth) > 0).all()
    assert worth[14] == pytest.approx(4 * np.tanh(0.25))
    assert utility(np.float32(7), 0.0, 0.0) == 7
    assert utility(np.float32(-7), 0.0, 2.0) == -9
