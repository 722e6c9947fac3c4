"""Every wrapper of Gymnasium and PettingZoo goes around our environments, or stands here with the reason why not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pettingzoo.utils.wrappers as aec_wrappers
import pytest
from gymnasium import wrappers
from gymnasium.error import DependencyNotInstalled
from gymnasium.wrappers import vector

import german_whist as gw
from tests.envs.players import Random

GAME = "german_whist:GermanWhist-v0"
KEYS = ("observation", "action_mask")
PICTURES = {"render_mode": "rgb_array"}
ROWS = 3
FEATURES = max(part.stop for part in gw.observation_layout("tiny").values())

pytestmark = pytest.mark.filterwarnings("error::UserWarning", "ignore:.*Overwriting existing videos:UserWarning")


class Case(NamedTuple):
    """How a wrapper is tried.

    Attributes:
        arguments: what its constructor gets beside the environment.
        settings: what ``gymnasium.make`` gets.
        inside: a wrapper that goes between the environment and the one that is tried.
    """

    arguments: dict[str, Any] = {}  # noqa: RUF012
    settings: dict[str, Any] = {}  # noqa: RUF012
    inside: Callable[[Any], Any] | None = None


BOX_ACTIONS = "for actions that are vectors"
JAX = "for environments in JAX"
PARALLEL = "for agents that act at the same time"


def as_picture(environment: Any) -> Any:
    return wrappers.AddRenderObservation(environment, render_only=True)


def unchanged(value: Any) -> Any:
    return value


SINGLE: dict[str, Case | str] = {
    "AddRenderObservation": Case(settings=PICTURES),
    "AddWhiteNoise": Case({"probability_of_noise_per_pixel": 0.1}, PICTURES),
    "ArrayConversion": Case({"env_xp": np, "target_xp": np}),
    "AtariPreprocessing": "for Atari games",
    "ClipAction": BOX_ACTIONS,
    "ClipReward": Case({"min_reward": -1, "max_reward": 1}),
    "DelayObservation": Case({"delay": 1}),
    "DiscretizeAction": BOX_ACTIONS,
    "DiscretizeObservation": Case({"bins": 2, "multidiscrete": True}),
    "DtypeObservation": Case({"dtype": np.float32}),
    "FilterObservation": Case({"filter_keys": [KEYS[0]]}, {"observation_keys": KEYS}),
    "FlattenObservation": Case(settings={"observation_keys": KEYS}),
    "FrameStackObservation": Case({"stack_size": 2}),
    "GrayscaleObservation": Case(settings=PICTURES, inside=as_picture),
    "HumanRendering": Case(settings=PICTURES),
    "JaxToNumpy": JAX,
    "JaxToTorch": JAX,
    "MaxAndSkipObservation": Case({"skip": 2}),
    "ObstructView": Case({"obstructed_pixels_ratio": 0.1, "obstruction_width": 4}, PICTURES),
    "RecordVideo": Case({"video_folder": "videos", "episode_trigger": bool}, PICTURES),
    "RenderCollection": Case(settings=PICTURES),
    "RepeatAction": Case({"num_repeats": 2}),
    "RescaleAction": BOX_ACTIONS,
    "RescaleObservation": Case({"min_obs": np.float32(0), "max_obs": np.float32(1)}),
    "ReshapeObservation": Case({"shape": (1, FEATURES)}),
    "ResizeObservation": Case({"shape": (32, 32)}, PICTURES, as_picture),
    "StickyAction": Case({"repeat_action_probability": 0.5}),
    "TimeAwareObservation": Case(settings={"max_episode_steps": 99}),
    "TimeLimit": Case({"max_episode_steps": 3}),
    "TransformAction": Case({"func": unchanged, "action_space": None}),
    "TransformObservation": Case({"func": unchanged, "observation_space": None}),
    "TransformReward": Case({"func": unchanged}),
}

NEXT_STEP = {"autoreset_mode": "NEXT_STEP"}  # for wrappers that refuse the default or lose something in it
VECTOR: dict[str, Case | str] = {
    "ArrayConversion": Case({"env_xp": np, "target_xp": np}, NEXT_STEP),
    "ClipAction": BOX_ACTIONS,
    "ClipReward": Case({"min_reward": -1, "max_reward": 1}),
    "DtypeObservation": Case({"dtype": np.float32}, NEXT_STEP),
    "FilterObservation": Case({"filter_keys": [KEYS[0]]}, {**NEXT_STEP, "observation_keys": KEYS}),
    "FlattenObservation": Case(settings={**NEXT_STEP, "observation_keys": KEYS}),
    "GrayscaleObservation": "for observations that are pictures",
    "HumanRendering": Case(settings=PICTURES),
    "JaxToNumpy": JAX,
    "JaxToTorch": JAX,
    "NormalizeObservation": Case(settings=NEXT_STEP),
    "NumpyToTorch": Case(settings=NEXT_STEP),
    "RecordVideo": Case({"video_folder": "videos", "episode_trigger": bool}, {**NEXT_STEP, **PICTURES}),
    "RescaleAction": BOX_ACTIONS,
    "RescaleObservation": Case({"min_obs": np.float32(0), "max_obs": np.float32(1)}, NEXT_STEP),
    "ReshapeObservation": Case({"shape": (1, FEATURES)}, NEXT_STEP),
    "ResizeObservation": "for observations that are pictures",
    "TransformAction": Case({"func": unchanged}),
    "TransformObservation": Case({"func": unchanged}, NEXT_STEP),
    "TransformReward": Case({"func": unchanged}),
    "VectorizeTransformAction": Case({"wrapper": wrappers.TransformAction, "func": unchanged, "action_space": None}),
    "VectorizeTransformObservation": Case({"wrapper": wrappers.FlattenObservation}, NEXT_STEP),
    "VectorizeTransformReward": Case({"wrapper": wrappers.TransformReward, "func": unchanged}),
}

AEC: dict[str, Case | str] = {
    "BaseParallelWrapper": PARALLEL,
    "CaptureStdoutWrapper": Case(settings={"render_mode": "human"}),
    "ClipOutOfBoundsWrapper": BOX_ACTIONS,
    "MultiEpisodeEnv": Case({"num_episodes": 2}),
    "MultiEpisodeParallelEnv": PARALLEL,
    "RecordVideo": Case({"video_folder": "videos", "episode_trigger": bool}, PICTURES),
    "RecordVideoParallel": PARALLEL,
    "TerminateIllegalWrapper": Case({"illegal_reward": -1}),
}


def cases(names: Iterable[str], table: dict[str, Case | str]) -> pytest.MarkDecorator:
    """A parameter for each of a library's wrappers; one that the table does not know is tried without arguments."""
    return pytest.mark.parametrize(
        ("name", "case"),
        [
            pytest.param(name, case, id=name, marks=pytest.mark.skip(case) if isinstance(case, str) else ())
            for name in sorted(names)
            for case in [table.get(name, Case())]
        ],
    )


