"""Wrappers of Gymnasium and PettingZoo that learners use go around our environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.wrappers import vector

from tests.players import Random

GAME = "german_whist:GermanWhist-v0"
KEYS = {"observation_keys": ("observation", "action_mask")}
PICTURES = {"render_mode": "rgb_array"}
NEXT_STEP = {"autoreset_mode": "NEXT_STEP"}  # for wrappers that refuse the default or lose something in it
ROWS = 3

pytestmark = pytest.mark.filterwarnings("error::UserWarning")

# A wrapper, what its constructor gets beside the environment, and what the environment gets.
SINGLE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("AddRenderObservation", {}, PICTURES),
    ("ClipReward", {"min_reward": -1, "max_reward": 1}, {}),
    ("DtypeObservation", {"dtype": np.float32}, {}),
    ("FilterObservation", {"filter_keys": ["observation"]}, KEYS),
    ("FlattenObservation", {}, KEYS),
    ("FrameStackObservation", {"stack_size": 2}, {}),
    ("NormalizeObservation", {}, {}),
    ("RecordEpisodeStatistics", {}, {}),
    ("TimeLimit", {"max_episode_steps": 3}, {}),
]
VECTOR: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("DictInfoToList", {}, {}),
    ("FlattenObservation", {}, {**NEXT_STEP, **KEYS}),
    ("NormalizeObservation", {}, NEXT_STEP),
    ("NormalizeReward", {}, {}),
    ("NumpyToTorch", {}, NEXT_STEP),
    ("RecordEpisodeStatistics", {}, {}),
    ("VectorizeTransformReward", {"wrapper": wrappers.TransformReward, "func": abs}, {}),
]


def optional(wrapper: Any, environment: Any, /, **arguments: Any) -> Any:
    """Wrap, or skip the test where the wrapper needs a library that is not installed."""
    try:
        return wrapper(environment, **arguments)
    except (ModuleNotFoundError, gymnasium.error.DependencyNotInstalled) as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(("name", "arguments", "settings"), SINGLE, ids=[name for name, *_ in SINGLE])
def test_gymnasium_wrapper(name: str, arguments: Any, settings: Any) -> None:
    made = gymnasium.make(GAME, opponent=Random(), **{"rules": "tiny", "render_mode": "ansi", **settings})
    environment = optional(getattr(wrappers, name), made, **arguments)
    (_, info), over = environment.reset(seed=1), False
    while not over:
        environment.render()
        _, _, terminated, truncated, info = environment.step(int(info["action_mask"].argmax()))
        over = bool(terminated or truncated)
    environment.close()


@pytest.mark.parametrize(("name", "arguments", "settings"), VECTOR, ids=[name for name, *_ in VECTOR])
def test_gymnasium_vector_wrapper(name: str, arguments: Any, settings: Any) -> None:
    made = gymnasium.make_vec(GAME, ROWS, opponent=Random(), **{"rules": "tiny", "render_mode": "ansi", **settings})
    wrapper = getattr(vector, name, None) or pytest.skip(f"this version of Gymnasium has no vector {name}")
    environment = optional(wrapper, made, **arguments)
    _, info = environment.reset(seed=1)
    ended = np.zeros(ROWS, np.int64)
    while ended.min() < 2:
        environment.render()
        masks = info["action_mask"] if isinstance(info, dict) else np.array([row["action_mask"] for row in info])
        _, _, terminations, _, info = environment.step(masks.argmax(1))
        ended += np.asarray(terminations)
    environment.close()
