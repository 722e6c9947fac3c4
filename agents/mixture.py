"""Several agents in shares: each deal is played by one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.base import Actions, Agent, Games, agent_name, as_agent, ask_views
from german_whist.game.agent_rng import AgentRng
from german_whist.simulator.observation.views import Views

if TYPE_CHECKING:
    from torch import Tensor

    from german_whist.game.utils.backend import StructTensor, TorchBackend


class Mixture(Agent):
    """Several agents, one of which plays each deal. Which one follows from the deal's address.

    Attributes:
        agents: the agents.
    """

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
        self.uses_games = any(agent.uses_games for agent in self.agents)
        self._ends = np.cumsum(weights / weights.sum())[:-1]

    def act(self, views: Views, rng: Any, games: Games | None = None) -> Actions:
        """Return the action that each deal's own agent chooses, int64[n].

        Raises:
            ValueError: if ``rng`` is not the generator of a match or an environment, which knows the deals.
        """
        if not isinstance(rng, AgentRng):
            raise ValueError(f"shares of agents play whole deals, so rng must be that of a match or env, got {rng!r}")
        actions = np.empty(len(views), np.int64)
        for agent, rows in self._parts(rng):
            asked = games.rows(rows) if games is not None and agent.uses_games else None
            actions[rows] = ask_views(agent, views[rows], rng.rows(rows, 1), asked)
        return actions

    def act_on(self, device: TorchBackend, views: StructTensor, rng: Any) -> Tensor:
        """Return what :meth:`act` does, for views on a device, int64[n]."""
        actions: Tensor = device.empty(len(views), np.int64)
        for agent, rows in self._parts(rng):
            on_device = device.array(rows)
            actions[on_device] = agent.act_on(device, views[on_device], rng.rows(rows, 1))
        return actions

    def _parts(self, rng: Any) -> Iterator[tuple[Agent, Any]]:
        """Yield each agent that plays some of the rows, and these rows, int64[k]."""
        chosen = self._chosen(rng)
        for number, agent in enumerate(self.agents):
            rows = np.flatnonzero(chosen == number)
            if len(rows):
                yield agent, rows

    def _chosen(self, rng: Any) -> npt.NDArray[np.int64]:
        """Return the number of the agent that plays each deal."""
        chosen: npt.NDArray[np.int64] = np.searchsorted(self._ends, rng.of_deal().random(), "right")
        return chosen
