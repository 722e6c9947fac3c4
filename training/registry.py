"""The trainers by name: a new one is a line of ``TRAINERS``."""

from __future__ import annotations

import pkgutil
import typing
from typing import TYPE_CHECKING, Any

from german_whist.game.utils.libraries import explained
from german_whist.training.config import TrainConfig
from german_whist.training.policy_iteration.config import PolicyIterationConfig
from german_whist.training.sb3_config import SB3Config

if TYPE_CHECKING:
    from german_whist.training.loop import Trainer


class TrainerEntry(typing.NamedTuple):
    """What is known of a trainer without importing torch and its other libraries, which takes seconds.

    Attributes:
        config: its settings.
        address: module and name of its class.
        text: what it is.
    """

    config: type[TrainConfig]
    address: str
    text: str


DEFAULT_TRAINER = "policy_iteration"
_FOLDER = "german_whist.training"
TRAINERS = {
    "policy_iteration": TrainerEntry(
        PolicyIterationConfig, f"{_FOLDER}.policy_iteration.trainer:PolicyIteration", "regression on action values"
    ),
    "sb3": TrainerEntry(SB3Config, f"{_FOLDER}.sb3:SB3", "MaskablePPO of sb3-contrib"),
}


def trainer_class(name: str) -> type[Trainer[Any]]:
    """Return a trainer's class, importing the libraries that it needs.

    Raises:
        ModuleNotFoundError: if one is not installed.
    """
    try:
        found: type[Trainer[Any]] = pkgutil.resolve_name(TRAINERS[name].address)
    except ModuleNotFoundError as error:
        raise explained(error) from None
    return found


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


def trainer_settings(name: str) -> dict[str, Setting]:
    """Return the settings of a trainer by name."""
    found = {}
    for key, field in TRAINERS[name].config.model_fields.items():
        text = field.description or TrainConfig.model_fields[key].description or ""
        found[key] = Setting(field.annotation, _shown(field.get_default()), text)
    known = " or ".join(f"{each} ({entry.text})" for each, entry in TRAINERS.items())
    return {**found, "trainer": Setting(str, DEFAULT_TRAINER, f"algorithm: {known}")}


def _shown(value: Any) -> str:
    if value in ("", {}):
        return "none"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {share:g}' for name, share in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(str, value))}]"
    return f"{value:_}" if isinstance(value, int) and value >= 10_000 else f"{value}"
