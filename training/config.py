"""The settings of a training run: their defaults, limits and meaning, and how they are read.

Each field is one setting; its name is the YAML key and the command-line option. Where CleanRL has the same setting, it
has the same name here.
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
import typing
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    ValidationError,
    field_validator,
    model_validator,
)

from german_whist.agents.policy.network.layers import UNIVERSAL
from german_whist.agents.registry import agent_names, as_spec, make_agent
from german_whist.game.rules import rule_names, rules
from german_whist.game.utils.names import parse_yaml, unknown_name_error

MAX_NUMBER = 10**12  # limit of integers: more than any machine could train on or hold
MAX_SEED = 2**32 - 1  # the largest of np.random.seed, which Stable-Baselines3 calls
SELF, POOL = "self", "pool"  # opponents other than named agents: the learner itself, and its earlier checkpoints
EVERY = "every"


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


class TrainConfig(BaseModel):
    """Settings that every trainer has.

    Raises:
        pydantic.ValidationError: a ``ValueError``, if a value is not allowed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    _opponents_decide: ClassVar[bool] = False  # whether opponents' decisions are steps of the rollout, too

    trainer: str = Field(
        "", description="algorithm: policy_iteration (regression on action values) or sb3 (MaskablePPO of sb3-contrib)"
    )
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
        return _linear(self.learning_rate, self.learning_rate_end, left)

    def to_yaml(self) -> str:
        """Return the settings as YAML, which :func:`load_config` reads back unchanged."""
        return yaml.safe_dump(self.model_dump(), sort_keys=False, allow_unicode=True)


class PolicyIterationConfig(TrainConfig):
    """Settings of ``trainer: policy_iteration``."""

    _opponents_decide: ClassVar[bool] = True

    trainer: Literal["policy_iteration"] = "policy_iteration"
    num_envs: Count = 2048
    num_steps: Count = 26  # the foreplay of classic
    batch_size: Count = 1024
    epochs: Count = 1
    learning_rate: Share = 2e-3
    learning_rate_end: Rate = 1e-5
    evaluate_against: Names = ["random+exact", "greedy+exact", "heuristic+exact"]  # matches have exact endgames
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


class SB3Config(TrainConfig):
    """Settings of ``trainer: sb3``."""

    trainer: Literal["sb3"] = "sb3"
    reward: Literal["margin", "win", "points"] = Field(
        "margin", description="reward at the end of a deal: margin, win or points, scaled to at most 1"
    )
    ent_coef: Rate = Field(0.01, description="entropy coefficient at the start of the run")
    ent_coef_end: Rate = Field(0.001, description="entropy coefficient at the end; linear in between")

    def ent_coef_at(self, left: float) -> float:
        """Return the entropy coefficient when a share ``left`` of the run remains, from 1 (start) to 0 (end)."""
        return _linear(self.ent_coef, self.ent_coef_end, left)


def _linear(start: float, end: float, left: float) -> float:
    return end + (start - end) * max(left, 0.0)


DEFAULT_TRAINER = "policy_iteration"
TRAINERS: dict[str, type[TrainConfig]] = {DEFAULT_TRAINER: PolicyIterationConfig, "sb3": SB3Config}


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


class Setting(typing.NamedTuple):
    """A setting as the documentation and the command line show it.

    Attributes:
        kind: its type.
        default: its default as YAML.
        text: its meaning.
    """

    kind: Any
    default: str
    text: str


def settings_of(kind: type[TrainConfig]) -> dict[str, Setting]:
    """Return the settings of a trainer by name."""
    found = {}
    for name, field in kind.model_fields.items():
        text = field.description or TrainConfig.model_fields[name].description or ""
        found[name] = Setting(field.annotation, _shown(field.get_default()), text)
    return {**found, "trainer": found["trainer"]._replace(default=DEFAULT_TRAINER)}


def _shown(value: Any) -> str:
    if value in ("", {}):
        return "none"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {share:g}' for name, share in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(str, value))}]"
    return f"{value:_}" if isinstance(value, int) and value >= 10_000 else f"{value}"


def recipe_names() -> tuple[str, ...]:
    """Return the names of the recipes that come with the package."""
    folder = resources.files("german_whist.configs")
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".yaml")))


