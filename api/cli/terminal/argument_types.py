"""Types of command-line arguments, with error messages in plain words."""

from __future__ import annotations

import argparse

from german_whist.envs.utils.specs import shown


def parse_whole_number(text: str) -> int:
    """Return an argument as a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a whole number") from None


def parse_number(text: str) -> float:
    """Return an argument as a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a number") from None


def parse_deal_address(text: str) -> tuple[int, int]:
    """Return the seed and the index of ``--deal SEED:INDEX``.

    Raises:
        ValueError: if the argument has another form.
    """
    seed, colon, index = text.partition(":")
    if not colon or not seed.isdecimal() or not index.isdecimal():
        raise ValueError(f"--deal {shown(text)} is not SEED:INDEX, such as 7:0")
    return int(seed), int(index)
