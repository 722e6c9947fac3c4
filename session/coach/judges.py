"""Which agent judges the actions of a game, and how does it estimate each of them?

Where the endgame is open, that is the hardest level, a search: it tries actions in worlds weighted by how the opponent
has played (``agents/search``), and chooses what wins the deal; how many tricks come of it counts less. So its choice
need not be the action that makes the most tricks. Elsewhere there may be a network, or no judge at all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Agent, Histories, Views
from german_whist.agents.monte_carlo.rollout_kernels import distinct_actions
from german_whist.agents.policy.agent import estimated_advantages, network_of
from german_whist.envs.engine.cards import NUM_ACTIONS, cards_of
from german_whist.envs.engine.rules import Rules
from german_whist.session.levels import searcher
from german_whist.session.opponent import agent_named

Row = npt.NDArray[np.float64]


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
    return None if spec is None else agent_named(spec)


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
