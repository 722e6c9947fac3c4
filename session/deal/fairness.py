"""Fairness: a commitment to a deal, published before the first card and opened after the last.

The commitment is the SHA-256 of ``SALT DEALER DECK``. The salt has 256 random bits, so the hash tells nothing about the
cards before it is opened (a hash commitment; Halevi and Micali, "Practical and provably-secure commitment schemes from
collision-free hashing", 1996).
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence

from german_whist.envs.engine.cards import deck_text

SALT_BYTES = 32


def new_salt() -> str:
    """Return 32 random bytes in hexadecimal."""
    return secrets.token_hex(SALT_BYTES)


def commitment_text(salt: str, dealer: int, deck: Sequence[int]) -> str:
    """Return the text that is hashed."""
    return f"{salt} {dealer} {deck_text(deck)}"


def commitment(salt: str, dealer: int, deck: Sequence[int]) -> str:
    """Return the SHA-256 of that text, in hexadecimal."""
    return hashlib.sha256(commitment_text(salt, dealer, deck).encode()).hexdigest()
