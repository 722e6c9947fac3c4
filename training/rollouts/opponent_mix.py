"""Opponents and seats: which environments have which opponent, and which seat the learner holds there."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

SELF = "self"
POOL = "pool"


class OpponentMix:
    """The opponent and the learner's seat of each environment.

    Attributes:
        opponent_of: int64[num_envs], index of the opponent, the learner itself not counted; −1 where the learner
            holds both seats.
        learner_seat: int8[num_envs], the learner's seat; −1 where it holds both.
        deals_of_env: int64[num_envs], deals so far.
    """

    def __init__(self, shares: Iterable[tuple[float, bool]], num_envs: int) -> None:
        """Give each opponent its share of the environments.

        Args:
            shares: weight of each opponent, above 0, and whether it is the learner itself; the sum need not be 1.
            num_envs: deals stepped together.

        Raises:
            ValueError: when a share is less than one environment.
        """
        self.opponent_of = _opponent_of(list(shares), num_envs)
        self.learner_seat = np.full(num_envs, -1, np.int8)
        self.deals_of_env = np.zeros(num_envs, np.int64)

    def assign_seats(self, envs: npt.NDArray[np.int64], dealers: npt.NDArray[np.int8]) -> None:
        """Seat the learner in new deals: dealer and non-dealer in turn, or both.

        Args:
            envs: int64[n], environments with new deals.
            dealers: int8[n], their dealers.
        """
        # Neighbouring environments differ, so that the learner deals half the time even in a few deals.
        is_dealer = (envs + self.deals_of_env[envs]) % 2 == 1
        seat = np.where(is_dealer, dealers, 1 - dealers)
        self.learner_seat[envs] = np.where(self.opponent_of[envs] < 0, -1, seat)
        self.deals_of_env[envs] += 1

    def learner_acts(self, turn: npt.NDArray[np.int8]) -> npt.NDArray[np.bool_]:
        """Return where the learner is to act, bool[num_envs], for the seats to act, int8[num_envs]."""
        acts: npt.NDArray[np.bool_] = (self.learner_seat < 0) | (self.learner_seat == turn)
        return acts


def _opponent_of(shares: list[tuple[float, bool]], num_envs: int) -> npt.NDArray[np.int64]:
    opponent_of = np.full(num_envs, -1, np.int64)
    total = sum(share for share, _ in shares)
    start = 0.0
    number = 0
    for share, is_self in shares:
        stop = start + share / total
        if round(start * num_envs) == round(stop * num_envs):
            raise ValueError(
                f"opponents: a share of {share:g} of {total:g} is less than one environment of {num_envs} (num_envs)"
            )
        if not is_self:
            opponent_of[round(start * num_envs) : round(stop * num_envs)] = number
            number += 1
        start = stop
    return opponent_of
