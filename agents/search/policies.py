"""Which network plays the rollouts of a search, and models the opponent."""

from __future__ import annotations

from german_whist.agents.bots.base import Agent
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.pretrained.catalog import load_pretrained
from german_whist.agents.search.settings import HEURISTIC, SELF, SMALL, SearchSettings

_SMALL = "small"


def rollout_network(policy: Agent, settings: SearchSettings) -> PolicyAgent | None:
    """Return the network of the rollouts, ``None`` for the heuristic bot.

    By default that is ``small`` for a policy of the same game, else the policy's own network.

    Raises:
        ValueError: when the network asked for plays another game, or the policy has none.
    """
    if settings.rollout == HEURISTIC or not isinstance(policy, PolicyAgent):
        if settings.rollout in (SELF, SMALL):
            raise ValueError(f"rollout {settings.rollout!r} is not allowed: the agent has no network")
        return None
    if settings.rollout == SELF:
        return policy
    small = load_pretrained(_SMALL)
    if small.rules == policy.checkpoint.rules:
        return PolicyAgent(small, name=_SMALL)
    if settings.rollout == SMALL:
        raise ValueError(f"rollout {_SMALL!r} is not allowed: that network plays another game")
    return policy
