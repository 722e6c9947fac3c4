"""Strict JSON for requests: no duplicate keys, no NaN or infinity, errors of one line."""

from __future__ import annotations

import json
from typing import Any, NoReturn


def read_json(text: str) -> Any:
    """Parse JSON.

    Raises:
        ValueError: when the text is not JSON, repeats a key, or has a number that JSON does not allow.
    """
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"body: not JSON: {error}") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError(f"a key is given twice in {[key for key, _ in pairs]!r:.60}")
    return fields


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")


# Made once, because that takes longer than parsing a request.
_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_no_number)
