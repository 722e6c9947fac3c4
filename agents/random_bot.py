"""``random``: every legal card equally likely."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.agents.base import Actions, Views
from german_whist.envs.bits import popcount
from german_whist.envs.jit import kernel

_ONE = np.uint64(1)


@kernel
def nth_lowest(mask, number):
    """Return card ``number`` (from 0) of a mask, counted from its lowest: a search by halves, without branches."""
    card = np.int64(0)
    half = np.int64(32)
    while half:
        low = mask & ((_ONE << np.uint64(half)) - _ONE)
        below = popcount(low)
        is_above = number >= below
        number -= below if is_above else 0
        mask = mask >> np.uint64(half) if is_above else low
        card += half if is_above else 0
        half >>= 1
    return card


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
