"""Pentanomial counts, normalised Elo, and the log-likelihood ratio of a sequential test.

A mirrored deal is a pair of games and scores 0, ½, 1, 1½ or 2. Its two games are not independent, so the model is the
multinomial distribution of these five scores, as in the testing of chess engines. Normalised Elo measures strength by
t = (mean − ½) / σ, with mean and standard deviation of a single game, so that the number of games that a test takes
depends on it alone (M. Van den Bergh, "Normalized Elo", 2020, and "A practical introduction to normalized Elo", 2021;
the code of reference is fishtest's ``LLRcalc.py``).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.arena.statistics import Z95, largest_unseen_share

Counts = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]

SCORES = np.arange(5) / 4  # of a pair, as a share of its two games
NELO_PER_T = 800 / math.log(10)
_PAIR = math.sqrt(2)  # σ of one game is √2 times that of a pair's mean score
_NEVER_SEEN = 1e-3  # pairs counted for a score that did not occur, which keeps every likelihood finite
_ITERATIONS = 50
_CLOSE = 1e-10
_MOST = 0.99  # share of the score on which a distribution concentrates


class NormalisedElo(NamedTuple):
    """An estimate of strength in normalised Elo.

    Attributes:
        nelo: the estimate; infinite where every pair had the same score, other than 1 of 2.
        interval: its 95 % interval; one end is infinite then.
    """

    nelo: float
    interval: tuple[float, float]


def pentanomial_counts(margins: npt.NDArray[Any]) -> Counts:
    """Return how many pairs scored 0, ½, 1, 1½ and 2, int64[5].

    Args:
        margins: the first agent's margins in the two games of each deal, [deals, 2].
    """
    return np.bincount(np.sign(margins).astype(np.int64).sum(axis=1) + 2, minlength=5)


def normalised_elo(counts: npt.ArrayLike) -> NormalisedElo:
    """Return the normalised Elo of pairs counted by score, and its 95 % interval.

    The interval allows for the error of both the mean and σ by the delta method: the variance of an estimated t of n
    pairs is (1 − t · skewness + t² (kurtosis − 1) / 4) / n (the expansion for a standardised effect size without
    normality; A. van der Vaart, "Asymptotic Statistics", 1998, chapter 3).
    """
    seen = np.asarray(counts, np.float64)
    (scores,) = np.nonzero(seen)
    if len(scores) == 1 and SCORES[scores[0]] != 0.5:
        return _without_variance(float(SCORES[scores[0]]), int(seen.sum()))
    number, shares = (float(seen.sum()), seen / seen.sum()) if len(scores) > 1 else _shares(counts)
    mean, deviation = _moments(shares)
    t = (mean - 0.5) / deviation
    skewness, kurtosis = (float(shares @ ((SCORES - mean) / deviation) ** power) for power in (3, 4))
    nelo = t / _PAIR * NELO_PER_T
    spread = math.sqrt(max(0.0, 1 - t * skewness + t**2 * (kurtosis - 1) / 4))
    half = spread * Z95 / math.sqrt(number) / _PAIR * NELO_PER_T
    return NormalisedElo(nelo, (nelo - half, nelo + half))


def _without_variance(score: float, pairs: int) -> NormalisedElo:
    """Return what is known where every pair had the same score, other than ½.

    The bound is the t of the weakest distribution that agrees with it: all other pairs, as many as there may be, have
    the score at the far end.
    """
    share = largest_unseen_share(pairs)
    t = (abs(score - 0.5) / max(score, 1 - score) - share) / math.sqrt(share * (1 - share))
    bound = t / _PAIR * NELO_PER_T
    return NormalisedElo(math.inf, (bound, math.inf)) if score > 0.5 else NormalisedElo(-math.inf, (-math.inf, -bound))


def log_likelihood_ratio(counts: npt.ArrayLike, elo0: float, elo1: float) -> float:
    """Return log L(elo1) − log L(elo0) of pairs counted by score, each likelihood maximised over its hypothesis.

    A hypothesis is the set of all distributions of the five scores with this normalised Elo: the generalised
    sequential probability ratio test (GSPRT; Li, Liu and Ying, "Generalized sequential probability ratio test for
    separate families of hypotheses", Sequential Analysis 33, 2014).

    Args:
        counts: pairs with score 0, ½, 1, 1½ and 2.
        elo0: normalised Elo of the null hypothesis.
        elo1: normalised Elo of the alternative.
    """
    number, shares = _shares(counts)
    null, alternative = (most_likely(shares, elo * _PAIR / NELO_PER_T) for elo in (elo0, elo1))
    return float(number * (shares * np.log(alternative / null)).sum())


def _shares(counts: npt.ArrayLike) -> tuple[float, Shares]:
    seen = np.asarray(counts, np.float64)
    seen = np.where(seen > 0, seen, _NEVER_SEEN)
    return float(seen.sum()), seen / seen.sum()


def _moments(shares: Shares) -> tuple[float, float]:
    mean = float(shares @ SCORES)
    return mean, math.sqrt(float(shares @ (SCORES - mean) ** 2))


def most_likely(shares: Shares, t: float) -> Shares:
    """Return the distribution of the five scores with (mean − ½) / σ = t that makes shares most likely, float64[5].

    There may be several local maxima where |t| > 1, because such a distribution has to concentrate on one score beyond
    ½: each of the two is tried then.

    Args:
        shares: shares of the five scores, each positive, float64[5].
        t: normalised Elo in units of σ of a pair.
    """
    starts = [_tilted(shares, t)]
    if abs(t) > 1:
        peaks = np.eye(5)[SCORES > 0.5 if t > 0 else SCORES < 0.5]
        starts += [_tilted((1 - _MOST) * shares + _MOST * peak, t) for peak in peaks]
    found = [_local_maximum(shares, start, t) for start in starts]
    return max(found, key=lambda likely: float(shares @ np.log(likely)))


def _tilted(shares: Shares, t: float) -> Shares:
    """Return the distribution ∝ shares · exp(x · score) with (mean − ½) / σ = t; that ratio rises with x."""

    def at(x: float) -> Shares:
        weights = shares * np.exp(x * SCORES - max(x, 0.0))
        tilted: Shares = weights / weights.sum()
        return tilted

    def is_below(x: float) -> bool:
        mean, deviation = _moments(at(x))
        return mean - 0.5 < t * deviation

    low, high = -1.0, 1.0
    while not is_below(low):
        low *= 2
    while is_below(high):
        high *= 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return at(middle)


def _local_maximum(shares: Shares, start: Shares, t: float) -> Shares:
    """Return the likeliest distribution with (mean − ½) / σ = t near one that has it (Van den Bergh 2021, 4.1).

    The constraint is linearised at the last distribution, and the linear problem solved, until nothing changes. The
    first distribution has to meet the constraint: then ``levels`` has both signs there. So it has at the next ones,
    because (σ² + σ'²) / 2σ ≥ σ'.
    """
    likely = start
    for _ in range(_ITERATIONS):
        mean, deviation = _moments(likely)
        levels = SCORES - 0.5 - t * deviation * (1 + ((mean - SCORES) / deviation) ** 2) / 2
        last, likely = likely, shares / (1 + _multiplier(shares, levels) * levels)
        if np.abs(likely - last).max() < _CLOSE:
            break
    return likely


def _multiplier(shares: Shares, levels: Shares) -> float:
    """Return the x with Σ shares · levels / (1 + x · levels) = 0 and every term positive; the sum falls with x."""
    low, high = -1 / float(levels.max()), -1 / float(levels.min())
    x = 0.0
    for _ in range(200):
        terms = levels / (1 + x * levels)
        value = float(shares @ terms)
        low, high = (x, high) if value > 0 else (low, x)
        step = x + value / float(shares @ terms**2)  # Newton, within the interval known to hold the root
        last, x = x, step if low < step < high else (low + high) / 2
        if abs(x - last) < 1e-14 * (1 + abs(x)):
            break
    return x
