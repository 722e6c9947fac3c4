"""The score of a session: points and deals won, and who has won the match."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from german_whist.arena.recording import DealResult
from german_whist.envs.engine.match_format import FIRST_TO, MatchFormat


class Score(NamedTuple):
    """The score by seat.

    Attributes:
        points: points of the deals won.
        won: number of deals won.
        drawn: number of drawn deals.
    """

    points: tuple[float, float] = (0.0, 0.0)
    won: tuple[int, int] = (0, 0)
    drawn: int = 0

    @classmethod
    def of(cls, results: Iterable[DealResult]) -> Score:
        """Return the score after some deals."""
        points, won, drawn = [0.0, 0.0], [0, 0], 0
        for result in results:
            if not result.margin:
                drawn += 1
                continue
            winner = 0 if result.margin > 0 else 1
            points[winner] += abs(result.points)
            won[winner] += 1
        return cls((points[0], points[1]), (won[0], won[1]), drawn)

    def in_match(self, match: MatchFormat | None) -> tuple[float, float]:
        """Return what a match counts, by seat: points, or deals won."""
        return self.points if match is None or match.kind == FIRST_TO else (float(self.won[0]), float(self.won[1]))

    def winner(self, match: MatchFormat | None) -> int | None:
        """Return the seat that has won the match; ``None`` while there is none."""
        if match is None:
            return None
        seat = int(match.winners(np.array([self.in_match(match)]))[0])
        return None if seat < 0 else seat
