"""An agent of this package as a bot of OpenSpiel."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pyspiel

from german_whist.agents.bots.base import Agent
from german_whist.agents.registry import make_agent
from german_whist.envs.opponent import uses_history
from german_whist.openspiel.state import GermanWhistState


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """Plays like an agent, from the view of the player to act; the hidden cards of the state are not read.

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
        seat, act = state.current_player(), cast(Any, self._agent.act)
        if not uses_history(self._agent):
            return int(act(state.deal.view(seat), self._rng)[0])
        tokens, length = state.deal.history(seat)
        return int(act(state.deal.view(seat), self._rng, histories=(tokens[None], np.array([length], np.int16)))[0])

    def step_with_policy(self, state: GermanWhistState) -> tuple[list[tuple[int, float]], int]:
        """Return the policy and the action. Agents return only an action, so it has probability 1."""
        chosen = self.step(state)
        return [(action, float(action == chosen)) for action in state.legal_actions()], chosen
