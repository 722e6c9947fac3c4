"""``random``: a uniformly random legal action."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.base import Actions, Agent
from german_whist.game.cards import NUM_ACTIONS
from german_whist.game.utils.bit_kernels import nth_lowest, popcount
from german_whist.game.utils.jit import kernel
from german_whist.simulator.observation.views import Views, check_view_array


@kernel
def pick(legal: npt.NDArray[np.uint64], uniform: npt.NDArray[np.float64], actions: npt.NDArray[np.int64]) -> None:
    """Write action number ``floor(uniform * n)`` of the ``n`` actions in each mask; ``uniform`` is in [0, 1)."""
    for i in range(legal.shape[0]):
        actions[i] = nth_lowest(legal[i], np.int64(uniform[i] * popcount(legal[i])))


class RandomBot(Agent):
    """Plays a uniformly random legal action."""

    name = "random"

    def act(self, views: Views, rng: Any) -> Actions:
        """Return one legal action per view, int64[n].

        Args:
            views: ``VIEW`` array of shape (n,).
            rng: a generator with a method ``random``; one number is drawn per view.

        Raises:
            ValueError: when ``views`` is not an array of views.
        """
        check_view_array(views)
        actions = np.empty(len(views), np.int64)
        pick(views["legal"], rng.random(len(views)), actions)
        return actions

    def policy(self, views: Views) -> npt.NDArray[np.float64]:
        """Return the probability with which :meth:`act` plays each action, float64[n, 54]; 0 for illegal actions."""
        check_view_array(views)
        legal = (views["legal"][:, None] >> np.arange(NUM_ACTIONS, dtype=np.uint64)) & np.uint64(1)
        chances: npt.NDArray[np.float64] = legal / legal.sum(axis=1, keepdims=True)
        return chances
