"""Nash averaging: how strong is each agent against the best mixture of all of them?

Agents are players' choices in a zero-sum game whose payoff is the win rate minus ½. Its equilibrium with the largest
entropy is a mixture of agents that nobody here beats; an agent's *Nash average* is its payoff against that mixture.
Adding weak agents or copies changes neither (Balduzzi et al., "Re-evaluating evaluation", 2018,
[arXiv 1806.02643](https://arxiv.org/abs/1806.02643), who use log odds; win rates stay finite).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]

_COLDEST = 1e-6  # relative to the largest payoff
_COOLING = 0.6
_ITERATIONS = 60
_CLOSE = 1e-9


class NashAverage(NamedTuple):
    """Result of Nash averaging.

    Attributes:
        weights: the agents' shares in the equilibrium of largest entropy, float64[n].
        averages: each agent's payoff against it, float64[n]: 0 for those in it, negative for the others.
    """

    weights: Matrix
    averages: Matrix


def nash_averaging(payoffs: npt.ArrayLike) -> NashAverage:
    """Return the equilibrium of largest entropy of a symmetric zero-sum game, and the payoffs against it.

    With an entropy bonus of temperature τ for both sides, the equilibrium is the only solution of
    p = softmax(A p / τ), and tends to the equilibrium of largest entropy as τ falls to 0. Newton's method follows it
    down; its matrix is never singular, because A is antisymmetric.

    Args:
        payoffs: what agent i wins against agent j, float64[n, n], antisymmetric.

    Raises:
        ValueError: when the matrix is not antisymmetric.
    """
    matrix = np.asarray(payoffs, np.float64)
    if matrix.ndim != 2 or not np.allclose(matrix, -matrix.T, rtol=0, atol=1e-9):
        raise ValueError("payoffs are not allowed: an antisymmetric matrix is needed")
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
    """Solve ``logits = matrix @ softmax(logits) / temperature``, from a guess."""
    size = len(matrix)
    error = logits - matrix @ _softmax(logits) / temperature
    for _ in range(_ITERATIONS):
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
        if np.abs(error).max() < _CLOSE * max(1.0, float(np.abs(logits).max())):
            break
    return logits


def _softmax(logits: Matrix) -> Matrix:
    weights = np.exp(logits - logits.max())
    total: Matrix = weights / weights.sum()
    return total
