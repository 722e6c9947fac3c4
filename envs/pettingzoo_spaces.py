"""Observation spaces of the PettingZoo environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from german_whist.envs.engine.layout import highest_values
from german_whist.envs.engine.match_format import MatchFormat
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.history import history_high
from german_whist.envs.observation.keys import Keys, check_observation_keys, keyed_space
from german_whist.envs.observation.vector import observation_high
from german_whist.envs.utils.specs import unknown_name

OBSERVATIONS = ("vector", "history")


def check_observation(observation: str, keys: object) -> Keys | None:
    """Return the names of observation and mask; ``None`` for observations without a dictionary.

    Raises:
        ValueError: if there is no such observation, the names are not allowed, or a history has no names.
    """
    if observation not in OBSERVATIONS:
        raise unknown_name("observation", observation, OBSERVATIONS)
    names = check_observation_keys(keys)
    if observation == "history" and names is None:
        raise ValueError("observation='history' is a dictionary: give observation_keys, the names of two entries")
    return names


def agent_observation_space(rules: Rules, match: MatchFormat | None, observation: str, keys: Keys | None) -> Space[Any]:
    """Return an agent's observation space; the arguments are those of ``env``, already checked."""
    is_history = observation == "history"
    high = history_high(rules) if is_history else observation_high(rules, match)
    space = keyed_space(keys, Box(np.zeros_like(high), high, dtype=np.int8), rules.num_actions)
    if is_history and isinstance(space, Dict):
        space.spaces["length"] = Box(0, len(high), (1,), np.int16)
        if match is not None:
            highest = highest_values(rules, (match.block(rules),))
            space.spaces["match"] = Box(np.zeros_like(highest), highest, dtype=np.int8)
    return space
