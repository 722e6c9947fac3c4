"""Registers the environments with Gymnasium and PettingZoo, and makes them with opponents given by name."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import gymnasium
from gymnasium.vector import AutoresetMode

from german_whist.envs.engine.endgame_hook import EXACT, register_endgame_hook
from german_whist.envs.rendering.modes import FRAMES_PER_SECOND, RENDER_MODES
from german_whist.envs.utils.specs import unknown_name_error

if TYPE_CHECKING:
    from german_whist.envs.agent import AgentLike
    from german_whist.envs.engine.endgame_hook import EndgameHook
    from german_whist.envs.engine.match_format import MatchFormat
    from german_whist.envs.engine.rules import Rules
    from german_whist.envs.gymnasium_env import GermanWhistEnv
    from german_whist.envs.gymnasium_tensor_env import GermanWhistTensorEnv
    from german_whist.envs.gymnasium_vector_env import GermanWhistVectorEnv

_SAME_STEP = (AutoresetMode.SAME_STEP, AutoresetMode.SAME_STEP.name, AutoresetMode.SAME_STEP.value)
GYMNASIUM_ID = "GermanWhist-v0"
P = ParamSpec("P")
Env = TypeVar("Env")

PETTINGZOO_ID = "german_whist/classic-v0"


def register_environments() -> None:
    """Register the environment ids and the exact endgame. PettingZoo has a registry only in newer versions."""
    register_endgame_hook(EXACT, "german_whist.solver.exact_endgame:ExactEndgameHook")
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point="german_whist.registration:make_single",
            vector_entry_point="german_whist.registration:make_vector",
        )
    if hasattr(pettingzoo, "register") and PETTINGZOO_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", PETTINGZOO_ID, "german_whist.envs.pettingzoo_env:env", kwargs={"rules": "classic"})


@contextmanager
def _some_directory() -> Iterator[None]:
    """Work in the root directory if the working directory has been deleted: importing PettingZoo asks for it."""
    try:
        os.getcwd()
    except FileNotFoundError:
        deleted = os.open(".", os.O_RDONLY)
        os.chdir("/")
        try:
            yield
        finally:
            os.fchdir(deleted)
            os.close(deleted)
    else:
        yield


with _some_directory():
    import pettingzoo


def _names_keywords(make: Callable[P, Env]) -> Callable[P, Env]:
    """Make a function refuse unknown keywords and name the nearest one. Gymnasium passes on whatever it is given."""
    known = list(inspect.signature(make).parameters)

    @functools.wraps(make)
    def checked(*args: P.args, **keywords: P.kwargs) -> Env:
        for name in keywords:
            if name not in known:
                raise TypeError(str(unknown_name_error("keyword", name, known)))
        return make(*args, **keywords)

    return checked


@_names_keywords
def make_single(
    *,
    rules: str | Rules = "classic",
    opponent: AgentLike = "heuristic",
    reward: str = "margin",
    seat: int | str = "alternate",
    render_mode: str | None = None,
    match: str | MatchFormat | None = None,
    endgame: str | EndgameHook = "played",
    observation_keys: tuple[str, str] | None = None,
    canonical: bool = False,
    dense: bool = False,
) -> GermanWhistEnv:
    """Return the single-agent environment: what ``gymnasium.make("german_whist:GermanWhist-v0", …)`` calls.

    Spaces, rewards and ``info`` are described at ``GermanWhistEnv``.

    Example:
        >>> env = gymnasium.make("german_whist:GermanWhist-v0", opponent="greedy", reward="win")
        >>> observation, info = env.reset(seed=0)

    Args:
        rules: a preset's name, optionally with settings (``"classic:counts=all"``), or ``Rules``.
        opponent: an agent's specification (``german_whist.agent_names()`` lists them) or an agent object.
        reward: ``"margin"``, ``"win"`` or ``"points"``.
        seat: the learner's seat, 0, 1 or ``"alternate"``.
        render_mode: ``"ansi"``, ``"rgb_array"``, ``"human"`` or ``None``. ``gymnasium.make`` also takes ``"ansi_list"``
            and ``"rgb_array_list"``: ``render`` then returns the frames since its last call.
        match: ``None`` for episodes of one deal, or a match format such as ``"first_to:25"`` or ``"best_of:3"`` for
            episodes of a whole match.
        endgame: ``"played"``, or ``"exact"`` for deals that end after the foreplay and pay the result of perfect play.
        observation_keys: ``None`` for plain vectors (the mask is in ``info``), or the keys of observation and mask in a
            dictionary: ``("observations", "action_mask")`` for RLlib.
        canonical: whether to relabel suits in observations, masks and the learner's actions, so that equivalent
            positions look the same (:func:`german_whist.canonical_views`).
        dense: whether to pay the margin trick by trick; it needs ``reward="margin"`` and no match.

    Raises:
        TypeError: if there is no such keyword.
        ValueError: if an argument is not allowed.
        ModuleNotFoundError: if the render mode is ``"rgb_array"`` and Pillow is not installed.
    """
    from german_whist.envs.gymnasium_env import GermanWhistEnv

    return GermanWhistEnv(
        opponent,
        rules,
        reward,
        seat,
        render_mode,
        match,
        endgame,
        observation_keys,
        canonical=canonical,
        dense=dense,
    )


# Gymnasium reads the render modes from an entry point's ``metadata``, and adds their "_list" forms.
make_single.metadata = {"render_modes": list(RENDER_MODES), "render_fps": FRAMES_PER_SECOND}  # type: ignore[attr-defined]


@_names_keywords
def make_vector(
    num_envs: int = 1,
    *,
    rules: str | Rules = "classic",
    opponent: AgentLike = "heuristic",
    reward: str = "margin",
    seat: int | str = "alternate",
    render_mode: str | None = None,
    match: str | MatchFormat | None = None,
    endgame: str | EndgameHook = "played",
    autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
    observation_keys: tuple[str, str] | None = None,
    canonical: bool = False,
    dense: bool = False,
    device: Any = None,
) -> GermanWhistVectorEnv | GermanWhistTensorEnv:
    """Return the vector environment: what ``gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=…, …)`` calls.

    ``GermanWhistVectorEnv`` describes spaces, rewards and ``info``, and ``GermanWhistTensorEnv`` those on a device.

    Example:
        >>> envs = gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=1024, opponent="heuristic")
        >>> observations, info = envs.reset(seed=0)  # int8[1024, n_obs]

    Args:
        num_envs: number of rows, at least 1.
        rules: a preset's name, optionally with settings, or ``Rules``.
        opponent: an agent's specification or an agent object.
        reward: ``"margin"``, ``"win"`` or ``"points"``.
        seat: the learner's seat, 0, 1 or ``"alternate"``.
        render_mode: ``"ansi"``, ``"rgb_array"`` or ``None``.
        endgame: ``"played"`` or ``"exact"``.
        match: ``None``, or the format of a match per episode.
        autoreset_mode: Gymnasium's ``AutoresetMode``, or its name: ``"SAME_STEP"``, ``"NEXT_STEP"`` or ``"DISABLED"``.
        observation_keys: ``None``, or the keys of observation and mask in a dictionary.
        canonical: whether to relabel suits in observations, masks and the learner's actions, so that equivalent
            positions look the same (:func:`german_whist.canonical_views`).
        dense: whether to pay the margin trick by trick; it needs ``reward="margin"`` and no match.
        device: ``None`` for NumPy arrays; ``"cuda"`` or ``"cpu"`` for torch tensors on that device, without rendering,
            matches, observation keys and autoreset modes other than ``SAME_STEP``.

    Raises:
        TypeError: if there is no such keyword.
        ValueError: if an argument is not allowed.
        ModuleNotFoundError: if the render mode is ``"rgb_array"`` and Pillow is not installed.
    """
    if device is not None:
        from german_whist.envs.gymnasium_tensor_env import GermanWhistTensorEnv

        if (render_mode, match, observation_keys) != (None, None, None) or autoreset_mode not in _SAME_STEP:
            raise ValueError(
                "device: environments in tensors have no render mode, match or observation keys, "
                "and SAME_STEP is their only autoreset mode"
            )
        return GermanWhistTensorEnv(
            opponent,
            num_envs,
            rules,
            reward=reward,
            seat=seat,
            endgame=endgame,
            canonical=canonical,
            dense=dense,
            device=device,
        )
    from german_whist.envs.gymnasium_vector_env import GermanWhistVectorEnv

    return GermanWhistVectorEnv(
        opponent,
        num_envs,
        rules,
        reward,
        seat,
        render_mode,
        endgame,
        match,
        autoreset_mode,
        observation_keys,
        canonical=canonical,
        dense=dense,
    )
