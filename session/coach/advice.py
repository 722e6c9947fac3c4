"""What every action of a decision is worth, by what its seat knows: the one place that says how good a move is.

- Where the opponent's hand is known, the endgame solver gives the exact margin of each action.
- Elsewhere a judge, a search or a network, says how the actions differ (``judges``): a search in tricks and in chance
  to win, a network in tricks alone.
- The chance to win comes from the judge's value network where it has one. Elsewhere rollouts (``rollouts``) say where
  the middle of the actions lies. They also give the spread of the margins, by which tricks become chances to win.
- Without a judge the rollouts give everything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Agent, Histories, Views, agent_name
from german_whist.agents.endgame.open_hands import exact_margins, opponent_hand_known
from german_whist.agents.policy.agent import expected_values
from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.endgame_hook import EXACT
from german_whist.envs.engine.rules import Rules
from german_whist.session.coach.judges import action_estimates, judge_of
from german_whist.session.coach.rollouts import Rollouts, roll_out
from german_whist.solver.races import NOT_LEGAL_MARGIN

SAME, SAME_WIN = 0.05, 0.01  # tricks and chance to win below which two actions are as good as each other
ROLLOUTS = "rollouts"  # the judge where there is no network
BANDWIDTH = 0.7  # tricks: smooths the distribution of margins, which the actions share but for a shift

_SHIFTS, _HALVINGS = 30.0, 24  # of the search for the shift that gives a value network's chance to win
_SURE = 0.001  # a value network's chance is taken as no closer to 0 or 1

Row = npt.NDArray[np.float64]


class Advice(NamedTuple):
    """The value of each legal action of one decision.

    Attributes:
        actions: the legal actions: the judge's choice, then the others from the most tricks to the fewest.
        margins: expected margin of the deal in counted tricks after each; more is better in low games, too.
        wins: chance to win the deal after each; a draw counts half.
        trick: chance to win the current trick after each; NaN where the action is not a card from the hand.
        exact: whether the values are exact results.
        judge: what they come from: an agent's specification, ``exact`` or ``rollouts``.
    """

    actions: tuple[int, ...]
    margins: tuple[float, ...]
    wins: tuple[float, ...]
    trick: tuple[float, ...]
    exact: bool
    judge: str

    def cost(self, action: int) -> tuple[float, float]:
        """Return what an action gives away against the judge's choice: tricks, and chance to win."""
        place = self.actions.index(action)
        return max(0.0, self.margins[0] - self.margins[place]), max(0.0, self.wins[0] - self.wins[place])

    def is_best(self, action: int) -> bool:
        """Return whether an action is as good as the judge's choice, in tricks and in chance to win."""
        cost, win_cost = self.cost(action)
        return not cost if self.exact else cost < SAME and win_cost < SAME_WIN


def advise(
    views: Views,
    rules: Rules,
    worlds: int,
    seed: int = 0,
    histories: Histories | None = None,
    judge: Agent | None = None,
) -> list[Advice]:
    """Return advice for decisions.

    Args:
        views: what the seats to act know, a ``VIEW`` array of shape (n,).
        rules: the rules of all these deals.
        worlds: number of worlds sampled for each decision.
        seed: seed of the sampling.
        histories: event histories of these views: tokens int8[n, events, 4] and their numbers, int16[n]. Without them
            a search takes all worlds as equally likely.
        judge: an agent that searches or has a network of action values; by default the strongest for the game.
    """
    known = opponent_hand_known(views)
    found: dict[int, Advice] = {}
    for row, exact in zip(np.flatnonzero(known), _exact(views[known]), strict=True):
        found[int(row)] = exact
    hidden = np.flatnonzero(~known)
    part = None if histories is None else (histories[0][hidden], histories[1][hidden])
    for row, estimate in zip(hidden, _estimates(views[hidden], rules, worlds, seed, part, judge), strict=True):
        found[int(row)] = estimate
    return [found[row] for row in range(len(views))]


def _sorted(
    actions: Sequence[int], margins: Row, wins: Row, trick: Row, judge: str, preferred: Row, best: int | None = None
) -> Advice:
    order = sorted(
        range(len(actions)),
        key=lambda place: (actions[place] != best, -margins[place], -preferred[place], actions[place]),
    )
    columns = [tuple(float(column[place]) for place in order) for column in (margins, wins, trick)]
    return Advice(tuple(actions[place] for place in order), columns[0], columns[1], columns[2], judge == EXACT, judge)


