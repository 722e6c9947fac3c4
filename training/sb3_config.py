"""The settings of ``trainer: sb3``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from german_whist.training.config import Rate, TrainConfig, linear


class SB3Config(TrainConfig):
    """Settings of ``trainer: sb3``."""

    trainer: str = "sb3"
    reward: Literal["margin", "win", "points"] = Field(
        "margin", description="reward at the end of a deal: margin, win or points, scaled to at most 1"
    )
    ent_coef: Rate = Field(0.01, description="entropy coefficient at the start of the run")
    ent_coef_end: Rate = Field(0.001, description="entropy coefficient at the end; linear in between")

    def ent_coef_at(self, left: float) -> float:
        """Return the entropy coefficient when a share ``left`` of the run remains, from 1 (start) to 0 (end)."""
        return linear(self.ent_coef, self.ent_coef_end, left)
