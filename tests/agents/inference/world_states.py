"""Sampled worlds as states."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.agents.inference.world_sampling_kernels import (
    HAND_COUNTS,
    count_hands,
    write_known_state,
    write_rules,
    write_sampled_cards,
)
from german_whist.envs.engine.rules import GAME
from german_whist.envs.engine.state import STATE
from german_whist.envs.utils.jit import kernel


@kernel
def worlds_of(view, keys, first, last, games, states):
    """Write worlds ``first … last - 1`` of each key as states, and the game."""
    hidden = np.zeros(1, HAND_COUNTS)
    count_hands(view, hidden[0])
    write_rules(view, games[0])
    place = 0
    for key in keys:
        for world in range(first, last):
            write_known_state(view, states[place])
            write_sampled_cards(view, hidden[0], key, np.uint64(world), games[0], states[place])
            place += 1


def draw(view: Any, keys: list[int], worlds: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    game, states = np.zeros(1, GAME), np.zeros(len(keys) * worlds, STATE)
    worlds_of(view, np.array(keys, np.uint64), 0, worlds, game, states)
    return game, states
