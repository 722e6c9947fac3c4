"""Names and settings that users type: suggestions for typos, ``key=value``, YAML."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any


def unknown_name_error(kind: str, given: object, allowed: Iterable[str]) -> ValueError:
    """Return the error for an unknown name; it shows the name, the nearest one and all."""
    names = [str(name) for name in allowed]
    near = difflib.get_close_matches(str(given), names, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return ValueError(f"unknown {kind} {str(given)!r}: {hint}allowed: {', '.join(names) or 'none'}")


def split_settings(settings: str, kind: str) -> dict[str, str]:
    """Split ``"key=value,key=value"``, which may be empty.

    Args:
        settings: the settings.
        kind: the kind of thing named, for errors.

    Raises:
        ValueError: if one is not ``key=value``, or a key appears twice.
    """
    split: dict[str, str] = {}
    for item in re.split(r",(?=\w+=)", settings) if settings else []:  # values may have commas: paths have
        key, _, value = item.partition("=")
        if not key or not value:
            raise ValueError(f"{kind}: {item!r} is not key=value")
        if key in split:
            raise ValueError(f"{kind}: {key!r} is set twice")
        split[key] = value
    return split


def parse_yaml(text: str | bytes, source: object) -> Any:
    """Return what YAML says.

    Args:
        text: the YAML; as bytes, its encoding is checked, too.
        source: what to call it in errors.

    Raises:
        ValueError: if it is not YAML of plain values.
    """
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"{source}: {' '.join(str(error).split())}") from None
    except Exception as error:  # PyYAML's own, of any type, for text such as ``!!bool x`` or ``2020-13-45``
        raise ValueError(f"{source}: not a value in YAML ({type(error).__name__}: {error})") from None
