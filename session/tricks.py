"""Margins as tricks: people count tricks; the engine, the agents and the solver count margins."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.rules import Rules

Number = TypeVar("Number", float, npt.NDArray[np.float64])


def tricks_taken(margin: Number, rules: Rules, *, low: bool = False, counted: int | None = None) -> Number:
    """Return the counted tricks that a seat takes, given its margin.

    Args:
        margin: margin of the finished deal, or several; except in a race, expected margins will do.
        rules: the rules.
        low: whether the endgame is played low.
        counted: how many tricks count; by default as many as in a whole deal.
    """
    if rules.race:  # the winner takes as many as it needs
        return rules.race + (margin - abs(margin)) / 2
    return ((rules.counted if counted is None else counted) + (-margin if low else margin)) / 2


def tricks_lost(margin: Number, win: Number, rules: Rules) -> Number:
    """Return how many tricks have to be lost for a loss of margin.

    A trick changes the margin by two. In a race it changes it by one, because the tricks left over are not played, but
    for the trick that decides who wins.

    Args:
        margin: the loss of expected margin, or several.
        win: the loss of chance to win, likewise.
        rules: the rules.
    """
    return margin - win if rules.race else margin / 2
