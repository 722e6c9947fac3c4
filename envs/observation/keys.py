"""Where the action mask stands: beside the observation in a dictionary, under names to choose, or in ``info`` alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from german_whist.envs.utils.specs import must_be

OBSERVATION_KEYS = ("observation", "action_mask")  # PettingZoo's names

Keys = tuple[str, str]


def check_observation_keys(keys: object) -> Keys | None:
    """Return the names of observation and mask as a tuple; ``None`` for observations without a dictionary.

    Raises:
        ValueError: if they are not two different names.
    """
    if keys is None:
        return None
    names = tuple(keys) if isinstance(keys, (list, tuple)) else ()
    if len(names) != 2 or names[0] == names[1] or not all(isinstance(name, str) and name for name in names):
        allowed = (
            "two different names, as ('observations', 'action_mask'), or None for observations without a dictionary"
        )
        raise ValueError(must_be("observation_keys", allowed, keys))
    return names


def keyed_space(keys: Keys | None, space: Space[Any], num_actions: int) -> Space[Any]:
    """Return the space of an observation: ``space``, or a ``Dict`` of it and of the mask."""
    if keys is None:
        return space
    return Dict({keys[0]: space, keys[1]: Box(0, 1, (num_actions,), np.int8)})


def keyed(keys: Keys | None, observation: Any, mask: Any) -> Any:
    """Return an observation with its mask, which must be an array of its own, as ``keyed_space`` says."""
    return observation if keys is None else {keys[0]: observation, keys[1]: mask}
