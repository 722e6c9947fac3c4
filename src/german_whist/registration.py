"""Registers the environments with Gymnasium and PettingZoo, and makes them with opponents by name."""

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
    from german_whist.agents.registry import AgentLike
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
    """Work in the root directory while the working directory is deleted: PettingZoo asks for it when imported."""
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
    """Let a function refuse an unknown keyword with the nearest one: Gymnasium passes on whatever it is given."""
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
        rules: a preset's name, with settings if wanted (``"classic:counts=all"``), or ``Rules``.
        opponent: an agent's specification (``german_whist.agent_names()`` lists them) or an agent object.
        reward: ``"margin"``, ``"win"`` or ``"points"``.
        seat: the learner's seat, 0, 1 or ``"alternate"``.
        render_mode: ``"ansi"``, ``"rgb_array"``, ``"human"`` or ``None``. In ``gymnasium.make``, ``"ansi_list"`` and
            ``"rgb_array_list"``, too: ``render`` then returns what was seen since its last call.
        match: ``None`` for episodes of one deal; a match format as ``"first_to:25"`` or ``"best_of:3"`` for episodes of
            a whole match.
        endgame: ``"played"``, or ``"exact"`` for deals that end after the foreplay and pay the result of perfect play.
        observation_keys: ``None`` for plain vectors (the mask is in ``info``), or the names of observation and mask in
            a dictionary: ``("observations", "action_mask")`` for RLlib.
        canonical: whether suits are relabelled, so that positions which play alike look alike: in observations, masks
            and the learner's actions.
        dense: pay the margin trick by trick; needs ``reward="margin"`` and no match.

    Raises:
        TypeError: if there is no such keyword.
        ValueError: if an argument is not allowed.
        ModuleNotFoundError: if the render mode is ``"rgb_array"`` and Pillow is not installed.
    """
    from german_whist.agents.registry import make_agent
    from german_whist.envs.gymnasium_env import GermanWhistEnv

    return GermanWhistEnv(
        make_agent(opponent, rules),
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


# Gymnasium asks whatever it makes environments with for its render modes, and adds their "_list" forms.
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
    """Return the native batch: what ``gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=…, …)`` calls.

    Spaces, rewards and ``info`` are described at ``GermanWhistVectorEnv``, those on a device at
    ``GermanWhistTensorEnv``.

    Example:
        >>> envs = gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=1024, opponent="heuristic")
        >>> observations, info = envs.reset(seed=0)  # int8[1024, n_obs]

    Args:
        num_envs: number of rows, at least 1.
        rules: a preset's name, with settings if wanted, or ``Rules``.
        opponent: an agent's specification or an agent object.
        reward: ``"margin"``, ``"win"`` or ``"points"``.
        seat: the learner's seat, 0, 1 or ``"alternate"``.
        render_mode: ``"ansi"``, ``"rgb_array"`` or ``None``.
        endgame: ``"played"`` or ``"exact"``.
        match: ``None``, or the format of a match per episode.
        autoreset_mode: Gymnasium's ``AutoresetMode``, or its name: ``"SAME_STEP"``, ``"NEXT_STEP"`` or ``"DISABLED"``.
        observation_keys: ``None``, or the names of observation and mask in a dictionary.
        canonical: whether suits are relabelled, so that positions which play alike look alike: in observations, masks
            and the learner's actions.
        dense: pay the margin trick by trick; needs ``reward="margin"`` and no match.
        device: ``None`` for NumPy arrays; ``"cuda"`` or ``"cpu"`` for torch tensors on that device. There is no
            rendering then, no match, and no other autoreset mode.

    Raises:
        TypeError: if there is no such keyword.
        ValueError: if an argument is not allowed.
        ModuleNotFoundError: if the render mode is ``"rgb_array"`` and Pillow is not installed.
    """
    from german_whist.agents.registry import make_agent

    if device is not None:
        from german_whist.envs.gymnasium_tensor_env import GermanWhistTensorEnv

        if (render_mode, match, observation_keys) != (None, None, None) or autoreset_mode not in _SAME_STEP:
            raise ValueError(
                "device: environments in tensors have no render mode, match, observation keys, "
                "or autoreset mode but SAME_STEP"
            )
        return GermanWhistTensorEnv(
            make_agent(opponent, rules),
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
        make_agent(opponent, rules),
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
