"""``champion``: the classic game with its own network, every other game with the network that knows all of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Values, Views
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.game_check import is_same_game
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.views import check_view_array

_Part = tuple[npt.NDArray[np.bool_], PolicyAgent]


class MultiNetworkAgent(PolicyAgent):
    """Plays the views of some games with a network for each, and all others with a network of universal inputs.

    Its attributes are those of the first specialist.
    """

    def __init__(
        self,
        specialist: Checkpoint,
        general: Checkpoint,
        others: Iterable[tuple[Rules, Checkpoint]] = (),
        temperature: float = 0.0,
        name: str = "",
    ) -> None:
        """Load the networks; what their cards say about endgames is ignored.

        Args:
            specialist: the network of one game, that of its card.
            general: a network with universal inputs.
            others: more games and their networks, with universal inputs.
            temperature: 0 or a positive number.
            name: what to call the agent in results and errors.

        Raises:
            ValueError: when the temperature is negative or not finite.
        """
        super().__init__(specialist, temperature, name)
        games = [(specialist.rules, specialist), *others]
        self._specialists = [(rules, PolicyAgent(one, temperature, name)) for rules, one in games]
        self._general = PolicyAgent(general, temperature, name)

    @property
    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Networks that together play every game: a view takes the first one of its game."""
        return self.checkpoint, self._general.checkpoint

    def _parts(self, views: Views) -> list[_Part]:
        """Return which views each network plays, without networks that play none; of no views, the first's."""
        check_view_array(views)
        left = np.ones(len(views), np.bool_)
        parts = []
        for rules, agent in self._specialists:
            own = left & is_same_game(rules, views)
            parts.append((own, agent))
            left &= ~own
        return [(mask, agent) for mask, agent in [*parts, (left, self._general)] if mask.any()] or parts[:1]

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
            Expected margins and winning chances, float64[n] each. A specialist without a value network leaves its game
            to the network with universal inputs; ``None`` if that one has none either.

        Raises:
            ValueError: when a view is of a game without an open endgame.
        """
        found = Values(np.zeros(len(views)), np.zeros(len(views)))
        for mask, agent in self._parts(views):
            values = (agent if agent.checkpoint.value else self._general).values(views[mask])
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
