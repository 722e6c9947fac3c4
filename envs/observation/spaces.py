"""Observation spaces. The action mask is in a dictionary beside the observation, or in ``info`` only."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Space

from german_whist.envs.engine.layout import highest_values
from german_whist.envs.engine.match_format import MatchFormat
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.history import history_high
from german_whist.envs.observation.vector import observation_high

OBSERVATION_KEYS = ("observation", "action_mask")  # PettingZoo's names

Keys = tuple[str, str]


def check_observation_keys(keys: object) -> Keys | None:
    """Return the keys of observation and mask as a tuple; ``None`` for observations without a dictionary.

    Raises:
        ValueError: if they are not two different names.
    """
    if keys is None:
        return None
    names = tuple(keys) if isinstance(keys, (list, tuple)) else ()
    if len(names) != 2 or names[0] == names[1] or not all(isinstance(name, str) and name for name in names):
        raise ValueError(f"observation_keys must be two different names or None, got {keys!r}")
    return names


def observation_space(
    rules: Rules, match: MatchFormat | None, keys: Keys | None, *, history: bool = False
) -> Space[Any]:
    """Return the space of one seat's observation: a ``Box``, or a ``Dict`` of that box and the action mask.

    Args:
        rules: the rules of the deals.
        match: the match format whose scores are observed too; ``None`` for single deals.
        keys: the keys of observation and mask; ``None`` for the vector alone.
        history: whether the observation is the event history, which needs keys, instead of the vector.
    """
    box = _box(history_high(rules) if history else observation_high(rules, match))
    if keys is None:
        return box
    space = Dict({keys[0]: box, keys[1]: Box(0, 1, (rules.num_actions,), np.int8)})
    if history:
        space.spaces["length"] = Box(0, box.shape[0], (1,), np.int16)
        if match is not None:
            space.spaces["match"] = _box(highest_values(rules, (match.block(rules),)))
    return space


def _box(high: npt.NDArray[np.int8]) -> Box:
    return Box(np.zeros_like(high), high, dtype=np.int8)


def keyed(keys: Keys | None, observation: Any, mask: Any) -> Any:
    """Return an observation in the form of :func:`observation_space`; the mask is not copied."""
    return observation if keys is None else {keys[0]: observation, keys[1]: mask}
