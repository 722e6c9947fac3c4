"""Sampled worlds as states."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.agents.inference.sampling import write_states
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import STATE


def draw(rules: Rules, view: Any, keys: list[int], worlds: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The game, and worlds of a view as states."""
    states = np.zeros((len(keys), worlds), STATE)
    for key, row in zip(keys, states, strict=True):
        write_states(rules.game, np.array([view]), np.uint64(key), row)
    return rules.game, states.ravel()