def _exact(views: Views) -> list[Advice]:
    if not len(views):
        return []
    margins = exact_margins(views).astype(np.float64)
    margins[margins == NOT_LEGAL_MARGIN] = np.nan
    found = []
    for view, row in zip(views, margins, strict=True):
        actions = list(cards_of(int(view["legal"])))
        values = row[actions]
        wins = (np.sign(values) + 1) / 2
        found.append(_sorted(actions, values, wins, np.full(len(actions), np.nan), EXACT, np.zeros(len(actions))))
    return found


def _estimates(
    views: Views, rules: Rules, worlds: int, seed: int, histories: Histories | None, judge: Agent | None
) -> list[Advice]:
    if not len(views):
        return []
    choices = [list(cards_of(int(view["legal"]))) for view in views]
    rollouts = roll_out(views, choices, rules, worlds, seed)
    agent = judge_of(rules, worlds) if judge is None else judge
    if agent is None:
        return [
            _estimate(actions, one.margins.mean(axis=1), one, ROLLOUTS)
            for actions, one in zip(choices, rollouts, strict=True)
        ]
    name = agent_name(agent)
    estimates, expected = action_estimates(agent, views, seed, histories), expected_values(agent, views)
    found = []
    for row, (actions, one) in enumerate(zip(choices, rollouts, strict=True)):
        gains, won, best = estimates.gains[row, actions], estimates.wins[row, actions], int(estimates.best[row])
        if expected is None:
            values = gains - gains.mean() + one.margins.mean()
            found.append(_estimate(actions, values, one, name, best, won))
        else:  # the policy's own action has gain 0
            margin, win = float(expected.margin[row]), float(expected.win[row])
            found.append(_estimate(actions, gains + margin, one, name, best, won, (margin, win)))
    return found


def _estimate(
    actions: Sequence[int],
    values: Row,
    rollouts: Rollouts,
    judge: str,
    best: int | None = None,
    won: Row | None = None,
    level: tuple[float, float] | None = None,
) -> Advice:
    """Return the advice of one decision.

    Args:
        actions: the legal actions.
        values: their expected margins.
        rollouts: gives the spread of the margins.
        judge: what the values come from.
        best: the judge's choice, which goes before the others.
        won: what a search says of the gain of each action in chance to win; NaN where it says nothing.
        level: an expected margin and the chance to win that goes with it, if known: those of an action of gain 0.
    """
    # All samples, shifted to each action in turn: the actions then differ by their values alone, not by noise.
    spread = (rollouts.margins - values[:, None]).ravel()
    shift = 0.0 if level is None else _shift(spread + level[0], level[1])
    wins = np.array([_win(spread + shift + value) for value in values])
    if won is not None and best is not None and not np.isnan(won).all():
        wins = _searched_wins(wins, won, actions.index(best), None if level is None else level[1])
    return _sorted(actions, values, wins, rollouts.won.mean(axis=1), judge, rollouts.margins.mean(axis=1), best)


def _searched_wins(by_margin: Row, gains: Row, best: int, level: float | None) -> Row:
    """Return the chances to win that a search's gains make of those by expected margin; ``level``: that of gain 0."""
    tried = ~np.isnan(gains)
    start = float((by_margin - gains)[tried].mean()) if level is None else level
    wins = np.clip(np.where(tried, gains + start, by_margin), 0.0, 1.0)
    return np.where(tried, wins, np.minimum(wins, wins[best]))


def _shift(margins: Row, win: float) -> float:
    """Return how far to shift a distribution of margins to get a chance to win."""
    win = min(max(win, _SURE), 1 - _SURE)
    low, high = -_SHIFTS, _SHIFTS
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _win(margins + middle) < win else (low, middle)
    return (low + high) / 2


def _win(margins: Row) -> float:
    """Return the chance to win, given samples of the margin."""
    return float(_CDF(np.clip(margins / BANDWIDTH, -8, 8)).mean())


# The standard normal distribution function.
_CDF = np.vectorize(lambda value: 0.5 * math.erfc(-value / math.sqrt(2)), otypes=[np.float64])
