"""``random``: every legal card equally likely."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.agents.base import Actions, Views
from german_whist.envs.bits import lowest, popcount
from german_whist.envs.jit import kernel

_ONE = np.uint64(1)


@kernel
def pick(legal, uniform, actions):
    """Write card number ``floor(uniform * n)`` of each mask's ``n`` cards."""
    for i in range(legal.shape[0]):
        mask = legal[i]
        for _ in range(np.int64(uniform[i] * popcount(mask))):
            mask &= mask - _ONE
        actions[i] = lowest(mask)


class RandomBot:
    """Plays a random legal card."""

    name = "random"

    def act(self, views: Views, rng: Any) -> Actions:
        """Return one card per view, int64[n]."""
        actions = np.empty(len(views), np.int64)
        pick(views["legal"], rng.random(len(views)), actions)
        return actions
