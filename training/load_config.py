"""Training settings, read from YAML and overridden by the command line."""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from german_whist.envs.utils.specs import short_repr, unknown_name_error
from german_whist.training.config import DEFAULT_TRAINER, TRAINERS, TrainConfig, setting_types, typed

COMMAND_LINE = "command line"  # its name in error messages


def config_fields(kind: type[TrainConfig] | None = None) -> dict[str, tuple[Any, str]]:
    """Return the type and the help text of each key, for one trainer or for all."""
    if kind is not None:
        return setting_types(kind)
    return {key: entry for trainer in TRAINERS.values() for key, entry in setting_types(trainer).items()}


def recipe_names() -> tuple[str, ...]:
    """Return the names of the recipes that come with the package."""
    folder = resources.files("german_whist.configs")
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".yaml")))


def load_config(
    source: str | Path, overrides: Mapping[str, Any] | None = None, given_by: str = COMMAND_LINE
) -> TrainConfig:
    """Read training settings.

    Args:
        source: a YAML file, or the name of a recipe in the package (``"quickstart"``).
        overrides: values for some keys, as Python objects or as YAML text, in which lists may lack their brackets, as
            ``64,64``. ``rules`` replaces the source's ``games``, and a ``hidden`` or ``value_hidden`` that is too short
            for the source's ``suit_layers`` lowers it.
        given_by: name of the overrides' source in error messages.

    Raises:
        ValueError: if the file is missing or not a YAML mapping, a key is unknown or a value is not allowed; the
            message names the file and the key.
    """
    where = str(source)
    fields = _fields(where, _read(source))
    parsed = {key: _parsed(given_by, key, value) for key, value in (overrides or {}).items()}
    trainer = parsed.get("trainer", fields.get("trainer", DEFAULT_TRAINER))
    kind = _trainer(given_by if "trainer" in parsed else where, trainer)
    values = {str(key): _typed(where, kind, key, value) for key, value in fields.items()}
    given = {key: _typed(given_by, kind, key, _listed(kind, key, value)) for key, value in parsed.items()}
    _refuse_code(where, {key: value for key, value in values.items() if key not in given})
    values["trainer"] = trainer
    if "rules" in given:
        values.pop("games", None)  # which would take precedence over the game asked for
    _take_from_network(where, kind, values, given, given_by)
    _lower_suit_layers(values, given)
    try:
        return kind.of(**{**values, **given})
    except ValueError as error:
        raise ValueError(f"{given_by if given and _is_allowed(kind, values) else where}: {error}") from None


def _refuse_code(where: str, values: Mapping[str, Any]) -> None:
    """Reject agents that run code if a file names them: it may be someone else's, such as that of a run they sent.

    Raises:
        ValueError: if the file names one.
    """
    for key in ("opponents", "evaluate_against"):
        for name in values.get(key, ()):
            if name.startswith("python:"):
                raise ValueError(f"{where}: {key}: {short_repr(name)} runs code: name it on the command line, --{key}")


def _trainer(where: str, trainer: object) -> type[TrainConfig]:
    if not isinstance(trainer, str) or trainer not in TRAINERS:
        raise ValueError(f"{where}: {unknown_name_error('trainer', trainer, TRAINERS)}")
    return TRAINERS[trainer]


def _take_from_network(
    where: str, kind: type[TrainConfig], values: dict[str, Any], given: dict[str, Any], given_by: str
) -> None:
    """Take layer sizes and inputs from the network of ``init``, unless the file or the command line sets them.

    If all are set, as in a run's own config.yaml, the network need not exist any more.
    """
    level, place = (given, given_by) if given.get("init") else (values, where)
    taken = [
        key
        for key in ("hidden", "inputs", "suit_layers", "value_hidden")
        if key in config_fields(kind) and key not in level and key not in given
    ]
    if level.get("init") and taken:
        from german_whist.agents.pretrained import find_network  # imports numba, which --help avoids

        try:
            network = find_network(level["init"])
        except ValueError as error:
            raise ValueError(f"{place}: init: {error}") from None
        found = {
            "hidden": network.sizes[1:-1],
            "inputs": network.inputs,
            "suit_layers": network.suit_layers,
        }
        if network.value:
            found["value_hidden"] = network.value_sizes[1:-1]
        level.update({key: found[key] for key in taken if key in found})


def _lower_suit_layers(values: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Lower ``suit_layers`` to what fits into shorter networks from the command line."""
    both = {**values, **given}
    if "suit_layers" not in given and "suit_layers" in values and not both.get("init"):
        most = [values["suit_layers"]]
        if "hidden" in given:
            most.append((len(given["hidden"]) - 1) // 2)
        if "value_hidden" in given:
            most.append(len(given["value_hidden"]) - 1)
        values["suit_layers"] = max(min(most), 0)


def _is_allowed(kind: type[TrainConfig], values: Mapping[str, Any]) -> bool:
    try:
        kind.of(**values)
    except ValueError:
        return False
    return True


def _read(source: str | Path) -> str:
    try:
        return Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        # A folder may be called like a recipe, as the folder of its run often is.
        if str(source) in recipe_names():
            return (resources.files("german_whist.configs") / f"{source}.yaml").read_text(encoding="utf-8")
        if isinstance(error, FileNotFoundError):
            raise unknown_name_error("configuration (no such file)", source, recipe_names()) from None
        reason = error.strerror if isinstance(error, OSError) else error
        raise ValueError(f"{str(source)!r} cannot be read: {reason}") from None


def _fields(where: str, text: str) -> dict[object, Any]:
    try:
        fields = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"{where}: {' '.join(str(error).split())}") from None
    if fields is None:
        return {}
    if not isinstance(fields, dict):
        raise ValueError(f"{where} must be a mapping of keys to values, got {type(fields).__name__}")
    return fields


def _parsed(given_by: str, key: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return yaml.safe_load(value)
    except (yaml.YAMLError, ValueError):  # a date that does not exist
        raise ValueError(f"{given_by}: {key}: {short_repr(value)} is not a YAML value") from None


def _listed(kind: type[TrainConfig], key: str, value: Any) -> Any:
    """Split the value of a list setting that was written without brackets.

    Commas separate entries, except before ``key=``, which is a setting of the agent before it.
    """
    if typing.get_origin(config_fields(kind).get(key, (None,))[0]) is not list or type(value) not in (str, int):
        return value
    return re.split(r",(?![a-z_]+=)", str(value))


def _typed(where: str, kind: type[TrainConfig], key: object, value: Any) -> Any:
    """Convert a value to its setting's type; integers may be written as 1e6 or 1_000_000."""
    fields = config_fields(kind)
    if key not in fields and key in config_fields():
        (other,) = (name for name, other in TRAINERS.items() if key in config_fields(other))
        raise ValueError(f"{where}: {key}: only trainer: {other} has this setting, and this is {kind.TRAINER}")
    if key not in fields:
        raise ValueError(f"{where}: {unknown_name_error('key', key, fields)}")
    return typed(f"{where}: {key}", fields[str(key)][0], value)
