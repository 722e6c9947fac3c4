"""An agent of this package as a bot of OpenSpiel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from german_whist.agents.bots.base import Agent
from german_whist.agents.registry import make_agent
from german_whist.openspiel.state import GermanWhistState


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """Plays as an agent does, from the view of the player to act; the hidden cards of the state are not read.

    Example:
        >>> bots = [german_whist.openspiel.AgentBot("heuristic"), german_whist.openspiel.AgentBot("random", seed=1)]
        >>> pyspiel.evaluate_bots(game.new_initial_state(), bots, 0)
    """

    def __init__(self, agent: str | Agent, seed: int = 0) -> None:
        """Wrap an agent.

        Args:
            agent: a specification (``german_whist.agent_names()`` lists them) or an agent object.
            seed: seed of the agent's randomness.

        Raises:
            ValueError: if there is no such agent.
        """
        super().__init__()
        self._agent = make_agent(agent)
        self._rng = np.random.default_rng(seed)

    def restart_at(self, state: Any) -> None:
        """Do nothing: agents decide from the view alone."""

    def step(self, state: GermanWhistState) -> int:
        """Return the agent's action for the player to act."""
        return int(self._agent.act(state.deal.view(state.current_player()), self._rng)[0])

    def step_with_policy(self, state: GermanWhistState) -> tuple[list[tuple[int, float]], int]:
        """Return the policy and the action. Agents tell only what they choose, so the choice has probability 1."""
        chosen = self.step(state)
        return [(action, float(action == chosen)) for action in state.legal_actions()], chosen
