"""Training settings: one dataclass, read from YAML and overridden from the command line."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from german_whist.agents.registry import KINDS, make_agent
from german_whist.envs.names import unknown_name
from german_whist.envs.rules import rules

OWN_OPPONENTS = ("self", "pool")
LARGEST = 10**12  # of whole numbers; more than any machine could train on or hold
LARGEST_SEED = 2**32 - 1  # numpy takes no larger one

_KIND_NAMES: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "a name",
    bool: "true or false",
    list[int]: "a list of whole numbers, as [256, 256],",
    list[str]: "a list of names, as [random, greedy],",
    dict[str, float]: "a mapping of names to shares, as {self: 0.8, heuristic: 0.2},",
}


def _setting(default: Any, text: str) -> Any:
    """Declare a field with its default and the help that the command line shows."""
    if isinstance(default, (list, dict)):
        return field(default_factory=lambda: type(default)(default), metadata={"help": text})
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True)
class TrainConfig:
    """Everything that a training run depends on. See each field's help for its meaning.

    Raises:
        ValueError: when a value is not allowed; the message names the key.
    """

    rules: str = _setting("classic", "the game: a preset, or a preset with settings as classic:hand=10,stock=32")
    reward: str = _setting("margin", "margin, win or points; scaled so that the largest is 1")
    per_trick: bool = _setting(True, "pay the margin as its tricks are taken, which adds up to the same")
    seed: int = _setting(0, "seed of the deals, the network and the sampling")
    decisions: int = _setting(1_000_000, "decisions of the learner to train on")
    opponents: dict[str, float] = _setting(
        {"self": 1.0}, "shares of the deals against self (both seats learn), pool (past selves) and agents by name"
    )
    pool_size: int = _setting(8, "past selves in the pool: the newest checkpoints")
    hidden: list[int] = _setting([256, 256], "sizes of the hidden layers")
    rows: int = _setting(128, "deals stepped together")
    steps: int = _setting(52, "decisions of each row in a rollout")
    batch_size: int = _setting(512, "decisions in a gradient step")
    epochs: int = _setting(4, "passes over each rollout")
    learning_rate: float = _setting(1e-3, "Adam's step size at the start")
    learning_rate_end: float = _setting(1e-4, "... and at the end; it falls linearly")
    entropy: float = _setting(0.01, "weight of the entropy bonus at the start")
    entropy_end: float = _setting(0.001, "... and at the end; it falls linearly")
    gamma: float = _setting(1.0, "discount from a seat's decision to its next")
    gae_lambda: float = _setting(0.95, "lambda of generalised advantage estimation")
    clip: float = _setting(0.2, "PPO's clipping range")
    value_weight: float = _setting(0.5, "weight of the value loss")
    max_grad_norm: float = _setting(0.5, "gradients are clipped to this norm")
    evaluate_every: int = _setting(250_000, "decisions between evaluations")
    evaluate_deals: int = _setting(500, "mirrored deals of each evaluation, the same every time")
    evaluate_against: list[str] = _setting(["random", "greedy", "heuristic"], "agents to be evaluated against")
    final_deals: int = _setting(2000, "mirrored deals of the evaluation at the end")
    checkpoint_every: int = _setting(250_000, "decisions between checkpoints")
    threads: int = _setting(1, "threads for the network: one is fastest for small ones, 0 for one a core")
    device: str = _setting("cpu", "torch device; small networks are fastest on cpu")

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        from german_whist.envs.scoring import check_reward  # loads the compiler, which --help does without

        rules(self.rules)
        check_reward(self.reward)
        if self.per_trick and self.reward != "margin":
            raise ValueError(f"per_trick: only the margin can be paid trick by trick; reward is {self.reward}")
        for key in ("decisions", "pool_size", "rows", "steps", "epochs"):
            self._check(key, 1, LARGEST)
        for key in ("evaluate_every", "evaluate_deals", "final_deals", "checkpoint_every"):
            self._check(key, 1, LARGEST)
        self._check("batch_size", 2, LARGEST)  # advantages are normalised over a batch
        rollout = self.rows * self.steps
        if rollout == 1 or rollout % min(self.batch_size, rollout) == 1:
            raise ValueError(
                f"batch_size: {self.batch_size} is not allowed: in a rollout of rows * steps = {rollout} decisions "
                "the last batch would hold a single one"
            )
        self._check("seed", 0, LARGEST_SEED)
        self._check("threads", 0, 1024)
        for key in ("learning_rate_end", "entropy", "entropy_end", "value_weight"):
            self._check(key, 0)
        for key in ("learning_rate", "clip", "max_grad_norm"):
            self._check(key, 0, exclusive=True)
        for key in ("gamma", "gae_lambda"):
            self._check(key, 0, 1)
        if not self.hidden or min(self.hidden) < 1 or max(self.hidden) > LARGEST:
            raise ValueError(f"hidden: {self.hidden} is not allowed: at least one layer, each from 1 to {LARGEST}")
        if not self.opponents or min(self.opponents.values()) <= 0:
            raise ValueError(f"opponents: {self.opponents} is not allowed: names with shares above 0")
        for name in self.opponents:
            if name not in OWN_OPPONENTS:
                self._check_agent("opponents", name, OWN_OPPONENTS)
        if not self.evaluate_against:
            raise ValueError("evaluate_against: [] is not allowed: at least one agent is needed")
        for name in self.evaluate_against:
            self._check_agent("evaluate_against", name, ())

    def _check(self, key: str, low: float, high: float = float("inf"), *, exclusive: bool = False) -> None:
        value = getattr(self, key)
        if not low <= value <= high or (exclusive and value == low):
            bounds = f"above {low}" if exclusive else f"from {low}" + (f" to {high}" if high < float("inf") else "")
            raise ValueError(f"{key}: {value} is not allowed: a number {bounds}")

    def _check_agent(self, key: str, name: str, also: tuple[str, ...]) -> None:
        if name.partition(":")[0] not in KINDS:
            raise unknown_name(f"agent in {key}", name, [*also, *KINDS])
        try:
            make_agent(name)  # a file that is missing shows now, not hours into the run
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from None

    def to_yaml(self) -> str:
        """Return the settings as YAML text that reads back to the same."""
        return yaml.safe_dump(dataclasses.asdict(self), sort_keys=False, allow_unicode=True)


def config_fields() -> dict[str, tuple[Any, str]]:
    """Return each key's type and help."""
    hints = typing.get_type_hints(TrainConfig)
    return {entry.name: (hints[entry.name], entry.metadata["help"]) for entry in dataclasses.fields(TrainConfig)}


