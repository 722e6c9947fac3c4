"""Several agents in shares: each deal is played by one of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.agents.asking import ask
from german_whist.agents.base import Agent, agent_name
from german_whist.agents.forms import as_agent
from german_whist.game.utils.backend import Array
from german_whist.simulator.decisions import Decisions


class Mixture(Agent):
    """Several agents, one of which plays each deal. Which one follows from the deal's address.

    Attributes:
        agents: the agents.
    """

    takes_tensors = True

    def __init__(self, agents: list[Agent], shares: list[float]) -> None:
        """Set the agents and their shares of the deals, whose sum need not be 1.

        Raises:
            ValueError: if there is no agent, a share is not above 0, or two agents play different games.
        """
        weights = np.array(shares, float)
        if not len(weights) or not (weights > 0).all() or not np.isfinite(weights).all():
            raise ValueError(f"shares of agents must be numbers > 0, got {shares}")
        self.rules = next((agent.rules for agent in agents if agent.rules is not None), None)
        self.agents = [as_agent(agent, self.rules) for agent in agents]
        self.name = " or ".join(map(agent_name, self.agents))
        self.uses_histories = any(agent.uses_histories for agent in self.agents)
        self._ends = np.cumsum(weights / weights.sum())[:-1]

    def act(self, decisions: Decisions) -> Array:
        """Return the action that each deal's own agent chooses, int64[n].

        Raises:
            ValueError: if the rows are not part of deals.
        """
        numbers = np.searchsorted(self._ends, decisions.by_deal().random(), "right")
        actions: Any = decisions.backend.empty(len(decisions), np.int64)
        for number, agent in enumerate(self.agents):
            rows = np.flatnonzero(numbers == number)
            if len(rows):
                actions[decisions.backend.array(rows)] = ask(agent, decisions.split(rows))
        found: Array = actions
        return found
