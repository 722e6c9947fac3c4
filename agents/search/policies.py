"""Which networks play the rollouts of a search, and model the opponent."""

from __future__ import annotations

from german_whist.agents.bots.base import Agent
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.pretrained.catalog import EVERY_SUFFIX, load_pretrained
from german_whist.agents.search.settings import HEURISTIC, SELF, SMALL, SearchSettings


def rollout_networks(policy: Agent, settings: SearchSettings) -> tuple[Checkpoint, ...]:
    """Return the networks of the rollouts: a view takes the first one of its game; none stands for the heuristic bot.

    By default that is ``small`` in its game, else the policy's own network if its layers are plain, else
    ``small-every``.

    Raises:
        ValueError: when the policy has no network, or the suits share its layers and its own is asked for.
    """
    if settings.rollout == HEURISTIC or not isinstance(policy, PolicyAgent):
        if settings.rollout in (SELF, SMALL):
            raise ValueError(f"rollout {settings.rollout!r} is not allowed: the agent has no network")
        return ()
    own = tuple(one for one in policy.checkpoints if not one.suit_layers)
    if settings.rollout == SELF:
        if len(own) < len(policy.checkpoints):
            raise ValueError(f"rollout {SELF!r} is not allowed: rollouts need plain layers, not suit layers")
        return own
    small, every = load_pretrained(SMALL), load_pretrained(f"{SMALL}{EVERY_SUFFIX}")
    return (small, every) if settings.rollout == SMALL else (small, *own, every)
