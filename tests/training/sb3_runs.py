"""Training runs of a second, on a deck of eight cards."""

from __future__ import annotations

from typing import Any

from german_whist.training.sb3_config import SB3Config

SETTINGS: dict[str, Any] = {
    "trainer": "sb3",
    "rules": "tiny",
    "decisions": 1024,
    "num_envs": 8,
    "num_steps": 16,
    "batch_size": 64,
    "epochs": 1,
    "hidden": [16],
    "evaluate_every": 512,
    "evaluate_deals": 10,
    "evaluate_against": ["random"],
    "final_deals": 20,
    "checkpoint_every": 512,
    "threads": 1,
}
ROLLOUT = SETTINGS["num_envs"] * SETTINGS["num_steps"]


def tiny_config(**changes: Any) -> SB3Config:
    return SB3Config(**{**SETTINGS, **changes})
