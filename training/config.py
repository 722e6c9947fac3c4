"""The settings of a training run: their defaults, limits and meaning.

Each dataclass field is one setting; its name is the YAML key and the command-line option. Where CleanRL has the same
setting, it has the same name here. Plain dataclasses, rather than pydantic or msgspec models, allow one-line errors
that name the file, the key and the nearest valid name.
"""

from __future__ import annotations

import dataclasses
import math
import os
import typing
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import yaml

from german_whist.agents.policy.network.layers import INPUTS, OBSERVATION, UNIVERSAL
from german_whist.agents.registry import agent_names, as_spec, make_agent
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.envs.utils.checks import MAX_THREADS, is_whole_number
from german_whist.envs.utils.specs import must_be, unknown_name_error

MAX_NUMBER = 10**12  # limit of integers: more than any machine could train on or hold
MAX_SEED = 2**32 - 1  # the largest that numpy accepts
SELF, POOL = "self", "pool"  # opponents other than named agents: the learner itself, and its earlier checkpoints
EVERY = "every"

_KIND_NAMES: dict[Any, str] = {
    int: "an integer",
    float: "a number",
    str: "a name",
    list[int]: "a list of integers, as [256, 256]",
    list[str]: "a list of names, as [random, greedy]",
    dict[str, float]: "a mapping of names to shares, as {self: 0.8, heuristic: 0.2}",
}

_Check = Callable[[str, Any], None]


