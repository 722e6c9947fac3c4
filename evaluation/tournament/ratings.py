"""Ratings from the results of all pairs: Bradley-Terry, and Nash averaging for agents that beat each other in cycles.

Bradley-Terry gives one rating per agent, and the differences of ratings give the win rates of all pairs. The model is
P(i beats j) = 1 / (1 + exp(r_j − r_i)) (Bradley and Terry, "Rank analysis of incomplete block designs", 1952), with
draws counted half. Its log-likelihood is concave, and Newton's method finds the maximum (compared with minorization in
Hunter, "MM algorithms for generalized Bradley-Terry models", 2004, section 3).

Nash averaging measures each agent against the strongest mixture of all. Choosing an agent is a move in a zero-sum game
whose payoff is the win rate minus ½. The equilibrium of largest entropy of this game is a mixture that no agent here
beats; an agent's *Nash average* is its payoff against that mixture. Adding weak agents or copies changes neither
(Balduzzi et al., "Re-evaluating evaluation", 2018, [arXiv 1806.02643](https://arxiv.org/abs/1806.02643), who use log
odds; win rates stay finite).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.utils.specs import must_be

Matrix = npt.NDArray[np.float64]

ELO = 400 / math.log(10)  # Elo points in one unit of log odds
VIRTUAL_DRAWS = 1.0
_ITERATIONS = 100
_CLOSE = 1e-10
_FAR, _HALVINGS = 4000.0, 60  # bisection of ``rating_against``: Elo beyond the known ratings, and steps
_MAX_STEP = 2.0  # in log odds, because Newton's method overshoots far from the maximum

_COLDEST = 1e-6  # last temperature of Nash averaging, relative to the largest payoff
_COOLING = 0.6  # factor of the temperature per step
_NASH_ITERATIONS = 60
_NASH_CLOSE = 1e-9


def bradley_terry(wins: npt.ArrayLike, virtual_draws: float = VIRTUAL_DRAWS) -> Matrix:
    """Return the maximum-likelihood ratings in Elo, with mean 0, float64[…, n].

    Args:
        wins: games that agent i won against agent j, draws counted half, float64[…, n, n]; the diagonal is ignored.
        virtual_draws: drawn games added for every pair that met. They keep the ratings of agents that won all games
            finite, and hardly move the others.

    Raises:
        ValueError: when the matrix is not square, has negative numbers, or some agents are not connected by games.
    """
    given = np.asarray(wins, np.float64)
    if given.ndim < 2 or given.shape[-1] != given.shape[-2] or not (given >= 0).all():
        raise ValueError(f"wins{list(given.shape)} are not allowed: a square matrix of numbers from 0")
    size = given.shape[-1]
    others = ~np.eye(size, dtype=np.bool_)
    games = given + np.swapaxes(given, -1, -2)
    won = np.where(others, given + (games > 0) * virtual_draws / 2, 0)
    games = won + np.swapaxes(won, -1, -2)
    _check_connected(games)
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
    """Return the maximum-likelihood rating in Elo of one agent, given its results against rated agents, float64[…].

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


def _check_connected(games: Matrix) -> None:
    reached = np.linalg.matrix_power(np.eye(games.shape[-1]) + (games > 0), games.shape[-1]) > 0
    if not reached.all():
        raise ValueError("the agents cannot be put on one scale: some are not connected by games")


class NashAverage(NamedTuple):
    """Result of Nash averaging.

    Attributes:
        weights: the agents' probabilities in the equilibrium of largest entropy, float64[n].
        averages: each agent's payoff against the equilibrium, float64[n]: 0 for agents in it, at most 0 for others.
    """

    weights: Matrix
    averages: Matrix


def nash_averaging(payoffs: npt.ArrayLike) -> NashAverage:
    """Return the equilibrium of largest entropy of a symmetric zero-sum game, and the payoffs against it.

    With an entropy bonus of temperature τ for both sides, the equilibrium is the unique solution of
    p = softmax(A p / τ), and tends to the equilibrium of largest entropy as τ goes to 0. Newton's method follows it
    there; its matrix is never singular, because A is antisymmetric.

    Args:
        payoffs: what agent i wins against agent j, float64[n, n], antisymmetric.

    Raises:
        ValueError: when the matrix is not antisymmetric.
    """
    matrix = np.asarray(payoffs, np.float64)
    if matrix.ndim != 2 or not np.allclose(matrix, -matrix.T, rtol=0, atol=1e-9):
        raise ValueError(must_be("payoffs", "an antisymmetric matrix", matrix))
    scale = float(np.abs(matrix).max())
    size = len(matrix)
    if scale == 0:
        return NashAverage(np.full(size, 1 / size), np.zeros(size))
    temperature, logits = 1.0, np.zeros(size)
    while temperature > _COLDEST:
        temperature *= _COOLING
        logits = _equilibrium(matrix / scale, temperature, logits / _COOLING)
    weights = _softmax(logits)
    return NashAverage(weights, matrix @ weights)


def _equilibrium(matrix: Matrix, temperature: float, logits: Matrix) -> Matrix:
    """Solve ``logits = matrix @ softmax(logits) / temperature`` by Newton's method with a line search, from a guess."""
    size = len(matrix)
    error = logits - matrix @ _softmax(logits) / temperature
    for _ in range(_NASH_ITERATIONS):
        weights = _softmax(logits)
        slope = np.eye(size) - matrix @ (np.diag(weights) - np.outer(weights, weights)) / temperature
        step = np.linalg.solve(slope, error)
        length = 1.0
        while length > 1e-6:
            tried = logits - length * step
            rest = tried - matrix @ _softmax(tried) / temperature
            if np.linalg.norm(rest) < np.linalg.norm(error):
                break
            length /= 2
        else:
            break
        logits, error = tried, rest
        if np.abs(error).max() < _NASH_CLOSE * max(1.0, float(np.abs(logits).max())):
            break
    return logits


def _softmax(logits: Matrix) -> Matrix:
    weights = np.exp(logits - logits.max())
    total: Matrix = weights / weights.sum()
    return total