def start(library: Any, name: str, case: Case, environment: Callable[..., Any]) -> tuple[Any, Any]:
    """A wrapped environment and what its reset returns; the test is skipped if the wrapper needs other libraries."""
    inner = environment(**{"rules": "tiny", "render_mode": "ansi", **case.settings})
    inner = inner if case.inside is None else case.inside(inner)
    try:
        wrapped = getattr(library, name)(inner, **case.arguments)
        return wrapped, wrapped.reset(seed=1)
    except (ModuleNotFoundError, DependencyNotInstalled) as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def _no_screen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Write videos elsewhere, open no window, and let ``"human"`` print text where nothing else is tried."""
    monkeypatch.chdir(tmp_path)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    if "HumanRendering" in request.node.name:
        monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@cases(set(wrappers.__all__) - {"vector"}, SINGLE)
def test_every_wrapper_of_gymnasium_plays_an_episode(name: str, case: Case) -> None:
    environment, (_, info) = start(
        wrappers, name, case, lambda **settings: gymnasium.make(GAME, opponent=Random(), **settings)
    )
    over = False
    while not over:
        environment.render()
        _, _, terminated, truncated, info = environment.step(int(info["action_mask"].argmax()))
        over = bool(terminated or truncated)
    environment.close()


@cases(vector.__all__, VECTOR)
def test_every_vector_wrapper_of_gymnasium_plays_episodes(name: str, case: Case) -> None:
    environment, (_, info) = start(
        vector, name, case, lambda **settings: gymnasium.make_vec(GAME, ROWS, opponent=Random(), **settings)
    )
    ended = np.zeros(ROWS, np.int64)
    while ended.min() < 2:
        environment.render()
        masks = info["action_mask"] if isinstance(info, dict) else np.array([row["action_mask"] for row in info])
        _, _, terminations, _, info = environment.step(masks.argmax(1))
        ended += np.asarray(terminations)
    environment.close()


@pytest.mark.parametrize("make", [gw.env, gw.raw_env])
@cases((name for name, value in vars(aec_wrappers).items() if isinstance(value, type)), AEC)
def test_every_wrapper_of_pettingzoo_plays_an_episode(make: Any, name: str, case: Case) -> None:
    environment, _ = start(aec_wrappers, name, case, make)
    for _ in environment.agent_iter():
        environment.render()
        observation, _, terminated, truncated, _ = environment.last()
        environment.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
    assert not environment.agents
    environment.close()
