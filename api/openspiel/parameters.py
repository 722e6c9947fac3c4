"""Rules as game parameters of OpenSpiel, and back.

OpenSpiel's notation ``name(key=value,key=value)`` does not allow ``=`` or ``,`` inside a value, so the settings
of ``tiny:ranks=3,stock=2`` are parameters of their own: ``python_german_whist(rules=tiny,ranks=3,stock=2)``. Every
parameter has a type and a default; a setting at its default is the preset's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from german_whist.envs.engine.rules import Rules, rule_names, rules, rules_from_dict
from german_whist.envs.engine.scoring import check_reward
from german_whist.envs.utils.specs import shown
from german_whist.openspiel.deal import Setup

_AS_IN_PRESET: dict[type, Any] = {int: -1, bool: False, str: ""}


def _defaults() -> dict[str, Any]:
    classic = rules("classic")
    fields = {field.name: getattr(classic, field.name) for field in dataclasses.fields(Rules)}
    # Among the fields of the classic game only book is None, a number elsewhere.
    return {name: _AS_IN_PRESET[int if value is None else type(value)] for name, value in fields.items()}


SETTINGS = _defaults()
SPECIFICATION = {"rules": "classic", "reward": "margin", "dealer": 1, **SETTINGS}


def setup_of(parameters: Mapping[str, Any]) -> Setup:
    """Return the setup that game parameters describe.

    Args:
        parameters: ``rules`` (a preset; from Python also with settings, as ``"tiny:ranks=3,stock=2"``), ``reward``,
            ``dealer`` and the fields of ``Rules``; missing ones are at their defaults.

    Raises:
        ValueError: if a value is not allowed.
    """
    given = {**SPECIFICATION, **parameters}
    base = rules(given["rules"])
    settings = {name: given[name] for name, default in SETTINGS.items() if given[name] != default}
    check_reward(given["reward"])
    if given["dealer"] not in (0, 1):
        raise ValueError(f"dealer {shown(given['dealer'])} is not allowed: 0 or 1")
    changed = rules_from_dict({**base.to_dict(), **settings}) if settings else base
    return Setup(changed, int(given["dealer"]), given["reward"])


def parameters_of(setup: Setup) -> dict[str, Any]:
    """Return the shortest game parameters of a setup: the preset nearest to its rules, and what differs.

    Raises:
        ValueError: if no preset has a setting that game parameters cannot change (``draft=false`` and the like).
    """
    best: dict[str, Any] | None = None
    wanted = setup.rules.to_dict()
    for name in ("classic", *rule_names()):
        preset = rules(name).to_dict()
        settings = {key: value for key, value in wanted.items() if value != preset[key]}
        if any(value is None or value == SETTINGS[key] for key, value in settings.items()):
            continue  # these values mean "as in the preset"
        if best is None or len(settings) + 1 < len(best):
            best = {"rules": name, **settings}
    if best is None:
        raise ValueError(f"no game parameters describe the rules {wanted}")
    others = {"reward": setup.reward, "dealer": setup.dealer}
    return best | {key: value for key, value in others.items() if value != SPECIFICATION[key]}