def recipe_names() -> tuple[str, ...]:
    """Return the names of the recipes in the package."""
    folder = resources.files("german_whist.configs")
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".yaml")))


def load_config(source: str | Path, overrides: Mapping[str, str] | None = None) -> TrainConfig:
    """Read training settings.

    Args:
        source: a YAML file, or the name of a recipe in the package (``"quickstart"``).
        overrides: values for some keys, as YAML text.

    Raises:
        ValueError: when the file is missing or no YAML mapping, a key is unknown or a value is not allowed; the message
            names the file and the key.
    """
    where = str(source)
    fields = _fields(where, _read(source))
    values = {str(key): _typed(where, key, value) for key, value in fields.items()}
    given = {key: _typed("command line", key, _parsed(key, text)) for key, text in (overrides or {}).items()}
    try:
        return TrainConfig(**{**values, **given})
    except ValueError as error:
        raise ValueError(f"{'command line' if given and _is_allowed(values) else where}: {error}") from None


def _is_allowed(values: Mapping[str, Any]) -> bool:
    try:
        TrainConfig(**values)
    except ValueError:
        return False
    return True


def _read(source: str | Path) -> str:
    try:
        return Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        # A folder may be called like a recipe, as the one that a run went to.
        if str(source) in recipe_names():
            return (resources.files("german_whist.configs") / f"{source}.yaml").read_text(encoding="utf-8")
        if isinstance(error, FileNotFoundError):
            raise unknown_name("configuration (no such file)", source, recipe_names()) from None
        reason = error.strerror if isinstance(error, OSError) else error
        raise ValueError(f"{str(source)!r} cannot be read: {reason}") from None


def _fields(where: str, text: str) -> dict[object, Any]:
    try:
        fields = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: an impossible date, as 2020-13-45
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        reason = " ".join(str(getattr(error, "problem", None) or error).split())
        raise ValueError(f"{where}{line}: not YAML: {reason}") from None
    if fields is None:
        return {}
    if not isinstance(fields, dict):
        raise ValueError(f"{where}: a mapping of keys to values is needed, not {type(fields).__name__}")
    return fields


def _parsed(key: str, text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        raise ValueError(f"command line: {key}: {text!r} is not a YAML value") from None


def _typed(where: str, key: object, value: Any) -> Any:
    """Return a value as its field's type; whole numbers may be written as 1e6 or 1_000_000."""
    fields = config_fields()
    if key not in fields:
        raise ValueError(f"{where}: {unknown_name('key', key, fields)}")
    kind = fields[str(key)][0]
    try:
        return _coerce(kind, value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{where}: {key}: {value!r} is not allowed: {_KIND_NAMES[kind]} is needed") from None


def _coerce(kind: Any, value: Any) -> Any:
    origin = typing.get_origin(kind)
    if origin is list:
        if not isinstance(value, list):
            raise TypeError
        return [_coerce(typing.get_args(kind)[0], entry) for entry in value]
    if origin is dict:
        if not isinstance(value, dict):
            raise TypeError
        return {_coerce(str, name): _coerce(float, entry) for name, entry in value.items()}
    if (kind is bool) != isinstance(value, bool) or (kind is str and not isinstance(value, str)):
        raise TypeError
    if kind in (str, bool) or (kind is int and isinstance(value, int)):
        return value
    number = float(value)  # YAML reads 1e6 as text
    if not math.isfinite(number):
        raise ValueError
    if kind is int:
        if number != int(number):
            raise ValueError
        return int(number)
    return number
