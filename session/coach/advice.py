"""What every action of a decision is worth, by what its seat knows: the one place that says how good a move is.

- Where the opponent's hand is known, the endgame solver gives the exact margin of each action.
- Elsewhere a judge, a search or a network, says how the actions differ: a search in tricks and in chance to win, a
  network in tricks alone. Where the endgame is open, the judge is the hardest level, a search: it tries actions in
  worlds weighted by how the opponent has played (``agents/search``), and chooses what wins the deal; how many tricks
  come of it counts less. So its choice need not be the action that makes the most tricks.
- The chance to win comes from the judge's value network where it has one. Elsewhere rollouts say where the middle of
  the actions lies. They also give the spread of the margins, by which tricks become chances to win.
- Without a judge the rollouts give everything. Their worlds are sampled uniformly from those that the view allows.
  Every action is tried in the same worlds; the heuristic bot plays the foreplay on for both seats, each by its own
  view, and the endgame gets its exact value (``agents/monte_carlo`` does the same for the mean alone).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import RuleBot
from german_whist.agents.bots.heuristic.bot_kernels import choose
from german_whist.agents.endgame.open_hands import exact_margins, opponent_hand_known
from german_whist.agents.inference.state_sampling import sample_states
from german_whist.agents.monte_carlo.rollout_kernels import distinct_actions
from german_whist.agents.policy.agent import estimated_advantages, expected_values, network_of
from german_whist.envs.agent import Agent, Histories, Views, agent_name
from german_whist.envs.engine.cards import NUM_ACTIONS, cards_of
from german_whist.envs.engine.endgame_hook import EXACT, PLAYED
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import ENDGAME, FOREPLAY
from german_whist.envs.simulator.batch import DealBatch
from german_whist.session.catalogue import has_open_endgame, searcher
from german_whist.session.opponent import agent_named
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


class ActionEstimates(NamedTuple):
    """A judge's estimates of the actions of n decisions.

    Attributes:
        best: the action that it would choose, int64[n].
        gains: gain of each legal action over the policy's own in tricks, float64[n, 54]; NaN for other actions.
        wins: the same in chance to win the deal; NaN where it was not searched.
    """

    best: npt.NDArray[np.int64]
    gains: Row
    wins: Row


def judge_of(rules: Rules, worlds: int) -> Agent | None:
    """Return the agent that judges a game; ``None`` if no agent can.

    Args:
        rules: the rules.
        worlds: worlds in which a search tries actions.
    """
    spec = searcher(rules, worlds)
    return None if spec is None else agent_named(spec, rules)


def searches(agent: Agent | None) -> bool:
    """Return whether an agent looks ahead in worlds weighted by the opponent's play."""
    return callable(getattr(agent, "search", None))


def action_estimates(agent: Any, views: Views, seed: int, histories: Histories | None) -> ActionEstimates:
    """Return an agent's estimates of the actions of decisions.

    Args:
        agent: one that searches, or has a network.
        views: ``VIEW`` array of shape (n,), of decisions before an open endgame.
        seed: seed of a search.
        histories: event histories of these views; without them a search takes all worlds as equally likely.
    """
    gains = _policy_gains(agent, views)
    wins = np.full(gains.shape, np.nan)
    if not searches(agent):
        return ActionEstimates(np.argmax(gains, axis=1), _of_legal(gains, views), wins)
    found = agent.action_values(views, np.random.default_rng(seed), histories)
    for row, view in enumerate(views):
        distinct, own = int(distinct_actions(view)), 0
        for action in cards_of(int(view["legal"])):  # from low to high: each run of equal actions begins with its own
            own = action if distinct >> action & 1 else own
            if not np.isnan(found.tricks[row, own]):
                gains[row, action], wins[row, action] = found.tricks[row, own], found.wins[row, own]
        # What was not worth a try cannot be better than the search's choice.
        untried = np.isnan(wins[row])
        gains[row, untried] = np.minimum(gains[row, untried], gains[row, found.actions[row]])
    return ActionEstimates(found.actions, _of_legal(gains, views), wins)


def _policy_gains(agent: Agent, views: Views) -> Row:
    """Return the gains of all actions by the policy alone, float64[n, 54]; 0 where it has no network."""
    network, gains = network_of(agent), np.zeros((len(views), NUM_ACTIONS))
    if network is not None:
        known = estimated_advantages(network, views)
        gains[:, : known.shape[1]] = known
    return gains


def _of_legal(gains: Row, views: Views) -> Row:
    bits = views["legal"][:, None] >> np.arange(NUM_ACTIONS, dtype=np.uint64) & np.uint64(1)
    return np.where(bits == 1, gains, np.nan)


class Rollouts(NamedTuple):
    """The rollouts of one decision.

    Attributes:
        margins: margins of the deals for the seat to act, float64[actions, worlds].
        won: whether the seat to act won the current trick, 0 or 1; NaN where the action is not a card from the hand,
            float64[actions, worlds].
    """

    margins: npt.NDArray[np.float64]
    won: npt.NDArray[np.float64]


def roll_out(views: Views, choices: Sequence[Sequence[int]], rules: Rules, worlds: int, seed: int) -> list[Rollouts]:
    """Return the rollouts of decisions.

    Args:
        views: ``VIEW`` array of shape (n,), each of a seat to act.
        choices: the actions to try in each.
        rules: the rules of all these deals.
        worlds: number of worlds for each decision.
        seed: seed of the sampling.
    """
    states: list[Any] = []
    for row, view in enumerate(views):
        sampled = sample_states(view, rules, worlds, np.random.default_rng((seed, row))).states
        states += [sampled] * len(choices[row])
    sizes = [len(actions) * worlds for actions in choices]
    batch = DealBatch(rules, sum(sizes), endgame=EXACT if has_open_endgame(rules) else PLAYED)
    batch.states[:] = np.concatenate(states)
    stage = np.repeat([FOREPLAY if view["stock"] else ENDGAME for view in views], sizes)
    every = np.arange(batch.size)
    before = batch.states["tricks"][every, stage]
    won = np.full(batch.size, np.nan)
    plays = np.repeat([not view["choice"] for view in views], sizes)
    batch.step(np.concatenate([np.repeat(actions, worlds) for actions in choices]))
    bot = RuleBot("heuristic", choose)
    while True:
        taken = batch.states["tricks"][every, stage] - before
        first = plays & np.isnan(won) & (taken.sum(axis=1) == 1)
        won[first] = taken[first, 0]
        playing = np.flatnonzero(~batch.done)
        if not len(playing):
            break
        batch.step(bot.act(batch.views(playing)), playing)
    margins = batch.returns("margin")[:, 0].astype(np.float64)  # the seat to act is seat 0 in sampled states
    ends = np.cumsum(sizes)[:-1]
    shapes = [(len(actions), worlds) for actions in choices]
    parts = zip(np.split(margins, ends), np.split(won, ends), shapes, strict=True)
    return [Rollouts(margin.reshape(shape), trick.reshape(shape)) for margin, trick, shape in parts]
