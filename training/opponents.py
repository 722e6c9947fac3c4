"""Who plays in which rows: the learner against itself, against past selves, against agents by name."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

SELF = "self"
POOL = "pool"


def share_rows(shares: Mapping[str, float], rows: int) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Give each opponent its share of the rows.

    Args:
        shares: by name, above 0; they need not add up to 1.
        rows: deals stepped together.

    Returns:
        The opponent of each row, int64[rows], −1 for self-play, and the names that the numbers stand for.

    Raises:
        ValueError: when a share is less than a row.
    """
    names: list[str] = []
    opponent_of = np.full(rows, -1, np.int64)
    total = sum(shares.values())
    start = 0.0
    for name, share in shares.items():
        stop = start + share / total
        if round(start * rows) == round(stop * rows):
            raise ValueError(f"opponents: a share of {share:g} of {total:g} is less than one row of {rows}")
        if name != SELF:
            opponent_of[round(start * rows) : round(stop * rows)] = len(names)
            names.append(name)
        start = stop
    return opponent_of, names
