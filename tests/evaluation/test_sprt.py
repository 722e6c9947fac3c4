"""Sequential tests on mirrored deals."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from german_whist.evaluation.match import play_match
from german_whist.evaluation.sprt import (
    BOUND,
    CHECK_EVERY,
    NELO_PER_T,
    SCORES,
    estimate,
    estimate_after_test,
    log_likelihood_ratio,
    play_sprt,
)

# Counts, bounds and log-likelihood ratios of fishtest (pull requests 4194 and 5712 of Stockfish) and of fastchess.
PUBLISHED = [
    ((371, 10263, 24989, 10642, 379), (0, 2), 2.95),
    ((831, 31795, 68460, 32448, 834), (0, 2), 2.93),
    ((307, 54901, 140959, 56230, 281), (0.5, 2.5), 2.95),
    ((47, 8181, 25234, 8575, 47), (0.5, 2.5), 2.94),
    ((352, 579, 1264, 743, 464), (9, 16), 4.60),
]
SHAPES = {
    "usual": [0.08, 0.22, 0.4, 0.22, 0.08],
    "drawn": [0.01, 0.05, 0.88, 0.05, 0.01],
    "decided": [0.4, 0.05, 0.1, 0.05, 0.4],
}


@pytest.mark.parametrize(("counts", "bounds", "ratio"), PUBLISHED)
def test_likelihood_ratios_match_published_ones(
    counts: tuple[int, ...], bounds: tuple[float, float], ratio: float
) -> None:
    assert log_likelihood_ratio(counts, *bounds) == pytest.approx(ratio, abs=0.011)
    assert log_likelihood_ratio(counts[::-1], -bounds[1], -bounds[0]) == pytest.approx(
        -log_likelihood_ratio(counts, *bounds)
    )


def test_elo_matches_published_one() -> None:
    nelo, error = estimate((379, 10170, 21828, 10640, 343))
    assert (round(nelo, 2), round(1.96 * error, 2)) == (3.05, 2.31)


def test_equal_scores_have_a_finite_interval() -> None:
    nelo, error = estimate([0, 0, 0, 0, 40])
    assert nelo == pytest.approx(-estimate([40, 0, 0, 0, 0])[0])
    assert 0 < nelo - 1.96 * error < nelo < math.inf
    assert estimate([0, 0, 40, 0, 0])[0] == pytest.approx(0)
    assert log_likelihood_ratio([0, 0, 0, 0, 400], 0, 5) > BOUND


@pytest.mark.parametrize(("win_rate", "nelo"), [(0.68, 180.42), (0.86, 480.80)])
def test_interval_covers_95_percent(win_rate: float, nelo: float) -> None:
    shares = shares_with(nelo)
    assert shares @ SCORES == pytest.approx(win_rate, abs=1e-4)
    counts = np.random.default_rng(0).multinomial(400, shares, 2000)
    covered = np.mean([abs(found - nelo) <= 1.96 * error for found, error in map(estimate, counts)])
    assert 0.935 <= covered <= 0.962


def shares_with(nelo: float, shape: str = "usual") -> np.ndarray:
    """Scores like those of two agents with this normalised Elo, by tilting a symmetric distribution."""
    low, high = -20.0, 20.0
    while high - low > 1e-12:
        tilt = (low + high) / 2
        shares = SHAPES[shape] * np.exp(tilt * SCORES)
        shares /= shares.sum()
        mean = shares @ SCORES
        found = (mean - 0.5) / math.sqrt(shares @ (SCORES - mean) ** 2) * NELO_PER_T
        low, high = (tilt, high) if found < nelo else (low, tilt)
    return shares


def simulated_test(
    rng: np.random.Generator, bounds: tuple[float, float], shares: np.ndarray, looks: float = math.inf
) -> np.ndarray:
    """Counts at the end of a test of made-up pairs."""
    counts, look, ratio = np.zeros(5, np.int64), 0, 0.0
    while abs(ratio) < BOUND and look < looks:
        counts += rng.multinomial(CHECK_EVERY, shares)
        look, ratio = look + 1, log_likelihood_ratio(counts, *bounds)
    return counts


def error_rate(bounds: tuple[float, float], wrong: int, tests: int, shape: str = "usual") -> float:
    """Return how often tests accept hypothesis ``wrong``, 0 or 1, when the other one is exactly true."""
    rng, shares = np.random.default_rng(1), shares_with(bounds[1 - wrong], shape)
    ends = [simulated_test(rng, bounds, shares) for _ in range(tests)]
    return sum(int(log_likelihood_ratio(counts, *bounds) > 0) == wrong for counts in ends) / tests


@pytest.mark.parametrize(
    ("bounds", "shape", "wrong"), [((0, 50), "usual", 0), ((0, 50), "drawn", 1), ((150, 200), "decided", 0)]
)
def test_error_rates_are_at_most_5_percent(wrong: int, bounds: tuple[float, float], shape: str) -> None:
    tests = 200
    assert error_rate(bounds, wrong, tests, shape) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / tests)


@pytest.mark.nightly
@pytest.mark.parametrize(("elo1", "tests"), [(5, 500), (30, 2000)])
@pytest.mark.parametrize("wrong", [0, 1])
def test_error_rates_at_length(wrong: int, elo1: int, tests: int) -> None:
    rate = error_rate((0, elo1), wrong, tests)
    print(f"bounds 0 and {elo1}: {rate:.2%} of {tests} tests accepted elo{wrong} wrongly")
    # Looking after every 16 deals overshoots distant bounds a little, so the rates are somewhat below 5 % there.
    assert 0.015 <= rate <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / tests)


@pytest.mark.nightly
@pytest.mark.parametrize("looks", [60, math.inf])
@pytest.mark.parametrize("truth", [0, 20, 40])
def test_estimates_after_stopping_are_median_unbiased(truth: float, looks: float) -> None:
    bounds, tests = (0, 20), 1000
    rng, shares = np.random.default_rng(3), shares_with(truth)
    ends = [simulated_test(rng, bounds, shares, looks) for _ in range(tests)]
    found, intervals = zip(*(estimate_after_test(counts, *bounds) for counts in ends), strict=True)
    low, high = np.transpose(intervals)
    covered, plain = np.mean((low <= truth) & (truth <= high)), np.median([estimate(counts)[0] for counts in ends])
    print(
        f"truth {truth}, at most {looks} looks: median {np.median(found):.1f}, plain {plain:.1f}, cover {covered:.1%}"
    )
    assert abs(np.mean(np.array(found) < truth) - 0.5) <= 2 * math.sqrt(0.25 / tests)
    assert 0.93 <= covered <= 0.97


def pairs_won(margins: np.ndarray) -> tuple[int, ...]:
    return tuple(np.bincount(np.sign(margins).sum(axis=1) + 2, minlength=5).tolist())


def test_stops_at_first_decision() -> None:
    game: dict[str, Any] = {"seed": 2, "rules": "small"}
    result = play_sprt("greedy", "random", elo0=0, elo1=50, **game)
    assert (result.accepted, result.deals % CHECK_EVERY) == ("elo1", 0)
    assert result.log_ratio >= math.log(19)
    low, high = result.unbiased_interval
    assert low < result.unbiased < min(high, result.nelo)
    margins = play_match("greedy", "random", deals=result.deals, **game).margins
    assert result.counts == pairs_won(margins)
    for look in range(CHECK_EVERY, result.deals, CHECK_EVERY):
        assert abs(log_likelihood_ratio(pairs_won(margins[:look]), 0, 50)) < math.log(19)
    with ThreadPoolExecutor(1) as executor:
        assert play_sprt("greedy", "random", elo0=0, elo1=50, **game, executor=executor) == result


@pytest.mark.parametrize(("elo0", "elo1"), [(5, 0), (1, 1), (math.nan, 1), (0, math.inf), (0, 1001)])
def test_wrong_bounds_are_refused(elo0: float, elo1: float) -> None:
    with pytest.raises(ValueError, match=f"got {elo0:g},{elo1:g}"):
        play_sprt("greedy", "random", elo0=elo0, elo1=elo1)
