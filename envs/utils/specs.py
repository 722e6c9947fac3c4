"""Names that users type: suggestions for typos, and the ``name:key=value`` specification grammar.

A value in double quotes may hold anything; a backslash escapes a quote or a backslash, as in JSON.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any

MAX_SHOWN = 100  # characters of a value in an error
_WRITTEN_AS_POWER = 2**40  # from here on, errors write 2**N - 1 as such
MAX_SPEC = 10_000  # characters of a specification; the longest path has 4,095, each perhaps escaped

_ITEM = re.compile(r'(?:(?:[^",=]*=)?"(?:[^"\\]|\\.)*"|[^,]*)(?=,|\Z)', re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


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


def printable(text: object) -> str:
    """Return text that others wrote as one line that cannot steer a terminal.

    Control characters, line breaks and marks that turn the direction of writing become escapes, as in ``repr``.
    """
    shown = str(text)
    return shown if shown.isprintable() else "".join(map(_printable_sign, shown))


def _printable_sign(sign: str) -> str:
    return sign if sign.isprintable() or unicodedata.category(sign) == "Zs" else repr(sign)[1:-1]


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
    return ValueError(f"unknown {kind} {short_repr(str(given))}: {hint}allowed: {', '.join(names)}")


def quoted(value: str) -> str:
    """Return a value in double quotes, escaped for a specification."""
    return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'


def unquoted(value: str) -> str:
    """Return a value of a specification without its quotes and escapes, if it has any.

    Raises:
        ValueError: if the quotes do not match.
    """
    if not value.startswith('"'):
        return value
    found = _QUOTED.fullmatch(value)
    if found is None:
        raise ValueError(f"{short_repr(value)}: the quotes do not match")
    return re.sub(r"\\(.)", r"\1", found[1], flags=re.DOTALL)


def split_items(settings: str) -> list[str]:
    """Split a specification's settings at the commas outside quotes."""
    items, place = [], 0
    while place <= len(settings):
        item = _ITEM.match(settings, place)
        assert item is not None  # it may be empty
        items.append(item[0])
        place = item.end() + 1
    return items


def split_spec(spec: str, kind: str) -> tuple[str, dict[str, str]]:
    """Split ``"name:key=value,key=value"`` into its name and settings.

    Args:
        spec: the specification string; the part after the first colon is optional.
        kind: what the specification names, for the error message.

    Raises:
        ValueError: if a setting is not ``key=value``, a key appears twice, quotes do not match, or the specification
            is too long.
    """
    if len(spec) > MAX_SPEC:
        raise ValueError(f"{kind} {short_repr(spec)} has {len(spec)} characters: at most {MAX_SPEC} are allowed")
    name, _, rest = spec.partition(":")
    settings: dict[str, str] = {}
    for item in split_items(rest) if rest else []:
        key, equals, value = item.partition("=")
        if not equals or not key or not value:
            raise ValueError(f"{kind} {short_repr(spec)}: {short_repr(item)} is not key=value")
        if key in settings:
            raise ValueError(f"{kind} {short_repr(spec)}: {short_repr(key)} is set twice")
        settings[key] = unquoted(value)
    return name, settings


def no_settings(name: str, settings: str) -> None:
    """Refuse settings for an agent that takes none.

    Raises:
        ValueError: if there is one.
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
            kind = "an integer" if readers[key] is int else "a number"
            raise ValueError(must_be(key, kind, text)) from None
    return values
