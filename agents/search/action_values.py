"""The estimates of a search for each action: what it chooses by, and the gain in tricks and in games won."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Actions
from german_whist.agents.search.settings import TANH_SCALE, WIN_WEIGHT

# Chance to win that goes with one more expected trick, in an even deal: agents that make 0.35 and 2.16 tricks more than
# their opponent win 53.2 % and 67.6 % (lab/experiments/self-play-champion.md).
WIN_PER_TRICK = 0.08

# Usual standard deviations, in one world, of the difference of two actions in tricks and in games won.
_TRICK_SD, _WIN_SD = 2.0, 0.3
_NO_MARGIN = 1e-9  # as tanh_scale: only who wins counts


class ActionValues(NamedTuple):
    """The actions of n views, each compared with the policy's own; NaN where an action was not tried.

    Attributes:
        actions: the search's choices, int64[n].
        gains: what it chooses by, float64[n, 54]: tricks, and a win's own weight.
        tricks: gain in tricks alone, float64[n, 54].
        wins: gain in chance to win the deal, a draw counting half, float64[n, 54].
    """

    actions: Actions
    gains: npt.NDArray[np.float64]
    tricks: npt.NDArray[np.float64]
    wins: npt.NDArray[np.float64]


def measures_of(prior_sd: float) -> tuple[tuple[float, npt.NDArray[np.float64]], ...]:
    """Return the unit of a policy's advantage and the scales of ``combine``, for ``gains``, ``tricks`` and ``wins``."""
    gains, tricks = (
        np.array([prior_sd, _TRICK_SD + win_weight / 4, TANH_SCALE, win_weight]) for win_weight in (WIN_WEIGHT, 0.0)
    )
    wins = np.array([WIN_PER_TRICK * prior_sd, _WIN_SD, _NO_MARGIN, 0.5])
    return (1.0, gains), (1.0, tricks), (WIN_PER_TRICK, wins)
