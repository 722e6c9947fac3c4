"""The settings of a training run: their defaults, limits and meaning, and how they are read.

Each field is one setting; its name is the YAML key and the command-line option. Where CleanRL has the same setting, it
has the same name here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    field_validator,
)

from german_whist.game.rules import rules

MAX_NUMBER = 10**12  # limit of integers: more than any machine could train on or hold
MAX_SEED = 2**32 - 1  # the largest of np.random.seed, which Stable-Baselines3 calls
PYTHON = "python:"  # what the name of a trainer of the user's own begins with: python:FILE:CLASS or python:MODULE:CLASS
SELF, POOL = "self", "pool"  # opponents other than named agents: the learner itself, and its earlier checkpoints


def _number(value: Any) -> Any:
    """Read numbers as text (as which YAML reads 1e6) and NumPy's; anything else is left to pydantic."""
    try:
        return value if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return value


def _whole(value: Any) -> Any:
    number = _number(value)
    return int(number) if isinstance(number, float) and number.is_integer() else value


Whole = Annotated[int, Strict(), BeforeValidator(_whole)]
Count = Annotated[Whole, Field(ge=1, le=MAX_NUMBER)]
CountOrNone = Annotated[Whole, Field(ge=0, le=MAX_NUMBER)]
Number = Annotated[float, Strict(), BeforeValidator(_number), Field(allow_inf_nan=False)]
Share = Annotated[Number, Field(gt=0)]
Rate = Annotated[Number, Field(ge=0)]
Sizes = Annotated[list[Count], Field(min_length=1)]
Names = Annotated[list[str], Field(min_length=1)]
Shares = dict[str, Share]


def linear(start: float, end: float, left: float) -> float:
    """Return the value between ``start`` and ``end`` when a share ``left`` of the run remains, from 1 to 0."""
    return end + (start - end) * max(left, 0.0)


class TrainConfig(BaseModel):
    """Settings that every trainer has.

    Raises:
        pydantic.ValidationError: a ``ValueError``, if a value is not allowed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    fixed: ClassVar[tuple[str, ...]] = ("trainer", "rules", "opponents", "hidden", "num_envs")  # within a run
    _opponents_decide: ClassVar[bool] = False  # whether opponents' decisions are steps of the rollout, too

    trainer: str = ""
    rules: str = Field(
        "classic", description="the game: a preset, or a preset with changed settings, such as classic:hand=10,stock=32"
    )
    seed: Whole = Field(
        0, ge=0, le=MAX_SEED, description="seed of the deals, the initial weights and the sampled actions"
    )
    decisions: Count = Field(
        1_000_000,
        description="decisions of the learner to train on; a rollout longer than the whole run is shortened",
    )
    checkpoint_every: Count = Field(250_000, description="decisions between checkpoints")
    threads: Whole = Field(
        1, ge=0, le=1024, description="CPU threads; 1 is fastest for small networks, 0 means one per core"
    )
    device: str = Field("cpu", description="torch device; small networks are fastest on cpu")
    opponents: Annotated[Shares, Field(min_length=1)] = Field(
        {SELF: 1.0},
        description="opponents and their shares of the deals: self (policy_iteration then learns from both seats), "
        "pool (earlier checkpoints), or agents by name",
    )
    pool_size: Count = Field(8, description="number of checkpoints in the pool, the newest ones")
    num_envs: Count = Field(128, description="environments stepped in parallel, one deal in each")
    num_steps: Count = Field(52, description="decisions per environment in a rollout")
    hidden: Sizes = Field([256, 256], description="sizes of the hidden layers")
    batch_size: Count = Field(512, description="decisions in a minibatch, that is, in a gradient step")
    epochs: Count = Field(4, description="passes over each rollout")
    learning_rate: Share = Field(1e-3, description="learning rate at the start of the run")
    learning_rate_end: Rate = Field(1e-4, description="learning rate at the end; linear in between")
    evaluate_every: Count = Field(250_000, description="decisions between evaluations")
    evaluate_deals: Count = Field(500, description="mirrored deals in each match of an evaluation, the same every time")
    evaluate_against: Names = Field(["random", "greedy", "heuristic"], description="agents to evaluate against")
    final_deals: Count = Field(2000, description="mirrored deals in each match of the final evaluation")

    @field_validator("rules")
    @classmethod
    def _check_rules(cls, value: str) -> str:
        rules(value)
        return value

    @property
    def shares(self) -> dict[str, float]:
        """The games to train on and their shares of the environments, which sum to 1."""
        return {self.rules: 1.0}

    @property
    def main_game(self) -> str:
        """The specification of the game that checkpoints name: ``rules``, or the largest share of other games."""
        return self.rules if self.rules in self.shares else max(self.shares, key=self.shares.__getitem__)

    @property
    def title(self) -> str:
        """The specification of the game, or the number of games."""
        return next(iter(self.shares)) if len(self.shares) == 1 else f"{len(self.shares)} games"

    @classmethod
    def completed(cls, read: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all settings, of which those ``given`` take the place of those ``read`` from a file."""
        return {**read, **given}

    def for_processes(self, size: int) -> Self:
        """Return a copy for a run of ``size`` processes that ``torchrun`` has started.

        Raises:
            ValueError: if the trainer runs in one process.
        """
        if size > 1:
            raise ValueError(f"trainer {self.trainer} runs in one process, got {size}")
        return self

    @property
    def trainer_file(self) -> Path | None:
        """The file of a trainer of the user's own, ``python:FILE:CLASS``; ``None`` for others."""
        source = self.trainer.removeprefix(PYTHON).rpartition(":")[0]
        return Path(source) if source.endswith(".py") else None

    @property
    def num_processes(self) -> int:
        """The number of processes that a run starts, itself among them."""
        return 1

    def replace(self, **settings: Any) -> Self:
        """Return a copy with some settings changed.

        Raises:
            pydantic.ValidationError: a ``ValueError``, if a key is unknown or a value is not allowed.
        """
        return type(self)(**{**self.model_dump(), **settings})

    def with_short_rollouts(self, processes: int = 1) -> Self:
        """Return a copy whose rollout is about as long as the run, if the run is shorter than one rollout.

        Args:
            processes: number of processes that train together.
        """
        total, alone = sum(self.opponents.values()), self.opponents.get(SELF, 0.0)
        # Share of the steps at which the learner decides: all in self-play, half against opponents that take steps.
        learner = (total + alone) / (2 * total) if self._opponents_decide else 1.0
        # Enough environments that rounding leaves one for every opponent in every game and process.
        least = processes * (math.floor((total / min(self.opponents.values()) + 1) / min(self.shares.values())) + 1)
        envs = min(max(least, math.ceil(self.decisions / (self.num_steps * learner))), self.num_envs)
        steps = min(math.ceil(self.decisions / (envs * learner)), self.num_steps)
        return self.replace(num_envs=envs, num_steps=steps)

    def learning_rate_at(self, left: float) -> float:
        """Return the learning rate when a share ``left`` of the run remains, from 1 (start) to 0 (end)."""
        return linear(self.learning_rate, self.learning_rate_end, left)

    def to_yaml(self) -> str:
        """Return the settings as YAML, which :func:`load_config` reads back unchanged."""
        return yaml.safe_dump(self.model_dump(), sort_keys=False, allow_unicode=True)
