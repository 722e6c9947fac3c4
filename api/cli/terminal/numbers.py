"""Numbers on the command line: what ``argparse`` says of a word that is none, in plain words."""

from __future__ import annotations

import argparse


def whole_number(text: str) -> int:
    """Return the whole number that a word stands for."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def number(text: str) -> float:
    """Return the number that a word stands for."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def deal_address(text: str) -> tuple[int, int]:
    """Return the seed and the index that ``--deal SEED:INDEX`` names.

    Raises:
        ValueError: when the word is no such address.
    """
    seed, colon, index = text.partition(":")
    if not colon or not seed.isdecimal() or not index.isdecimal():
        raise ValueError(f"--deal {text!r} is not SEED:INDEX, as 7:0")
    return int(seed), int(index)
