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

from german_whist.arena.statistics import Z95

Counts = npt.NDArray[np.int64]

SCORES = np.arange(5) / 4  # of a pair, as a share of its two games
NELO_PER_T = 800 / math.log(10)
_PAIR = math.sqrt(2)  # σ of one game is √2 times that of a pair's mean score
_NEVER_SEEN = 1e-3  # pairs counted for a score that did not occur, which keeps every likelihood finite
_ITERATIONS = 50
_CLOSE = 1e-10


class NormalisedElo(NamedTuple):
    """An estimate of strength in normalised Elo.

    Attributes:
        nelo: the estimate.
        interval: its 95 % interval.
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
    """Return the normalised Elo of pairs counted by score, and its 95 % interval."""
    number, shares = _shares(counts)
    mean, deviation = _moments(shares)
    nelo = (mean - 0.5) / deviation / _PAIR * NELO_PER_T
    half = Z95 / math.sqrt(number) / _PAIR * NELO_PER_T
    return NormalisedElo(nelo, (nelo - half, nelo + half))


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
    null, alternative = (_most_likely(shares, elo * _PAIR / NELO_PER_T) for elo in (elo0, elo1))
    return float(number * (shares * np.log(alternative / null)).sum())


def _shares(counts: npt.ArrayLike) -> tuple[float, npt.NDArray[np.float64]]:
    seen = np.asarray(counts, np.float64)
    seen = np.where(seen > 0, seen, _NEVER_SEEN)
    return float(seen.sum()), seen / seen.sum()


def _moments(shares: npt.NDArray[np.float64]) -> tuple[float, float]:
    mean = float(shares @ SCORES)
    return mean, math.sqrt(float(shares @ (SCORES - mean) ** 2))


def _most_likely(shares: npt.NDArray[np.float64], t: float) -> npt.NDArray[np.float64]:
    """Return the distribution with (mean − ½) / σ = t that makes shares most likely (Van den Bergh 2021, 4.1).

    The constraint is linearised at the last distribution, and the linear problem solved, until nothing changes.
    """
    likely = np.full(5, 0.2)
    for _ in range(_ITERATIONS):
        mean, deviation = _moments(likely)
        levels = SCORES - 0.5 - t * deviation * (1 + ((mean - SCORES) / deviation) ** 2) / 2
        last, likely = likely, shares / (1 + _multiplier(shares, levels) * levels)
        if np.abs(likely - last).max() < _CLOSE:
            break
    return likely


def _multiplier(shares: npt.NDArray[np.float64], levels: npt.NDArray[np.float64]) -> float:
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
