"""Recipes and configuration files: how the settings of a run are read, given in a call and checked."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from german_whist.agents.external_agents import split_python
from german_whist.agents.registry import agent_names, as_spec, make_agent
from german_whist.game.utils.names import parse_yaml, split_settings, unknown_name_error
from german_whist.training.config import POOL, PYTHON, SELF, TrainConfig
from german_whist.training.opponents import opponent
from german_whist.training.registry import DEFAULT_TRAINER, trainer_config

DEFAULT_RECIPE = "quickstart"


def recipe_names() -> tuple[str, ...]:
    """Return the names of the recipes that come with the package."""
    folder = resources.files("german_whist.configs")
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".yaml")))


def load_config(source: str | Path, settings: Mapping[str, Any] | None = None) -> TrainConfig:
    """Read training settings, and check that their agents can be made.

    Args:
        source: a YAML file, the name of a recipe in the package (``"quickstart"``), or a trainer of the user's own,
            ``"python:mine.py:Trainer,entropy=0.1"``, with some of its settings.
        settings: values for some keys, as Python objects or as YAML text, in which lists may lack their brackets, as
            ``64,64``. ``rules`` replaces the source's ``games``, and a ``hidden`` or ``value_hidden`` that is too short
            for the source's ``suit_layers`` lowers it.

    Raises:
        ValueError: if the file is missing or not a YAML mapping, a key is unknown or a value is not allowed.
    """
    read = _read(source)
    given = {key: _parsed(key, value) for key, value in (settings or {}).items()}
    trainer = str(given.get("trainer", read.get("trainer", DEFAULT_TRAINER)))
    if trainer.startswith(PYTHON) and "trainer" not in given and not str(source).startswith(PYTHON):
        # The file may be someone else's, such as that of a run they sent.
        raise ValueError(f"{source}: trainer: {trainer!r} runs code: name it on the command line")
    kind = trainer_config(trainer)
    for key in {**read, **given}:
        if key not in kind.model_fields:
            raise unknown_name_error(f"setting of trainer {trainer}", str(key), kind.model_fields)
    values = kind.completed(_without_paths(read), _without_paths(given)) | {"trainer": trainer}
    try:
        config = kind(**values)
    except ValidationError as error:
        first = error.errors()[0]
        own = first.get("ctx", {}).get("error")  # error of a validator above
        message = str(own) if own else f"{first['msg']}, got {first['input']!r}"
        raise ValueError(": ".join(map(str, (source, *first["loc"], message)))) from None
    _check_agents(config, source, given)
    return config


def run_name(source: str | Path) -> str:
    """Return the name of a run: that of the recipe, or of the file without its suffix."""
    text = str(source)
    return Path(split_python(text.removeprefix(PYTHON))[0] if text.startswith(PYTHON) else text).stem


def load_run_config(path: Path, settings: Mapping[str, Any] | None = None) -> TrainConfig:
    """Read the settings of a run that goes on.

    Args:
        path: the run's ``config.yaml``.
        settings: new values of some settings, as for :func:`load_config`.

    Raises:
        ValueError: if the file is damaged, or a setting is not allowed or cannot change within a run.
    """
    before = parse_yaml(path.read_bytes(), path)
    if not before:
        raise ValueError(f"{path} is damaged: it is empty")
    given = dict(settings or {})
    if str(before.get("trainer")).startswith(PYTHON):  # the run's folder has a copy, which is trusted
        source, _, name = before["trainer"].removeprefix(PYTHON).rpartition(":")
        file = path.parent / source
        before["trainer"] = f"{PYTHON}{file if file.is_file() else source}:{name}"
        given.setdefault("trainer", before["trainer"])
    config = load_config(path, given)
    now = config.model_dump()
    for key in config.fixed:
        if now[key] != before.get(key):
            raise ValueError(f"{key} cannot change within a run: it is {before.get(key)!r}, got {now[key]!r}")
    return config


def _parsed(key: str, value: Any) -> Any:
    """Return a setting of the command line or of a call."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, str) and key not in ("rules", "init", "device", "trainer"):
        if key in ("hidden", "value_hidden", "evaluate_against") and not value.startswith("["):
            # Commas separate entries, except before ``key=``, which is a setting of the agent before it.
            value = re.split(r",(?!\s*[a-z_]+=)\s*", value)
        else:
            value = parse_yaml(value, key)
    return value


def _without_paths(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings in which the paths of agents are specifications."""
    values = dict(settings)
    names, shares = values.get("evaluate_against"), values.get("opponents")
    if isinstance(names, (list, tuple)):
        values["evaluate_against"] = [as_spec(name) for name in names]
    if isinstance(shares, Mapping):
        values["opponents"] = {name if name in (SELF, POOL) else as_spec(name): shares[name] for name in shares}
    return values


def _read(source: str | Path) -> dict[str, Any]:
    """Return the settings in a YAML file or a recipe."""
    path = Path(source)
    if str(source).startswith(PYTHON):
        file, name, rest = split_python(str(source).removeprefix(PYTHON))
        trainer = f"{PYTHON}{file}:{name}" if name else str(source)
        given = split_settings(rest, f"trainer {trainer!r}")
        return {"trainer": trainer, **{key: _parsed(key, value) for key, value in given.items()}}
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
                make_agent(opponent(name) if also else name, game)
