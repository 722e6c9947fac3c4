"""The number of deals that it takes to separate two agents."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.endgame_hook import EXACT

RATES = (0.51, 0.55, 0.60, 0.70)
ERROR = 0.05  # of a two-sided test, as 95 % intervals make it
POWER = 0.95
_SUFFIX = f"+{EXACT}"


class Separation(NamedTuple):
    """The number of deals that it takes to tell two agents apart.

    Attributes:
        rate: the true win rate of the stronger agent.
        pair: the agents whose spread is used: those whose measured win rate is nearest.
        spread: standard deviation of a mirrored deal's win rate, 0 to ½.
        deals: mirrored deals needed, each played twice.
        games: games needed without mirroring, each on a deal of its own, if none is drawn.
    """

    rate: float
    pair: tuple[str, str]
    spread: float
    deals: int
    games: int


def deals_needed(rate: float, spread: float, error: float = ERROR, power: float = POWER) -> int:
    """Return the number of samples whose interval excludes ½ with probability ``power``.

    The usual sample size of a two-sided z-test, ((z₁ + z₂) · spread / (rate − ½))², with z₁ and z₂ the standard normal
    quantiles of 1 − error / 2 and of power.

    Raises:
        ValueError: if ``rate`` is ½: nothing separates equal agents.
    """
    if rate == 0.5:
        raise ValueError("rate must be another one than 0.5, got 0.5: no number of deals separates equal agents")
    normal = NormalDist()
    z = normal.inv_cdf(1 - error / 2) + normal.inv_cdf(power)
    return math.ceil((z * spread / (rate - 0.5)) ** 2)


def spread_of(margins: npt.NDArray[Any]) -> float:
    """Return the standard deviation of the first agent's win rate in a mirrored deal, from margins [deals, 2]."""
    return float(np.std((np.sign(margins) + 1).mean(axis=1) / 2, ddof=1))


def separations(pairs: dict[tuple[str, str], npt.NDArray[Any]]) -> list[Separation]:
    """Return the deals needed at each of ``RATES``, with the spread of the pair whose measured win rate is nearest.

    Args:
        pairs: margins, [deals, 2], by the names of the agents. Pairs that differ only in their endgames are ignored:
            they play the same foreplay, so their spread is unusually small.
    """
    measured = {
        pair: float((np.sign(margins) + 1).mean() / 2)
        for pair, margins in pairs.items()
        if pair[0].removesuffix(_SUFFIX) != pair[1].removesuffix(_SUFFIX)
    }
    found = []
    for rate in RATES:
        pair = min(measured, key=lambda pair: abs(max(measured[pair], 1 - measured[pair]) - rate))
        spread = spread_of(pairs[pair])
        alone = math.sqrt(rate * (1 - rate))
        found.append(Separation(rate, pair, spread, deals_needed(rate, spread), deals_needed(rate, alone)))
    return found
