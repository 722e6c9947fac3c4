"""``random``: every legal card equally likely."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.agents.bots.base import Actions, Views
from german_whist.envs.utils.bit_kernels import nth_lowest, popcount
from german_whist.envs.utils.jit import kernel


@kernel
def pick(legal, uniform, actions):
    """Write card number ``floor(uniform * n)`` of each mask's ``n`` cards."""
    for i in range(legal.shape[0]):
        actions[i] = nth_lowest(legal[i], np.int64(uniform[i] * popcount(legal[i])))


class RandomBot:
    """Plays a random legal card."""

    name = "random"

    def act(self, views: Views, rng: Any) -> Actions:
        """Return one card per view, int64[n]."""
        actions = np.empty(len(views), np.int64)
        pick(views["legal"], rng.random(len(views)), actions)
        return actions
