"""Accuracy: what a player gave away, in relation to what average cards would have given away.

A decision puts as many tricks at stake as its legal actions give away on average. Where all of them are as good,
nothing is at stake, and the decision does not count. So decisions weigh by what depends on them, and ``AVERAGE`` per
cent is what somebody reaches who plays any legal card. ``docs/explanation/coach.md`` shows what agents reach.
"""

from __future__ import annotations

from german_whist.session.coach.advice import Advice

AVERAGE = 30.0  # per cent, of cards that give away as much as the average legal card


def at_stake(advice: Advice) -> float:
    """Return how many tricks a decision puts at stake."""
    return max(0.0, sum(advice.lost) / len(advice.lost))


def accuracy_of(given_away: float, at_stake: float) -> float | None:
    """Return the accuracy of decisions in per cent, 0 to 100; ``None`` where nothing was at stake.

    Args:
        given_away: tricks that they gave away together.
        at_stake: tricks that they put at stake together.
    """
    if at_stake <= 0:
        return None
    return round(max(0.0, 100 - (100 - AVERAGE) * given_away / at_stake), 1)
