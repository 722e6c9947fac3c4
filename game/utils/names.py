"""Names and settings that users type: suggestions for typos, ``key=value``."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


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
    for item in settings.split(",") if settings else []:
        key, _, value = item.partition("=")
        if not key or not value:
            raise ValueError(f"{kind}: {item!r} is not key=value")
        if key in split:
            raise ValueError(f"{kind}: {key!r} is set twice")
        split[key] = value
    return split
