"""Names that users type: suggestions for typos, and the ``name:key=value`` specification grammar."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

MAX_SHOWN = 100  # characters of a value in an error
MAX_SPEC = 4096  # characters of a specification; the longest path of a file has as many


def short_repr(value: object) -> str:
    """Return the representation of a value for an error, shortened if it is long."""
    try:
        text = repr(value)
    except ValueError:  # a number of more digits than Python prints
        text = "a number of thousands of digits"
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def unknown_name_error(kind: str, given: object, allowed: Iterable[str]) -> ValueError:
    """Return the error for a name that does not exist: what was given, the nearest name, all names."""
    names = [str(name) for name in allowed]
    near = difflib.get_close_matches(str(given)[:MAX_SHOWN], names, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return ValueError(f"unknown {kind} {short_repr(str(given))}: {hint}allowed: {', '.join(names)}")


def split_spec(spec: str, kind: str) -> tuple[str, dict[str, str]]:
    """Split ``"name:key=value,key=value"`` into its name and settings.

    Args:
        spec: the specification string; the part after the first colon is optional.
        kind: what the specification names, for the error message.

    Raises:
        ValueError: if a setting is not ``key=value``, a key appears twice, or the specification is too long.
    """
    if len(spec) > MAX_SPEC:
        raise ValueError(f"{kind} {short_repr(spec)} has {len(spec)} characters: at most {MAX_SPEC} are allowed")
    name, _, rest = spec.partition(":")
    settings: dict[str, str] = {}
    for item in rest.split(",") if rest else []:
        key, equals, value = item.partition("=")
        if not equals or not key or not value:
            raise ValueError(f"{kind} {short_repr(spec)}: {short_repr(item)} is not key=value")
        if key in settings:
            raise ValueError(f"{kind} {short_repr(spec)}: {short_repr(key)} is set twice")
        settings[key] = value
    return name, settings


def no_settings(name: str, settings: str) -> None:
    """Refuse settings of an agent that has none.

    Raises:
        ValueError: when there is one.
    """
    for key in split_spec(f"{name}:{settings}", "agent")[1]:
        raise ValueError(f"agent {name!r} takes no settings, {short_repr(key)} was given")


def read_settings(name: str, settings: str, readers: Mapping[str, Callable[[str], object]]) -> dict[str, Any]:
    """Return an agent's settings, converted, from the part of its specification after the colon.

    Args:
        name: the agent's name, for the error messages.
        settings: ``"key=value,key=value"`` or empty.
        readers: the allowed keys, each with ``int``, ``float`` or ``str``.

    Raises:
        ValueError: if a setting is unknown, given twice, or no number where one is needed.
    """
    values: dict[str, Any] = {}
    for key, text in split_spec(f"{name}:{settings}", "agent")[1].items():
        if key not in readers:
            raise unknown_name_error(f"{name} setting", key, readers)
        try:
            values[key] = readers[key](text)
        except ValueError:
            kind = "whole number" if readers[key] is int else "number"
            raise ValueError(f"{key} {short_repr(text)} is not a {kind}") from None
    return values