def load_config(source: str | Path, settings: Mapping[str, Any] | None = None) -> TrainConfig:
    """Read training settings, and check that their agents can be made.

    Args:
        source: a YAML file, or the name of a recipe in the package (``"quickstart"``).
        settings: values for some keys, as Python objects or as YAML text, in which lists may lack their brackets, as
            ``64,64``. ``rules`` replaces the source's ``games``, and a ``hidden`` or ``value_hidden`` that is too short
            for the source's ``suit_layers`` lowers it.

    Raises:
        ValueError: if the file is missing or not a YAML mapping, a key is unknown or a value is not allowed.
    """
    read = _read(source)
    given = {key: _parsed(key, value) for key, value in (settings or {}).items()}
    trainer = given.get("trainer", read.get("trainer", DEFAULT_TRAINER))
    if not isinstance(trainer, str) or trainer not in TRAINERS:
        raise unknown_name_error("trainer", trainer, TRAINERS)
    kind = TRAINERS[trainer]
    for key in {**read, **given}:
        if key not in kind.model_fields:
            raise unknown_name_error(f"setting of trainer {trainer}", str(key), kind.model_fields)
    if "rules" in given:
        read.pop("games", None)  # which would take precedence over the game asked for
    values = {key: _without_paths(key, value) for key, value in {**read, **given}.items()} | {"trainer": trainer}
    if values.get("init") and isinstance(values["init"], str):
        # Settings of the source describe another network if `init` is newly given.
        fixed = given if given.get("init") else values
        if not {"hidden", "inputs", "suit_layers", "value_hidden"} <= fixed.keys():  # as those of a run's folder are
            values |= {key: value for key, value in _layers_of(values["init"]).items() if key not in fixed}
    elif "suit_layers" in read and "suit_layers" not in given and given.keys() & {"hidden", "value_hidden"}:
        values["suit_layers"] = _fitting_suit_layers(values)
    try:
        config = kind(**values)
    except ValidationError as error:
        first = error.errors()[0]
        own = first.get("ctx", {}).get("error")  # error of a validator above
        message = str(own) if own else f"{first['msg']}, got {first['input']!r}"
        raise ValueError(": ".join(map(str, (source, *first["loc"], message)))) from None
    _check_agents(config, source, given)
    return config


def _parsed(key: str, value: Any) -> Any:
    """Return a setting of the command line or of a call."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, str) and key not in ("rules", "init", "device"):
        if key in ("hidden", "value_hidden", "evaluate_against") and not value.startswith("["):
            # Commas separate entries, except before ``key=``, which is a setting of the agent before it.
            value = re.split(r",(?!\s*[a-z_]+=)\s*", value)
        else:
            value = parse_yaml(value, key)
    return value


def _without_paths(key: str, value: Any) -> Any:
    """Return a setting in which the paths of agents are specifications."""
    if key == "evaluate_against" and isinstance(value, (list, tuple)):
        return [as_spec(entry) for entry in value]
    if key == "opponents" and isinstance(value, Mapping):
        return {name if name in (SELF, POOL) else as_spec(name): share for name, share in value.items()}
    return value


def _read(source: str | Path) -> dict[str, Any]:
    """Return the settings in a YAML file or a recipe."""
    path = Path(source)
    if path.is_file():
        text = path.read_bytes()
    elif str(source) in recipe_names():
        text = (resources.files("german_whist.configs") / f"{source}.yaml").read_bytes()
    else:
        raise unknown_name_error("configuration (no such file)", str(source), recipe_names())
    found = parse_yaml(text, source) or {}
    if not isinstance(found, dict):
        raise ValueError(f"{source} must be a mapping of keys to values, got {type(found).__name__}")
    return found


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


def _check_agents(config: TrainConfig, source: str | Path, given: Mapping[str, Any]) -> None:
    """Make every agent: a missing file or a network for another game should fail now, not hours into the run."""
    for key, names in (("opponents", config.opponents), ("evaluate_against", config.evaluate_against)):
        also = (SELF, POOL) if key == "opponents" else ()
        for name in names:
            if name in also:
                continue
            # The file may be someone else's, such as that of a run they sent.
            if key not in given and name.startswith("python:"):
                raise ValueError(f"{source}: {key}: {name!r} runs code: name it on the command line, --{key}")
            if also and name.isidentifier() and name not in agent_names():  # a misspelt self or pool
                raise unknown_name_error(f"agent in {key}", name, [*also, *agent_names()])
            for game in config.shares:
                make_agent(name, game)
