"""The complete configuration of a run: for each trainer, its slices of settings."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import yaml

from german_whist.agents.policy.network.layers import UNIVERSAL
from german_whist.agents.registry import agent_names, make_agent
from german_whist.envs.engine.rules import rules
from german_whist.envs.utils.specs import unknown_name
from german_whist.training.config.game_settings import (
    GameSettings,
    GamesSettings,
    PPOGameSettings,
    RewardedGameSettings,
)
from german_whist.training.config.settings import (
    INIT,
    OPPONENT,
    ActorSettings,
    AveragingOptimizerSettings,
    EvaluationSettings,
    NetworkSettings,
    OptimizerSettings,
    OwnOptimizerSettings,
    OwnRunSettings,
    PhasedActorSettings,
    PolicyIterationSettings,
    PPOLossSettings,
    PPOSettings,
    RolloutSettings,
    RunSettings,
)

OWN_OPPONENTS = ("self", "pool")
TRAINER_HELP = (
    "algorithm: ppo (our own PPO), policy_iteration (regression on action values) or sb3 (MaskablePPO of sb3-contrib)"
)


def _slice(kind: type[Any], **defaults: Any) -> Any:
    """Declare a slice, with defaults of this trainer."""
    return field(default_factory=lambda: kind(**defaults))


@dataclass(frozen=True)
class TrainConfig:
    """The slices that every trainer has; each setting's help says what it does.

    Raises:
        ValueError: when a value is not allowed; the message names the key.
    """

    TRAINER: ClassVar[str] = ""

    game: GameSettings = _slice(GameSettings)
    run: RunSettings = _slice(RunSettings)
    rollouts: RolloutSettings = _slice(RolloutSettings)
    network: NetworkSettings = _slice(NetworkSettings)
    optimizer: OptimizerSettings = _slice(OptimizerSettings)
    evaluation: EvaluationSettings = _slice(EvaluationSettings)

    @classmethod
    def of(cls, **settings: Any) -> Self:
        """Return the configuration with some settings, by their flat names, and defaults for the others.

        Raises:
            ValueError: when a key is unknown or a value is not allowed; the message names the key.
        """
        keys = setting_types(cls)
        for key in settings:
            if key not in keys:
                raise unknown_name("key", key, keys)
        if settings.get("trainer", cls.TRAINER) != cls.TRAINER:
            raise unknown_name("trainer", settings["trainer"], [cls.TRAINER])
        slices = {}
        for name, kind in _slice_types(cls):
            own = {entry.name: settings[entry.name] for entry in dataclasses.fields(kind) if entry.name in settings}
            slices[name] = dataclasses.replace(_default(cls, name), **own)
        return cls(**slices)

    def replace(self, **settings: Any) -> Self:
        """Return the configuration with some settings changed, by their flat names.

        Raises:
            ValueError: as :meth:`of`.
        """
        return self.of(**{**self.to_dict(), **settings})

    def __post_init__(self) -> None:
        """Refuse combinations of values that cannot work."""
        size = self.rollouts.num_envs * self.rollouts.num_steps
        batch_size = self.optimizer.batch_size
        if size == 1 or size % min(batch_size, size) == 1:
            raise ValueError(
                f"batch_size: {batch_size} is not allowed: in a rollout of num_envs * num_steps = {size} decisions "
                "the last batch would hold a single one"
            )
        for name in self.rollouts.opponents:
            if name not in OWN_OPPONENTS:
                self._check_agent("opponents", name, OWN_OPPONENTS)
        for name in self.evaluation.evaluate_against:
            self._check_agent("evaluate_against", name, ())

    def _check_agent(self, key: str, name: str, also: tuple[str, ...]) -> None:
        if name.partition(":")[0].partition("+")[0] not in agent_names():
            raise unknown_name(f"agent in {key}", name, [*also, *agent_names()])
        from german_whist.agents.policy.agent import check_trained_for  # imports numba, which --help avoids

        try:
            # Fail now, not hours into the run, on a missing file or a network for another game.
            for game in self.game.shares:
                check_trained_for(make_agent(name), rules(game))
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from None

    def to_yaml(self) -> str:
        """Return the settings as YAML text that reads back to the same."""
        return yaml.safe_dump(self.to_dict(), sort_keys=False, allow_unicode=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the trainer and its settings by their flat names."""
        slices = dataclasses.asdict(self).values()
        return {"trainer": self.TRAINER, **{key: value for part in slices for key, value in part.items()}}