def setting(default: Any, text: str, *checks: _Check) -> Any:
    """Declare a setting: its default, its help text, and checks, which take its name and value and raise ValueError."""
    metadata = {"help": text, "checks": checks}
    if isinstance(default, (list, dict)):
        return field(default_factory=lambda: type(default)(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def with_default(name: str, default: Any) -> Any:
    """Redeclare a setting of :class:`TrainConfig` with another default."""
    metadata = TrainConfig.__dataclass_fields__[name].metadata
    return setting(default, metadata["help"], *metadata["checks"])


def within(low: float, high: float = float("inf"), *, exclusive: bool = False) -> _Check:
    """Return a check that a number lies from ``low`` to ``high``; ``exclusive`` excludes ``low``."""

    def check(key: str, value: Any) -> None:
        if not low <= value <= high or (exclusive and value == low):
            bounds = f"> {low}" if exclusive else f">= {low}" if high == float("inf") else f"from {low} to {high}"
            raise ValueError(must_be(key, f"{'an integer' if isinstance(value, int) else 'a number'} {bounds}", value))

    return check


def one_of(*allowed: str) -> _Check:
    """Return a check that a value is one of those allowed."""

    def check(key: str, value: Any) -> None:
        if value not in allowed:
            raise unknown_name_error(key, value, allowed)

    return check


def _sizes(key: str, value: list[int]) -> None:
    if not value or min(value) < 1 or max(value) > MAX_NUMBER:
        raise ValueError(must_be(key, f"a list of at least one layer, each from 1 to {MAX_NUMBER}", value))


def _shares(key: str, value: dict[str, float]) -> None:
    if not value or min(value.values()) <= 0:
        raise ValueError(must_be(key, "names with shares > 0", value))


def _some(key: str, value: list[str]) -> None:
    if not value:
        raise ValueError(must_be(key, "a list of at least one agent", value))


def _rules(key: str, value: str) -> None:
    rules(value)


def _games(key: str, value: dict[str, float]) -> None:
    if value and min(value.values()) <= 0:
        raise ValueError(must_be(key, "games with shares > 0", value))
    for game in value:
        if game != EVERY and rules(game).humbug:
            raise ValueError(must_be(key, "games with an open endgame", game))


def _reward(key: str, value: str) -> None:
    from german_whist.envs.engine.scoring import check_reward  # loads the compiler, which --help does without

    check_reward(value)


def typed(name: str, kind: Any, value: Any) -> Any:
    """Convert a value to the type of its setting; accepts NumPy scalars and integers written as 1e6.

    Raises:
        ValueError: if the value does not have that type.
    """
    if isinstance(value, (list, tuple, dict)) and any(hasattr(entry, "act") for entry in value):
        raise ValueError(
            f"{name}: a run saves agents by name, not as objects: give an import path, such as python:my_bot.py:Bot"
        )
    try:
        return _coerce(kind, value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(must_be(name, _KIND_NAMES[kind], value)) from None


def _coerce(kind: Any, value: Any) -> Any:
    if kind is str and isinstance(value, os.PathLike):
        return os.fspath(value)
    origin = typing.get_origin(kind)
    if origin is list:
        if not isinstance(value, (list, tuple)):
            raise TypeError
        return [_coerce(typing.get_args(kind)[0], as_spec(entry)) for entry in value]
    if origin is dict:
        if not isinstance(value, dict):
            raise TypeError
        return {_coerce(str, as_spec(name)): _coerce(float, entry) for name, entry in value.items()}
    if isinstance(value, (bool, np.bool_, np.ndarray)) or (kind is str and not isinstance(value, str)):
        raise TypeError
    if kind is str:
        return value
    if kind is int and is_whole_number(value):
        return int(value)
    number = float(value)  # YAML reads 1e6 as text
    if not math.isfinite(number):
        raise ValueError
    if kind is int:
        if number != int(number):
            raise ValueError
        return int(number)
    return number


_COUNT = within(1, MAX_NUMBER)
_COUNT_OR_NONE = within(0, MAX_NUMBER)
_POSITIVE = within(0, exclusive=True)


@dataclass(frozen=True)
class TrainConfig:
    """Settings that every trainer has.

    Raises:
        ValueError: if a value is not allowed; the message names the key.
    """

    TRAINER: ClassVar[str] = ""
    _opponents_decide: ClassVar[bool] = False  # whether opponents' decisions are steps of the rollout, too

    rules: str = setting(
        "classic",
        "the game: a preset, or a preset with changed settings, such as classic:hand=10,stock=32",
        _rules,
    )
    seed: int = setting(0, "seed of the deals, the initial weights and the sampled actions", within(0, MAX_SEED))
    decisions: int = setting(
        1_000_000, "decisions of the learner to train on; a rollout longer than the whole run is shortened", _COUNT
    )
    checkpoint_every: int = setting(250_000, "decisions between checkpoints", _COUNT)
    threads: int = setting(
        1, "CPU threads; 1 is fastest for small networks, 0 means one per core", within(0, MAX_THREADS)
    )
    device: str = setting("cpu", "torch device; small networks are fastest on cpu")
    opponents: dict[str, float] = setting(
        {SELF: 1.0},
        "opponents and their shares of the deals: self (policy_iteration then learns from both seats), pool (earlier "
        "checkpoints), or agents by name",
        _shares,
    )
    pool_size: int = setting(8, "number of checkpoints in the pool, the newest ones", _COUNT)
    num_envs: int = setting(128, "environments stepped in parallel, one deal in each", _COUNT)
    num_steps: int = setting(52, "decisions per environment in a rollout", _COUNT)
    hidden: list[int] = setting([256, 256], "sizes of the hidden layers", _sizes)
    # At least 2, because PPO normalises advantages over a minibatch.
    batch_size: int = setting(512, "decisions in a minibatch, that is, in a gradient step", within(2, MAX_NUMBER))
    epochs: int = setting(4, "passes over each rollout", _COUNT)
    learning_rate: float = setting(1e-3, "learning rate at the start of the run", _POSITIVE)
    learning_rate_end: float = setting(1e-4, "learning rate at the end; linear in between", within(0))
    evaluate_every: int = setting(250_000, "decisions between evaluations", _COUNT)
    evaluate_deals: int = setting(500, "mirrored deals in each match of an evaluation, the same every time", _COUNT)
    evaluate_against: list[str] = setting(["random", "greedy", "heuristic"], "agents to evaluate against", _some)
    final_deals: int = setting(2000, "mirrored deals in each match of the final evaluation", _COUNT)

    @property
    def shares(self) -> dict[str, float]:
        """The games to train on and their shares of the environments, which sum to 1."""
        return {self.rules: 1.0}

    @property
    def title(self) -> str:
        """The specification of the game, or the number of games."""
        return next(iter(self.shares)) if len(self.shares) == 1 else f"{len(self.shares)} games"

    @classmethod
    def of(cls, **settings: Any) -> Self:
        """Return a configuration with these settings and defaults for the rest.

        Raises:
            ValueError: if a key is unknown or a value is not allowed; the message names the key.
        """
        keys = setting_types(cls)
        for key in settings:
            if key not in keys:
                raise unknown_name_error("key", key, keys)
        trainer = settings.pop("trainer", cls.TRAINER)
        if trainer != cls.TRAINER:
            raise ValueError(must_be("trainer", cls.TRAINER, trainer))
        return cls(**settings)

    def replace(self, **settings: Any) -> Self:
        """Return a copy with some settings changed.

        Raises:
            ValueError: as :meth:`of`.
        """
        return self.of(**{**self.to_dict(), **settings})

    def __post_init__(self) -> None:
        """Convert every value to its type; reject values and combinations that cannot work."""
        types = setting_types(type(self))
        for entry in dataclasses.fields(self):
            object.__setattr__(self, entry.name, typed(entry.name, types[entry.name][0], getattr(self, entry.name)))
            for check in entry.metadata["checks"]:
                check(entry.name, getattr(self, entry.name))
        size = self.num_envs * self.num_steps
        if not self._fits_batches(size):
            fits = f"such that the last batch of num_envs * num_steps = {size} decisions holds more than one"
            raise ValueError(must_be("batch_size", fits, self.batch_size))
        for name in self.opponents:
            if name not in (SELF, POOL):
                self._check_agent("opponents", name, (SELF, POOL))
        for name in self.evaluate_against:
            self._check_agent("evaluate_against", name, ())

    def _fits_batches(self, size: int) -> bool:
        """Return whether every minibatch of a rollout of ``size`` decisions has at least two."""
        return size > 1 and size % min(self.batch_size, size) != 1

    def with_short_rollouts(self, processes: int = 1) -> Self:
        """Return a copy whose rollout is about as long as the run, if the run is shorter than one rollout.

        Args:
            processes: number of processes that train together.
        """
        total, alone = sum(self.opponents.values()), self.opponents.get(SELF, 0.0)
        # Share of the steps at which the learner decides: all in self-play, half against opponents that take steps.
        learner = (total + alone) / (2 * total) if self._opponents_decide else 1.0
        of_env = self.num_steps * processes * learner  # the learner's decisions in a rollout, per environment
        if self.decisions >= self.num_envs * of_env:
            return self
        # Enough environments that rounding leaves one for every opponent in every game.
        least = math.floor((total / min(self.opponents.values()) + 1) / min(self.shares.values())) + 1
        envs = min(max(least, math.ceil(self.decisions / of_env)), self.num_envs)
        steps = self.num_steps
        if (envs - 1) * of_env > self.decisions:
            steps = math.ceil(self.decisions / (envs * processes * learner))
        for fitting in range(envs, self.num_envs + 1):
            if self._fits_batches(fitting * steps):
                return dataclasses.replace(self, num_envs=fitting, num_steps=steps)
        return self

    def _check_agent(self, key: str, name: str, also: tuple[str, ...]) -> None:
        if name.partition(":")[0].partition("+")[0] not in agent_names():
            raise unknown_name_error(f"agent in {key}", name, [*also, *agent_names()])
        try:
            # A missing file or a network for another game should fail now, not hours into the run.
            for game in self.shares:
                make_agent(name, game)
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from None

    def learning_rate_at(self, left: float) -> float:
        """Return the learning rate when a share ``left`` of the run remains, from 1 (start) to 0 (end)."""
        return _linear(self.learning_rate, self.learning_rate_end, left)

    def to_yaml(self) -> str:
        """Return the settings as YAML, which :func:`load_config` reads back unchanged."""
        return yaml.safe_dump(self.to_dict(), sort_keys=False, allow_unicode=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the trainer and its settings."""
        return {"trainer": self.TRAINER, **dataclasses.asdict(self)}


@dataclass(frozen=True)
class PolicyIterationConfig(TrainConfig):
    """Settings of ``trainer: policy_iteration``."""

    TRAINER: ClassVar[str] = "policy_iteration"
    _opponents_decide: ClassVar[bool] = True

    num_envs: int = with_default("num_envs", 2048)
    num_steps: int = with_default("num_steps", 26)  # the foreplay of classic
    batch_size: int = with_default("batch_size", 1024)
    epochs: int = with_default("epochs", 1)
    learning_rate: float = with_default("learning_rate", 2e-3)
    learning_rate_end: float = with_default("learning_rate_end", 1e-5)
    games: dict[str, float] = setting(
        {},
        "train one network on several games, instead of rules: shares of the environments, as {classic: 2, small: 1}; "
        "every stands for all presets with an open endgame, weighted by the length of the foreplay",
        _games,
    )
    processes: int = setting(
        1,
        "processes that train together, data-parallel; num_envs, batch_size and threads are per process",
        within(1, MAX_THREADS),
    )
    init: str = setting("", "pretrained agent or checkpoint file to start from; it also sets the layer sizes")
    inputs: str = setting(
        OBSERVATION,
        "encoding that the network reads: observation (one game) or universal (every game with an open endgame)",
        one_of(*INPUTS),
    )
    suit_layers: int = setting(
        0,
        "hidden layers at the start, and as many at the end, that process each suit separately with shared weights",
        _COUNT_OR_NONE,
    )
    ema_horizon: int = setting(
        500_000, "horizon of the moving average (EMA) of the weights, in decisions; 0: no averaging", _COUNT_OR_NONE
    )
    value_hidden: list[int] = setting([512, 256], "sizes of the value network's hidden layers", _sizes)
    value_lambda: float = setting(
        0.9,
        "lambda of the value network's targets, Watkins's Q(lambda): 0 bootstraps at once, 1 as late as possible",
        within(0, 1),
    )
    lookahead: int = setting(
        1, "the target of an action is the mean value at this many of the seat's next decisions", within(1, 52)
    )
    lookahead_start: int = setting(0, "decisions after which lookahead takes effect; 1 until then", _COUNT_OR_NONE)
    stock_rotations: int = setting(
        1, "orders of the unseen cards in which each action is tried; more reduce the targets' variance", within(1, 52)
    )
    margin_tanh_scale: float = setting(
        0.0, "scale, in tricks, of squashed margins: scale * tanh(margin / scale); 0: not squashed", within(0)
    )
    value_deals: int = setting(
        16_384,
        "self-play deals to fit the final checkpoint's value network to; 0: no value network",
        _COUNT_OR_NONE,
    )

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

    def __post_init__(self) -> None:
        """Also reject combinations that only this trainer's settings can have."""
        super().__post_init__()
        if len(self.shares) > 1 and self.inputs != UNIVERSAL:
            raise ValueError(must_be("inputs", f"{UNIVERSAL} in a network for several games", self.inputs))
        if self.suit_layers and len(self.hidden) <= 2 * self.suit_layers:
            raise ValueError(
                f"hidden: {self.hidden} is too short for suit_layers: {self.suit_layers}: "
                f"at least {2 * self.suit_layers + 1} sizes, or suit_layers: 0"
            )
        if self.suit_layers and len(self.value_hidden) <= self.suit_layers:
            raise ValueError(
                f"value_hidden: {self.value_hidden} is too short for suit_layers: {self.suit_layers}: "
                f"at least {self.suit_layers + 1} sizes, or suit_layers: 0"
            )


def every_game() -> dict[str, float]:
    """Return the presets with an open endgame and their shares, one preset of those that differ only in scoring.

    Shares are proportional to the length of the foreplay, doubled for ``high_low``, which is two games in one.
    """
    weights: dict[str, float] = {}
    seen = set()
    for name in rule_names():
        game = rules(name)
        plays = dataclasses.replace(game, points="difference", book=None, slam=0)
        if not game.humbug and plays not in seen:
            seen.add(plays)
            weights[name] = float(game.stock * (1 + game.high_low))
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


@dataclass(frozen=True)
class SB3Config(TrainConfig):
    """Settings of ``trainer: sb3``."""

    TRAINER: ClassVar[str] = "sb3"

    reward: str = setting("margin", "reward: margin (paid trick by trick), win or points, scaled to at most 1", _reward)
    ent_coef: float = setting(0.01, "entropy coefficient at the start of the run", within(0))
    ent_coef_end: float = setting(0.001, "entropy coefficient at the end; linear in between", within(0))

    def ent_coef_at(self, left: float) -> float:
        """Return the entropy coefficient when a share ``left`` of the run remains, from 1 (start) to 0 (end)."""
        return _linear(self.ent_coef, self.ent_coef_end, left)


def _linear(start: float, end: float, left: float) -> float:
    return end + (start - end) * max(left, 0.0)


TRAINERS: dict[str, type[TrainConfig]] = {kind.TRAINER: kind for kind in (SB3Config, PolicyIterationConfig)}
_TRAINER_HELP = "algorithm: policy_iteration (regression on action values) or sb3 (MaskablePPO of sb3-contrib)"


DEFAULT_TRAINER = PolicyIterationConfig.TRAINER


def setting_types(kind: type[TrainConfig]) -> dict[str, tuple[Any, str]]:
    """Return the type and the help text of each setting of a trainer, by name."""
    hints = typing.get_type_hints(kind)
    entries = {entry.name: (hints[entry.name], entry.metadata["help"]) for entry in dataclasses.fields(kind)}
    return {"trainer": (str, _TRAINER_HELP), **entries}


def setting_defaults(kind: type[TrainConfig]) -> dict[str, str]:
    """Return the default of each setting of a trainer as it is written in YAML, by name."""
    made = {
        entry.name: entry.default if entry.default_factory is dataclasses.MISSING else entry.default_factory()
        for entry in dataclasses.fields(kind)
    }
    return {"trainer": DEFAULT_TRAINER, **{name: _shown(value) for name, value in made.items()}}


def _shown(value: Any) -> str:
    if value in ("", {}):
        return "none"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {share:g}' for name, share in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(str, value))}]"
    return f"{value:_}" if isinstance(value, int) and value >= 10_000 else f"{value}"
