"""Who plays in which rows: the learner against itself, against past selves, against agents by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

SELF = "self"
POOL = "pool"


def share_rows(shares: Sequence[tuple[float, bool]], rows: int) -> npt.NDArray[np.int64]:
    """Give each opponent its share of the rows.

    Args:
        shares: how much each gets, above 0, and whether it is the learner itself; they need not add up to 1.
        rows: deals stepped together.

    Returns:
        The opponent of each row, int64[rows], counted without the learner itself, which is −1.

    Raises:
        ValueError: when a share is less than a row.
    """
    opponent_of = np.full(rows, -1, np.int64)
    total = sum(share for share, _ in shares)
    start = 0.0
    number = 0
    for share, is_self in shares:
        stop = start + share / total
        if round(start * rows) == round(stop * rows):
            raise ValueError(f"opponents: a share of {share:g} of {total:g} is less than one row of {rows}")
        if not is_self:
            opponent_of[round(start * rows) : round(stop * rows)] = number
            number += 1
        start = stop
    return opponent_of
