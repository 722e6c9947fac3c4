"""How good an action is, in a word: by what it gives away against the judge's choice, and by how sure that is."""

from __future__ import annotations

from typing import NamedTuple

from german_whist.session import schema
from german_whist.session.coach.advice import Advice

SURE = 2.0  # standard errors that a difference has to exceed before an action is criticised for it
SAME, SAME_WIN = 0.05, 0.01  # tricks and chance to win below which two actions are as good as each other

# What has to be given away at least, in tricks or in chance to win.
LEAST: dict[schema.Label, tuple[float, float]] = {
    "blunder": (1.5, 0.15),
    "mistake": (0.75, 0.06),
    "inaccuracy": (0.3, 0.02),
}


class Judgement(NamedTuple):
    """What is said of an action.

    Attributes:
        label: how good it is.
        tricks: tricks given away.
        win: chance to win given away.
    """

    label: schema.Label
    tricks: float
    win: float

    @property
    def is_criticised(self) -> bool:
        """Whether another action would have been better, beyond doubt and by enough to speak of."""
        return self.label in LEAST


def judge(advice: Advice, action: int) -> Judgement:
    """Return how good an action is; one that wins more often than the judge's choice gives nothing away."""
    place = advice.actions.index(action)
    lost, win = advice.lost[place], advice.wins[0] - advice.wins[place]
    tricks = max(0.0, lost) if win >= 0 else 0.0
    if not place or (lost <= 0 <= win if advice.exact else lost < SAME and win < SAME_WIN):
        return Judgement("best", tricks, max(0.0, win))
    if win < 0:
        return Judgement("good", 0.0, 0.0)
    sure_tricks = tricks if tricks > SURE * advice.lost_errors[place] else 0.0
    sure_win = win if win > SURE * advice.win_errors[place] else 0.0
    for label, (least_tricks, least_win) in LEAST.items():
        if sure_tricks >= least_tricks or sure_win >= least_win:
            return Judgement(label, tricks, win)
    return Judgement("good", tricks, win)
