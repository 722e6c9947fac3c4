"""Sampled worlds as states."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.agents.inference.world_sampling_kernels import (
    HAND_COUNTS,
    count_hands,
    write_known_state,
    write_sampled_cards,
)
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import STATE
from german_whist.envs.utils.jit import kernel


@kernel
def worlds_of(game, view, keys, first, last, states):
    """Write worlds ``first … last - 1`` of each key as states."""
    hidden = np.zeros(1, HAND_COUNTS)
    count_hands(game[0], view, hidden[0])
    place = 0
    for key in keys:
        for world in range(first, last):
            write_known_state(game[0], view, states[place])
            write_sampled_cards(game[0], view, hidden[0], key, np.uint64(world), states[place])
            place += 1


def draw(rules: Rules, view: Any, keys: list[int], worlds: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The game, and worlds of a view as states."""
    states = np.zeros(len(keys) * worlds, STATE)
    worlds_of(rules.game, view, np.array(keys, np.uint64), 0, worlds, states)
    return rules.game, states
