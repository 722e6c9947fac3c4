"""Bradley-Terry ratings: one number per agent, whose differences give the win rates of all pairs.

The model is P(i beats j) = 1 / (1 + exp(r_j − r_i)) (Bradley and Terry, 1952), with draws counted half. Its likelihood
is concave; Newton's method finds the maximum (Hunter, "MM algorithms for generalized Bradley-Terry models", 2004,
section 3, compares both).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]

ELO = 400 / math.log(10)  # Elo points in one unit of log odds
VIRTUAL_DRAWS = 1.0
_ITERATIONS = 100
_CLOSE = 1e-10
_LONGEST_STEP = 2.0  # in log odds: Newton's method overshoots far from the maximum


def bradley_terry(wins: npt.ArrayLike, virtual_draws: float = VIRTUAL_DRAWS) -> Matrix:
    """Return the ratings that make results most likely, in Elo with mean 0, float64[…, n].

    Args:
        wins: games that agent i won against agent j, draws counted half, float64[…, n, n]; the diagonal is ignored.
        virtual_draws: drawn games added to every pair that met. They keep the ratings finite where an agent won every
            game, and hardly move the others.

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
        # The ratings have no zero point; the mean of all is added to make the matrix regular.
        curvature = weights.sum(axis=-1)[..., None] * diagonal - weights + weights.max() / size
        step = np.linalg.solve(curvature, slope[..., None])[..., 0]
        ratings = ratings + np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        if np.abs(step).max() < _CLOSE:
            break
    centred: Matrix = ELO * (ratings - ratings.mean(axis=-1, keepdims=True))
    return centred


def _check_connected(games: Matrix) -> None:
    reached = np.linalg.matrix_power(np.eye(games.shape[-1]) + (games > 0), games.shape[-1]) > 0
    if not reached.all():
        raise ValueError("the agents cannot be put on one scale: some are not connected by games")
