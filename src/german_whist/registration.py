"""Registers the environments with Gymnasium and PettingZoo."""

from __future__ import annotations

import gymnasium
import pettingzoo

GYMNASIUM_ID = "GermanWhist-v0"
PETTINGZOO_ID = "german_whist/classic-v0"


def register_environments() -> None:
    """Register the environment ids. PettingZoo has a registry only in newer versions."""
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point="german_whist.envs.gymnasium_env:GermanWhistEnv",
            vector_entry_point="german_whist.envs.gymnasium_vector_env:GermanWhistVectorEnv",
            kwargs={"opponent": "heuristic"},
        )
    if hasattr(pettingzoo, "register") and PETTINGZOO_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", PETTINGZOO_ID, "german_whist.envs.pettingzoo_env:env", kwargs={"rules": "classic"})