@dataclass(frozen=True)
class SB3Config(TrainConfig):
    """All settings of ``trainer: sb3``."""

    TRAINER: ClassVar[str] = "sb3"

    game: RewardedGameSettings = _slice(RewardedGameSettings)
    ppo: PPOLossSettings = _slice(PPOLossSettings)


@dataclass(frozen=True)
class PPOConfig(TrainConfig):
    """All settings of ``trainer: ppo``."""

    TRAINER: ClassVar[str] = "ppo"

    game: PPOGameSettings = _slice(PPOGameSettings)
    run: OwnRunSettings = _slice(OwnRunSettings)
    rollouts: RolloutSettings = _slice(RolloutSettings, num_envs=2048)
    network: ActorSettings = _slice(ActorSettings)
    optimizer: OwnOptimizerSettings = _slice(OwnOptimizerSettings, batch_size=2048, epochs=1, learning_rate=2e-3)
    ppo: PPOSettings = _slice(PPOSettings, gae_lambda=0.8)


@dataclass(frozen=True)
class PolicyIterationConfig(TrainConfig):
    """All settings of ``trainer: policy_iteration``."""

    TRAINER: ClassVar[str] = "policy_iteration"

    game: GamesSettings = _slice(GamesSettings)
    run: OwnRunSettings = _slice(OwnRunSettings)
    rollouts: RolloutSettings = _slice(RolloutSettings, num_envs=2048, num_steps=26)  # the foreplay of classic
    network: PhasedActorSettings = _slice(PhasedActorSettings, ranks="live")
    optimizer: AveragingOptimizerSettings = _slice(
        AveragingOptimizerSettings, batch_size=1024, epochs=1, learning_rate=2e-3, learning_rate_end=1e-5
    )
    policy_iteration: PolicyIterationSettings = _slice(PolicyIterationSettings)

    def __post_init__(self) -> None:
        """Refuse combinations of values that cannot work."""
        super().__post_init__()
        if len(self.game.shares) > 1 and self.network.inputs != UNIVERSAL:
            raise ValueError(
                f"inputs: {self.network.inputs} is not allowed: a network for several games needs universal"
            )
        if self.policy_iteration.lookahead_policy == INIT and not self.network.init:
            raise ValueError("lookahead_policy: init needs init, the network that plays on")
        if self.policy_iteration.lookahead_policy == OPPONENT and "self" in self.rollouts.opponents:
            raise ValueError("lookahead_policy: opponent needs opponents without self: it learns none of its actions")
        if self.network.suit_layers and len(self.policy_iteration.value_hidden) <= self.network.suit_layers:
            raise ValueError(
                f"value_hidden: {self.policy_iteration.value_hidden} is too short for suit_layers: "
                f"{self.network.suit_layers}: at least {self.network.suit_layers + 1} sizes, or suit_layers: 0"
            )


TRAINERS: dict[str, type[TrainConfig]] = {kind.TRAINER: kind for kind in (SB3Config, PPOConfig, PolicyIterationConfig)}


def _default(kind: type[TrainConfig], name: str) -> Any:
    (entry,) = (entry for entry in dataclasses.fields(kind) if entry.name == name)
    return typing.cast(Any, entry.default_factory)()


def _slice_types(kind: type[TrainConfig]) -> Iterator[tuple[str, type[Any]]]:
    hints = typing.get_type_hints(kind)
    return ((entry.name, hints[entry.name]) for entry in dataclasses.fields(kind))


def setting_types(kind: type[TrainConfig]) -> dict[str, tuple[Any, str]]:
    """Return the type and the help of each setting of a trainer, by its flat name."""
    types = {"trainer": (str, TRAINER_HELP)}
    for _, part in _slice_types(kind):
        hints = typing.get_type_hints(part)
        types |= {entry.name: (hints[entry.name], entry.metadata["help"]) for entry in dataclasses.fields(part)}
    return types
