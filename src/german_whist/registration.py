"""Registers the environments with Gymnasium and PettingZoo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from german_whist.envs.engine.endgame_hook import EXACT, register_endgame_hook

if TYPE_CHECKING:
    from german_whist.envs.agent import AgentLike
    from german_whist.envs.gymnasium_tensor_env import GermanWhistTensorEnv
    from german_whist.envs.gymnasium_vector_env import GermanWhistVectorEnv

GYMNASIUM_ID = "GermanWhist-v0"
PETTINGZOO_ID = "german_whist/classic-v0"


def register_environments() -> None:
    """Register the environment ids and the exact endgame. PettingZoo has a registry only in newer versions."""
    register_endgame_hook(EXACT, "german_whist.solver.exact_endgame:ExactEndgameHook")
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point="german_whist.envs.gymnasium_env:GermanWhistEnv",
            vector_entry_point="german_whist.registration:make_vector",
            kwargs={"opponent": "heuristic"},
        )
    if hasattr(pettingzoo, "register") and PETTINGZOO_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", PETTINGZOO_ID, "german_whist.envs.pettingzoo_env:env", kwargs={"rules": "classic"})


def make_vector(
    num_envs: int = 1, *, opponent: AgentLike = "heuristic", device: Any = None, **settings: Any
) -> GermanWhistVectorEnv | GermanWhistTensorEnv:
    """Return the vector environment: what ``gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=…, …)`` calls.

    Example:
        >>> envs = gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=1024, opponent="heuristic")
        >>> observations, info = envs.reset(seed=0)  # int8[1024, n_obs]

    Args:
        num_envs: number of rows, at least 1.
        opponent: an agent's specification or an agent object.
        device: ``None`` for NumPy arrays (``GermanWhistVectorEnv``); ``"cuda"`` or ``"cpu"`` for torch tensors on that
            device (``GermanWhistTensorEnv``).
        settings: the other arguments of the environment.
    """
    if device is None:
        from german_whist.envs.gymnasium_vector_env import GermanWhistVectorEnv

        return GermanWhistVectorEnv(opponent, num_envs, **settings)
    from german_whist.envs.gymnasium_tensor_env import GermanWhistTensorEnv

    return GermanWhistTensorEnv(opponent, num_envs, device=device, **settings)
