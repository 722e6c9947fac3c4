"""How a setting is declared, and the checks of its value."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from german_whist.envs.utils.specs import unknown_name

LARGEST = 10**12  # limit of whole numbers: more than any machine could train on or hold


def setting(default: Any, text: str) -> Any:
    """Declare a setting with its default and the help text of the command line."""
    if isinstance(default, (list, dict)):
        return field(default_factory=lambda: type(default)(default), metadata={"help": text})
    return field(default=default, metadata={"help": text})


def check_range(part: object, keys: str, low: float, high: float = float("inf"), *, exclusive: bool = False) -> None:
    """Refuse numbers out of range; ``keys`` are names of fields, with spaces between.

    Raises:
        ValueError: when a number is out of range.
    """
    for key in keys.split():
        value = getattr(part, key)
        if not low <= value <= high or (exclusive and value == low):
            bounds = f"above {low}" if exclusive else f"from {low}" + (f" to {high}" if high < float("inf") else "")
            raise ValueError(f"{key}: {value!s:.100} is not allowed: a number {bounds}")


def check_choice(part: object, key: str, *allowed: str) -> None:
    """Refuse a value that is not one of a few.

    Raises:
        ValueError: when it is not.
    """
    if getattr(part, key) not in allowed:
        raise unknown_name(key, getattr(part, key), allowed)


def check_sizes(key: str, sizes: list[int]) -> None:
    """Refuse sizes of layers that no network can have.

    Raises:
        ValueError: when there is one.
    """
    if not sizes or min(sizes) < 1 or max(sizes) > LARGEST:
        raise ValueError(f"{key}: {sizes!s:.100} is not allowed: at least one layer, each from 1 to {LARGEST}")
