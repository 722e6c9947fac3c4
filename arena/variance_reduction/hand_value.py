"""A value for every game that needs no network: the high cards and trumps in the hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_RANK_WORTH = np.tile((np.arange(13) / 12) ** 2, 4)  # by card; high cards win tricks
_TRUMP_WORTH = 0.5
_BITS = np.uint64(1) << np.arange(52, dtype=np.uint64)


class HandValue:
    """Adds up the cards of the hand: the squared rank, and half a point for a trump; in low deals the sign is reversed.

    Crude on purpose. The unit does not matter, because the match estimates how much a point is worth.
    """

    name = "hand"

    def values(self, views: np.ndarray[Any, Any]) -> npt.NDArray[np.float64]:
        """Return a value per view, float64[n]."""
        held = (views["hand"][:, None] & _BITS) != 0
        is_trump = np.arange(52) // 13 == views["trump"][:, None]
        worth = (held * (_RANK_WORTH + _TRUMP_WORTH * is_trump)).sum(axis=1)
        value: npt.NDArray[np.float64] = np.where(views["low"] == 1, -worth, worth)
        return value
