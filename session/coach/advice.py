"""What every action of a decision is worth, by what its seat knows: the one place that says how good a move is.

- Where the opponent's hand is known, the endgame solver gives the exact margin of each action.
- Elsewhere worlds are sampled uniformly from those that the view allows. Every action is tried in the same worlds; the
  heuristic bot plays the foreplay on for both seats, each by its own view, and the endgame gets its exact value
  (``agents/monte_carlo`` does the same for the mean alone). This gives a distribution of margins.
- If a network of action values plays the game, its advantages say how the actions differ, and the rollouts say where
  their middle lies: the network is the better judge of cards, the rollouts of the chance to win.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import RuleBot, Views
from german_whist.agents.bots.heuristic.bot_kernels import choose
from german_whist.agents.endgame.open_hands import exact_margins, opponent_hand_known
from german_whist.agents.inference.state_sampling import sample_states
from german_whist.agents.policy.agent import network_of
from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.endgame_hook import EXACT, PLAYED
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import ENDGAME, FOREPLAY
from german_whist.envs.simulator.batch import DealBatch
from german_whist.session.catalogue import strongest_network
from german_whist.session.opponent import agent_named
from german_whist.solver.races import NOT_LEGAL_MARGIN

ROLLOUTS = "rollouts"  # the judge where there is no network
BANDWIDTH = 0.7  # tricks: smooths the distribution of margins, which the actions share but for a shift

Row = npt.NDArray[np.float64]


class Advice(NamedTuple):
    """The value of each legal action of one decision.

    Attributes:
        actions: the legal actions, the best first.
        margins: expected margin of the deal in counted tricks after each; more is better in low games, too.
        wins: chance to win the deal after each; a draw counts half.
        trick: chance to win the current trick after each; NaN where the action is not a card from the hand.
        exact: whether the values are exact results.
        judge: what they come from: a network's name, ``exact`` or ``rollouts``.
    """

    actions: tuple[int, ...]
    margins: tuple[float, ...]
    wins: tuple[float, ...]
    trick: tuple[float, ...]
    exact: bool
    judge: str

    def cost(self, action: int) -> tuple[float, float]:
        """Return what an action gives away against the best one: tricks, and chance to win."""
        place = self.actions.index(action)
        return max(0.0, self.margins[0] - self.margins[place]), max(0.0, self.wins[0] - self.wins[place])


def advise(views: Views, rules: Rules, worlds: int, seed: int = 0) -> list[Advice]:
    """Return advice for decisions.

    Args:
        views: what the seats to act know, a ``VIEW`` array of shape (n,).
        rules: the rules of all these deals.
        worlds: number of worlds sampled for each decision.
        seed: seed of the sampling.
    """
    known = opponent_hand_known(views)
    found: dict[int, Advice] = {}
    for row, exact in zip(np.flatnonzero(known), _exact(views[known]), strict=True):
        found[int(row)] = exact
    hidden = np.flatnonzero(~known)
    for row, estimate in zip(hidden, _estimates(views[hidden], rules, worlds, seed), strict=True):
        found[int(row)] = estimate
    return [found[row] for row in range(len(views))]


def _sorted(
    actions: Sequence[int], margins: Row, wins: Row, trick: Row, exact: bool, judge: str, preferred: Sequence[float]
) -> Advice:
    order = sorted(range(len(actions)), key=lambda place: (-margins[place], -preferred[place], actions[place]))
    columns = [tuple(float(column[place]) for place in order) for column in (margins, wins, trick)]
    return Advice(tuple(actions[place] for place in order), columns[0], columns[1], columns[2], exact, judge)


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
        found.append(_sorted(actions, values, wins, np.full(len(actions), np.nan), True, EXACT, [0.0] * len(actions)))
    return found


def _estimates(views: Views, rules: Rules, worlds: int, seed: int) -> list[Advice]:
    if not len(views):
        return []
    choices = [list(cards_of(int(view["legal"]))) for view in views]
    margins, tricks = _rollouts(views, choices, rules, worlds, seed)
    advantages, judge = _advantages(views, rules)
    found = []
    for row, actions in enumerate(choices):
        sampled = margins[row]  # [actions, worlds]
        means = sampled.mean(axis=1)
        values = means if advantages is None else advantages[row, actions]
        values = values - values.mean() + means.mean()
        # All samples, shifted to each action in turn: the actions then differ by their values alone, not by noise.
        shifted = sampled[None] + (values[:, None] - values[None, :])[:, :, None]
        wins = _normal_cdf(shifted / BANDWIDTH).mean(axis=(1, 2))
        found.append(_sorted(actions, values, wins, tricks[row].mean(axis=1), False, judge, means.tolist()))
    return found


def _advantages(views: Views, rules: Rules) -> tuple[Row | None, str]:
    """Return the advantages of the strongest network for a game, and the judge's name."""
    name = strongest_network(rules)
    network = None if name is None else network_of(agent_named(name))
    advantages = None if network is None else network.advantages(views)
    return (None, ROLLOUTS) if advantages is None or name is None else (advantages, name)


def _rollouts(
    views: Views, choices: Sequence[Sequence[int]], rules: Rules, worlds: int, seed: int
) -> tuple[list[Row], list[Row]]:
    """Return the margins of rollouts and whether they won the current trick, float64[actions, worlds] per decision."""
    states: list[Any] = []
    for row, view in enumerate(views):
        sampled = sample_states(view, rules, worlds, np.random.default_rng((seed, row))).states
        states += [sampled] * len(choices[row])
    sizes = [len(actions) * worlds for actions in choices]
    batch = DealBatch(rules, sum(sizes), endgame=_endgame(rules))
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
    shape = [(len(actions), worlds) for actions in choices]
    parts = zip(np.split(margins, ends), np.split(won, ends), shape, strict=True)
    columns = [(margin.reshape(size), trick.reshape(size)) for margin, trick, size in parts]
    return [margin for margin, _ in columns], [trick for _, trick in columns]


def _endgame(rules: Rules) -> str:
    """Return how rollouts end: exactly, where the solver knows the game."""
    try:
        DealBatch(rules, 1, endgame=EXACT)
    except ValueError:
        return PLAYED
    return EXACT


_CDF = np.vectorize(lambda value: 0.5 * math.erfc(-value / math.sqrt(2)), otypes=[np.float64])


def _normal_cdf(values: Row) -> Row:
    found: Row = _CDF(np.clip(values, -8, 8))
    return found
