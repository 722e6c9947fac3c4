"""The settings of ``trainer: policy_iteration``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from german_whist.agents.policy.network.layers import UNIVERSAL
from german_whist.game.rules import rule_names, rules
from german_whist.training.config import (
    Count,
    CountOrNone,
    Names,
    Number,
    Rate,
    Share,
    Shares,
    Sizes,
    TrainConfig,
    Whole,
)

EVERY = "every"


class PolicyIterationConfig(TrainConfig):
    """Settings of ``trainer: policy_iteration``."""

    fixed: ClassVar[tuple[str, ...]] = (
        *TrainConfig.fixed,
        *("games", "init", "inputs", "suit_layers", "value_hidden", "rollout_hidden", "processes"),
    )
    _opponents_decide: ClassVar[bool] = True

    trainer: str = "policy_iteration"
    num_envs: Count = 2048
    num_steps: Count = 26  # the foreplay of classic
    batch_size: Count = 1024
    epochs: Count = 1
    learning_rate: Share = 2e-3
    learning_rate_end: Rate = 1e-5
    evaluate_against: Names = Field(["random+exact", "greedy+exact", "heuristic+exact"])  # matches have exact endgames
    games: Shares = Field(
        {},
        description="train one network on several games, instead of rules: shares of the environments, as "
        "{classic: 2, small: 1}; every stands for all presets with an open endgame, weighted by the length of the "
        "foreplay",
    )
    processes: Whole = Field(
        1,
        ge=1,
        le=1024,
        description="processes that train together, data-parallel; num_envs and batch_size are divided among them",
    )
    init: str = Field("", description="pretrained agent or checkpoint file to start from; it also sets the layer sizes")
    inputs: Literal["observation", "universal"] = Field(
        "observation",
        description="encoding that the network reads: observation (one game) or universal (every game with an open "
        "endgame)",
    )
    suit_layers: CountOrNone = Field(
        0,
        description="hidden layers at the start, and as many at the end, that process each suit separately with shared "
        "weights",
    )
    ema_horizon: CountOrNone = Field(
        500_000, description="horizon of the moving average (EMA) of the weights, in decisions; 0: no averaging"
    )
    value_hidden: Sizes = Field([512, 256], description="sizes of the value network's hidden layers")
    value_lambda: Number = Field(
        0.9,
        ge=0,
        le=1,
        description="lambda of the value network's targets, Watkins's Q(lambda): 0 bootstraps at once, 1 as late as "
        "possible",
    )
    lookahead: Whole = Field(
        1,
        ge=1,
        le=52,
        description="the target of an action is the mean value at this many of the seat's next decisions",
    )
    lookahead_start: CountOrNone = Field(0, description="decisions after which lookahead takes effect; 1 until then")
    rollout_hidden: CountOrNone = Field(
        192,
        description="units of a small network that is distilled from the policy and plays during lookahead; 0: the "
        "policy plays itself, better, and slower if it is large",
    )
    stock_rotations: Whole = Field(
        1,
        ge=1,
        le=52,
        description="orders of the unseen cards in which each action is tried; more reduce the targets' variance",
    )
    margin_tanh_scale: Rate = Field(
        0.0, description="scale, in tricks, of squashed margins: scale * tanh(margin / scale); 0: not squashed"
    )

    @field_validator("games")
    @classmethod
    def _check_games(cls, value: dict[str, float]) -> dict[str, float]:
        for game in value:
            if game != EVERY and not rules(game).endgame_is_open:
                raise ValueError(f"{game} has no open endgame")
        return value

    @classmethod
    def completed(cls, read: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all settings; those of a network follow from ``init``, if a file or a call does not give them.

        ``rules`` given takes the place of ``games`` read, and given layers that are too few for the suit layers read
        lower these.
        """
        values = {**read, **given}
        if "rules" in given and "games" not in given:
            values.pop("games", None)
        if values.get("init") and isinstance(values["init"], str):
            # Settings of the file describe another network if `init` is newly given.
            known = given if given.get("init") else values
            if not {"hidden", "inputs", "suit_layers", "value_hidden"} <= known.keys():  # a run's are complete
                values |= {key: value for key, value in _layers_of(values["init"]).items() if key not in known}
        elif (
            isinstance(read.get("suit_layers"), int)
            and "suit_layers" not in given
            and given.keys() & {"hidden", "value_hidden"}
        ):
            values["suit_layers"] = _fitting_suit_layers(values)
        return values

    def for_processes(self, size: int) -> Self:
        """Return a copy for a run of ``size`` processes that ``torchrun`` has started."""
        return self.replace(processes=size) if size > 1 else self

    @property
    def num_processes(self) -> int:
        """The number of processes that a run starts, itself among them."""
        return self.processes

    @property
    def shares(self) -> dict[str, float]:
        """The games to train on and their shares of the environments, which sum to 1."""
        if not self.games:
            return super().shares
        weights: dict[str, float] = {}
        for game, weight in self.games.items():
            parts = every_game() if game == EVERY else {game: 1.0}
            for name, part in parts.items():
                weights[name] = weights.get(name, 0.0) + weight * part
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items()}

    @model_validator(mode="after")
    def _check_network(self) -> Self:
        if self.games and self.inputs != UNIVERSAL:
            raise ValueError(f"inputs must be {UNIVERSAL} with games, got {self.inputs}")
        for name, sizes, least in (
            ("hidden", self.hidden, 2 * self.suit_layers + 1),
            ("value_hidden", self.value_hidden, self.suit_layers + 1),
        ):
            if self.suit_layers and len(sizes) < least:
                raise ValueError(f"suit_layers={self.suit_layers} needs at least {least} sizes of {name}, got {sizes}")
        return self


def every_game() -> dict[str, float]:
    """Return the presets with an open endgame and their shares, one preset of those that differ only in scoring.

    Shares are proportional to the length of the foreplay, doubled for ``high_low``, which is two games in one.
    """
    weights: dict[str, float] = {}
    seen = set()
    for name in rule_names():
        game = rules(name)
        plays = dataclasses.replace(game, points="difference", book=None, slam=0)
        if game.endgame_is_open and plays not in seen:
            seen.add(plays)
            weights[name] = float(game.stock * (1 + game.high_low))
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


def _layers_of(init: str) -> dict[str, Any]:
    """Return the settings that the network of ``init`` determines."""
    from german_whist.agents.pretrained import find_network  # imports numba, which --help avoids

    network = find_network(init)
    found: dict[str, Any] = {
        "hidden": network.sizes[1:-1],
        "inputs": network.inputs,
        "suit_layers": network.suit_layers,
    }
    if network.value:
        found["value_hidden"] = network.value_sizes[1:-1]
    return found


def _fitting_suit_layers(values: Mapping[str, Any]) -> int:
    """Return ``suit_layers``, lowered to fit the hidden layers."""
    hidden, value_hidden = (values.get(key) for key in ("hidden", "value_hidden"))
    fitting: list[int] = [values["suit_layers"]]
    fitting += [(len(hidden) - 1) // 2] if isinstance(hidden, Sequence) else []
    fitting += [len(value_hidden) - 1] if isinstance(value_hidden, Sequence) else []
    return max(min(fitting), 0)
