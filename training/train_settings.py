"""Types of the settings of :func:`german_whist.train`, written by ``python -m tools.train_settings``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from german_whist.agents.base import Agent, SupportsAct

Named = str | os.PathLike[str]


class TrainSettings(TypedDict, total=False):
    """Settings of the trainers by name; the page on training settings says what they mean.

    The command line and YAML text are read alike, so lists and shares may be text, too, ``"64,64"``.
    """

    trainer: str
    rules: str
    seed: int
    decisions: int
    checkpoint_every: int
    threads: int
    device: str
    opponents: Mapping[str, float] | Mapping[Named | Agent | SupportsAct, float] | str
    pool_size: int
    num_envs: int
    num_steps: int
    hidden: Sequence[int] | str
    batch_size: int
    epochs: int
    learning_rate: float
    learning_rate_end: float
    evaluate_every: int
    evaluate_deals: int
    evaluate_against: Sequence[Named] | str
    final_deals: int
    games: Mapping[str, float] | str
    processes: int
    init: str
    inputs: Literal["observation", "universal"]
    suit_layers: int
    ema_horizon: int
    value_hidden: Sequence[int] | str
    value_lambda: float
    lookahead: int
    lookahead_start: int
    rollout_hidden: int
    stock_rotations: int
    margin_tanh_scale: float
    reward: Literal["margin", "win", "points"]
    ent_coef: float
    ent_coef_end: float
