"""How do deals go on after each action? Sampled worlds, each played on by the heuristic bot, then perfectly.

Worlds are sampled uniformly from those that the view allows. Every action is tried in the same worlds; the heuristic
bot plays the foreplay on for both seats, each by its own view, and the endgame gets its exact value
(``agents/monte_carlo`` does the same for the mean alone).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import RuleBot, Views
from german_whist.agents.bots.heuristic.bot_kernels import choose
from german_whist.agents.inference.state_sampling import sample_states
from german_whist.envs.engine.endgame_hook import EXACT, PLAYED
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import ENDGAME, FOREPLAY
from german_whist.envs.simulator.batch import DealBatch
from german_whist.session.levels import has_open_endgame


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
