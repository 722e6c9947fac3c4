"""Names that users type: suggestions for typos, and the ``name:key=value`` specification grammar."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MAX_SHOWN = 100  # characters of a value in an error
_WRITTEN_AS_POWER = 2**40  # from here on, errors write 2**N - 1 as such


def short_repr(value: object) -> str:
    """Return the representation of a value for an error, shortened if it is long."""
    try:
        text = repr(value)
    except ValueError:  # a number of more digits than Python prints
        text = "a number of thousands of digits"
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."


def count_text(count: float, noun: str) -> str:
    """Return ``1 trick``, ``2 tricks``, ``2.5 points``, ``3 matches``, ``10,000 deals``."""
    number = f"{count:,}" if isinstance(count, int) else f"{count:g}"
    ending = "" if count == 1 else "es" if noun.endswith(("ch", "s")) else "s"
    return f"{number} {noun}{ending}"


def percent_text(share: float, digits: int = 0) -> str:
    """Return a share from 0 to 1 as ``62 %``, or with decimal places as ``62.6 %``."""
    return f"{100 * share:.{digits}f} %"


def must_be(name: str, expected: str, given: object) -> str:
    """Return an error message for a value that is not allowed: ``NAME must be EXPECTED, got GIVEN``.

    Args:
        name: what to call it: a parameter, an option, or a key, preceded by where it is.
        expected: what is allowed, such as ``an integer >= 1``.
        given: the value; an array is shown as its dtype and shape.
    """
    shape = getattr(given, "shape", ())
    is_array = isinstance(shape, tuple) and bool(shape)
    shown = f"{getattr(given, 'dtype', '')}{list(shape)}" if is_array else short_repr(given)
    return f"{name} must be {expected}, got {shown}"


def integers(low: int, high: int | None = None) -> str:
    """Describe a range of integers for an error: ``an integer >= 1``, ``an integer from 0 to 2**64 - 1``."""
    if high is None:
        return f"an integer >= {low}"
    is_power = high >= _WRITTEN_AS_POWER and (high + 1).bit_count() == 1
    return f"an integer from {low} to {f'2**{high.bit_length()} - 1' if is_power else high}"


def unknown_name_error(kind: str, given: object, allowed: Iterable[str]) -> ValueError:
    """Return the error for an unknown name; it shows what was given, the nearest name and all names."""
    names = [str(name) for name in allowed]
    near = difflib.get_close_matches(str(given)[:MAX_SHOWN], names, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return ValueError(f"unknown {kind} {short_repr(str(given))}: {hint}allowed: {', '.join(names) or 'none'}")


def split_settings(settings: str, kind: str) -> dict[str, str]:
    """Split ``"key=value,key=value"``, which may be empty.

    Args:
        settings: the settings.
        kind: what has them, for errors.

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
