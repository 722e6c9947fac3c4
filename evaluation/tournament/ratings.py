"""Bradley-Terry ratings from the results of all pairs.

There is one rating per agent, and the differences of ratings give the win rates of all pairs. The model is
P(i beats j) = 1 / (1 + exp(r_j − r_i)) (Bradley and Terry, "Rank analysis of incomplete block designs", 1952), with
draws counted half. Its log-likelihood is concave, and Newton's method finds the maximum (compared with minorization in
Hunter, "MM algorithms for generalized Bradley-Terry models", 2004, section 3).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.evaluation.statistics import bounded_interval

Matrix = npt.NDArray[np.float64]

ELO = 400 / math.log(10)  # Elo points in one unit of log odds
VIRTUAL_DRAWS = 1.0
BOOTSTRAPS = 1000
_ITERATIONS = 100
_CLOSE = 1e-10
_FAR, _HALVINGS = 4000.0, 60  # bisection of ``rating_against``: Elo beyond the known ratings, and steps
_MAX_STEP = 2.0  # limit in log odds: Newton's method overshoots far from the maximum


def games_won(margins: npt.NDArray[Any]) -> Matrix:
    """Return the games of each deal that the first agent won, draws counted half, float64[n], from margins[n, 2]."""
    won: Matrix = (np.sign(margins) + 1).sum(axis=1) / 2
    return won


def resampled(deals: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yield how often each deal counts, int64[deals]: once, then as drawn in each of 1,000 bootstraps over deals."""
    yield np.ones(deals, np.int64)
    rng = np.random.default_rng(0)
    for _ in range(BOOTSTRAPS):
        yield np.bincount(rng.integers(0, deals, deals), minlength=deals)


def bradley_terry(wins: npt.ArrayLike, virtual_draws: float = VIRTUAL_DRAWS) -> Matrix:
    """Return the maximum-likelihood ratings in Elo, with mean 0, float64[…, n].

    Args:
        wins: games that agent i won against agent j, draws counted half, float64[…, n, n]; the diagonal is ignored.
            All agents must be connected by games.
        virtual_draws: drawn games added for every pair that met. They keep the ratings of agents that won all games
            finite, and hardly move the others.
    """
    given = np.asarray(wins, np.float64)
    size = given.shape[-1]
    others = ~np.eye(size, dtype=np.bool_)
    games = given + np.swapaxes(given, -1, -2)
    won = np.where(others, given + (games > 0) * virtual_draws / 2, 0)
    games = won + np.swapaxes(won, -1, -2)
    ratings = np.zeros(given.shape[:-1])
    diagonal = np.eye(size)
    for _ in range(_ITERATIONS):
        expected = 1 / (1 + np.exp(-(ratings[..., :, None] - ratings[..., None, :])))
        slope = (won - games * expected).sum(axis=-1)
        weights = games * expected * (1 - expected)
        # Ratings are defined up to a constant only; a multiple of the all-ones matrix makes the matrix regular.
        curvature = weights.sum(axis=-1)[..., None] * diagonal - weights + weights.max() / size
        step = np.linalg.solve(curvature, slope[..., None])[..., 0]
        ratings = ratings + np.clip(step, -_MAX_STEP, _MAX_STEP)
        if np.abs(step).max() < _CLOSE:
            break
    centred: Matrix = ELO * (ratings - ratings.mean(axis=-1, keepdims=True))
    return centred


def rating_against(
    wins: npt.ArrayLike, games: npt.ArrayLike, ratings: npt.ArrayLike, virtual_draws: float = VIRTUAL_DRAWS
) -> Matrix:
    """Return the maximum-likelihood Elo, float64[…], of one agent from its results against rated agents.

    Args:
        wins: games that the agent won against each rated agent, draws counted half, float64[…, n].
        games: games that it played against each, float64[…, n].
        ratings: the known ratings in Elo, float64[n].
        virtual_draws: drawn games added for every opponent that it met, as in :func:`bradley_terry`.
    """
    played = np.asarray(games, np.float64)
    won = (np.asarray(wins, np.float64) + (played > 0) * virtual_draws / 2).sum(axis=-1)
    played = played + (played > 0) * virtual_draws
    known = np.asarray(ratings, np.float64)
    low, high = np.full(won.shape, known.min() - _FAR), np.full(won.shape, known.max() + _FAR)
    for _ in range(_HALVINGS):  # expected wins grow with the rating
        middle = (low + high) / 2
        expected = (played / (1 + np.exp((known - middle[..., None]) / ELO))).sum(axis=-1)
        low, high = np.where(expected < won, middle, low), np.where(expected < won, high, middle)
    found: Matrix = (low + high) / 2
    return found


def interval_without_variance(won: Sequence[npt.NDArray[Any]], ratings: npt.ArrayLike) -> tuple[float, float]:
    """Return a 95 % interval for the Elo of an agent whose results against each opponent are the same in all deals.

    A bootstrap finds no variance there. The ends are the ratings at the ends of the win rates' own intervals
    (:func:`~german_whist.evaluation.statistics.bounded_interval`); they are infinite after a single deal.

    Args:
        won: per opponent, the games that the agent won in each deal, 0 to 2, float64[deals].
        ratings: the opponents' ratings in Elo, float64[n].
    """
    if min(map(len, won)) < 2:
        return -math.inf, math.inf
    rates = np.array([bounded_interval(one / 2, 0, 1)[1] for one in won])
    games = np.array([2.0 * len(one) for one in won])
    low, high = rating_against(rates.T * games, games, ratings).tolist()
    return low, high
