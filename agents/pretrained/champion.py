"""``champion``: the classic game with its own network, every other game with the network that knows all of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Values, Views
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.game_check import is_same_game
from german_whist.envs.observation.views import check_view_array


class TwoNetworkAgent(PolicyAgent):
    """Plays the views of one game with its specialist's network, and all others with a network of universal inputs.

    Its attributes and the actions of the specialist's game are the specialist's.
    """

    def __init__(self, specialist: Checkpoint, general: Checkpoint, temperature: float = 0.0, name: str = "") -> None:
        """Load both networks; what their cards say about endgames is ignored.

        Args:
            specialist: the network of one game.
            general: a network with universal inputs.
            temperature: 0 or a positive number.
            name: what to call the agent in results and errors.

        Raises:
            ValueError: when the temperature is negative or not finite.
        """
        super().__init__(specialist, temperature, name)
        self._general = PolicyAgent(general, temperature, name)

    @property
    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The networks that it plays: a view takes the first one of its game."""
        return self.checkpoint, self._general.checkpoint

    def _is_own(self, views: Views) -> npt.NDArray[np.bool_]:
        check_view_array(views)
        return is_same_game(self._rules, views)

    def check_views(self, views: Views) -> None:
        """Refuse views of games that neither network plays.

        Args:
            views: ``VIEW`` array of shape (n,).

        Raises:
            ValueError: when a view is of a game without an open endgame.
        """
        self._general.check_views(views[~self._is_own(views)])

    def values(self, views: Views) -> Values | None:
        """Return what each view's network expects; see :class:`PolicyAgent`.

        Args:
            views: ``VIEW`` array of shape (n,), each of a seat to act.

        Returns:
            Expected margins and winning chances, float64[n] each. A specialist without a value network leaves its game
            to the other network; ``None`` if that one has none either.

        Raises:
            ValueError: when a view is of a game without an open endgame.
        """
        own = self._is_own(views)
        if own.all() and self.checkpoint.value:
            return super().values(views)
        found = self._general.values(views)
        if found is None:
            return None
        if own.any() and self.checkpoint.value:
            special = super().values(views[own])
            if special is not None:
                found.margin[own], found.win[own] = special
        return found

    def _logits(self, views: Views) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        own = self._is_own(views)
        if own.all():
            return super()._logits(views)
        if not own.any():
            return self._general._logits(views)
        special, special_roles = super()._logits(views[own])
        other, other_roles = self._general._logits(views[~own])
        logits = np.full((len(views), other.shape[1]), -np.inf, np.float32)
        roles = np.empty((len(views), other_roles.shape[1]), np.int8)
        logits[own, : special.shape[1]], logits[~own] = special, other
        roles[own], roles[~own] = special_roles, other_roles
        return logits, roles
