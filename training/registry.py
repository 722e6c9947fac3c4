"""The trainers by name: a new one is a line of ``TRAINERS``."""

from __future__ import annotations

import inspect
import pkgutil
import typing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from german_whist.game.utils.libraries import explained
from german_whist.game.utils.names import unknown_name_error
from german_whist.training.config import PYTHON, TrainConfig
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


def trainer_config(name: str) -> type[TrainConfig]:
    """Return the class of a trainer's settings.

    Raises:
        ValueError: if there is no such trainer.
    """
    if name.startswith(PYTHON):
        return trainer_class(name).config_class
    if name not in TRAINERS:
        raise unknown_name_error("trainer", name, TRAINERS)
    return TRAINERS[name].config


def trainer_spec(trainer: type[Trainer[Any]]) -> str:
    """Return ``python:FILE:CLASS`` of a class of this process.

    Raises:
        ValueError: if it is not in a file, as in a notebook's cell.
    """
    try:
        name = f"{PYTHON}{Path(inspect.getfile(trainer)).resolve()}:{trainer.__qualname__}"
    except (OSError, TypeError):
        raise ValueError(f"trainer {trainer.__qualname__} must be in a file, which a run keeps a copy of") from None
    _classes[name] = trainer
    return name


_classes: dict[str, type[Trainer[Any]]] = {}  # keys: names; a run loads the code of its trainer once


def forget_trainers() -> None:
    """Forget the classes of earlier runs, whose files may have changed since."""
    _classes.clear()


def trainer_class(name: str) -> type[Trainer[Any]]:
    """Return a trainer's class, importing the libraries that it needs.

    Raises:
        ModuleNotFoundError: if one is not installed.
        ValueError: if ``python:FILE:CLASS`` is no trainer, or its code raises an exception.
    """
    if name.startswith(PYTHON):
        from german_whist.agents.external_agents import load_trainer
        from german_whist.training.loop import Trainer

        if name not in _classes:
            loaded = load_trainer(name)
            if not issubclass(loaded, Trainer):
                raise ValueError(f"trainer {name!r} must be a subclass of {Trainer.__module__}.Trainer")
            _classes[name] = loaded
        return _classes[name]
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
