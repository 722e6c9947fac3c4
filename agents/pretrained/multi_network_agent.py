"""``champion`` and ``small``: a network for the own game, and one with universal inputs for every other game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Values, Views
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.game_check import is_same_game
from german_whist.envs.observation.views import check_view_array

_Part = tuple[npt.NDArray[np.bool_], PolicyAgent]


class MultiNetworkAgent(PolicyAgent):
    """Plays the views of one game with its own network, and all others with a network of universal inputs.

    Its attributes are those of the first.
    """

    def __init__(self, own: Checkpoint, every: Checkpoint, temperature: float = 0.0, name: str = "") -> None:
        """Load the networks; what their cards say about endgames is ignored.

        Args:
            own: the network of one game, that of its card.
            every: a network with universal inputs.
            temperature: 0 or a positive number.
            name: what to call the agent in results and errors.

        Raises:
            ValueError: when the temperature is negative or not finite.
        """
        super().__init__(own, temperature, name)
        self._own = PolicyAgent(own, temperature, name)
        self._every = PolicyAgent(every, temperature, name)

    def _parts(self, views: Views) -> list[_Part]:
        """Return which views each network plays, without a network that plays none; of no views, the first."""
        check_view_array(views)
        own = is_same_game(self.checkpoint.rules, views)
        parts = [(own, self._own), (~own, self._every)]
        return [part for part in parts if part[0].any()] or parts[:1]

    def check_views(self, views: Views) -> None:
        """Refuse views of games that no network plays.

        Args:
            views: ``VIEW`` array of shape (n,).

        Raises:
            ValueError: when a view is of a game without an open endgame.
        """
        for mask, agent in self._parts(views):
            agent.check_views(views[mask])

    def values(self, views: Views) -> Values | None:
        """Return what each view's network expects; see :class:`PolicyAgent`.

        Args:
            views: ``VIEW`` array of shape (n,), each of a seat to act.

        Returns:
            Expected margins and winning chances, float64[n] each; ``None`` if a network that plays a view has no value
            network.

        Raises:
            ValueError: when a view is of a game without an open endgame.
        """
        found = Values(np.zeros(len(views)), np.zeros(len(views)))
        for mask, agent in self._parts(views):
            values = agent.values(views[mask])
            if values is None:
                return None
            found.margin[mask], found.win[mask] = values
        return found

    def _logits(self, views: Views) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        found = [(mask, *agent._logits(views[mask])) for mask, agent in self._parts(views)]
        if len(found) == 1:
            return found[0][1:]
        logits = np.full((len(views), max(part.shape[1] for _, part, _ in found)), -np.inf, np.float32)
        roles = np.empty((len(views), found[0][2].shape[1]), np.int8)
        for mask, part, part_roles in found:
            logits[mask, : part.shape[1]], roles[mask] = part, part_roles
        return logits, roles
