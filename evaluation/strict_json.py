"""Strict JSON for untrusted files: no duplicate keys, no NaN or infinity, one-line errors."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from german_whist.envs.utils.specs import must_be, unknown_name_error


def read_json(line: str, name: str) -> Any:
    """Parse one line of JSON.

    Args:
        line: the text.
        name: name of the line's contents, for the message.

    Raises:
        ValueError: when the line is truncated, is not JSON, repeats a key, or has a number that JSON does not allow.
    """
    try:
        return _DECODER.decode(line)
    except json.JSONDecodeError as error:
        text = line.strip()
        truncated = not text or (text[0] == "{" and (text[-1] != "}" or error.pos >= len(line.rstrip())))
        reason = "the line is truncated" if truncated else f"not JSON: column {error.colno}: {error.msg}"
    except RecursionError:
        reason = "not JSON: nested too deeply"
    except ValueError as error:
        reason = str(error)
    raise ValueError(f"{name}: {reason}")


def check_object(given: Any, name: str, keys: tuple[str, ...] = (), required: tuple[str, ...] = ()) -> dict[str, Any]:
    """Check that a value is a JSON object with the right keys, and return it.

    Args:
        given: the parsed value.
        name: name of the object, for the message.
        keys: the allowed keys; if empty, all keys are allowed.
        required: the keys that must be present.

    Raises:
        ValueError: when ``given`` is not an object, or a key is unknown or missing.
    """
    if not isinstance(given, dict):
        raise ValueError(must_be(name, "an object", given))
    for key in given:
        if keys and key not in keys:
            raise unknown_name_error(f"field of a {name}", f"{key:.60}", keys)
    for key in required:
        if key not in given:
            raise ValueError(f"{name}: {key!r} is missing")
    return given


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in pairs:
        if key in fields:
            raise ValueError(f"{key!r:.60} is given twice")
        fields[key] = value
    return fields


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")


# Made once, because that takes longer than parsing a line.
_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_no_number)
