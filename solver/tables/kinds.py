"""The kinds of games that have tables of their own, and where their files lie."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from german_whist.envs.utils.specs import unknown_name
from german_whist.solver.tables.position_kernels import MAX_CARDS

DEFAULT_CARDS = 11  # built in seconds, 147 MB; a search of two tricks above it answers thirteen cards
FOLDER_VARIABLE = "GERMAN_WHIST_CACHE"


class TableError(ValueError):
    """A table cannot be built, written or read; the message says which and why."""


class DamagedTableError(TableError):
    """A file does not hold the table that it should."""


class TableKind(NamedTuple):
    """What changes the value of every endgame.

    Attributes:
        trump: whether one suit is trumps.
        low: whether the fewest tricks win.
    """

    trump: bool
    low: bool

    @property
    def name(self) -> str:
        """The name that files and commands use, as ``trump-high``."""
        return f"{'trump' if self.trump else 'notrump'}-{'low' if self.low else 'high'}"


KINDS = {kind.name: kind for kind in (TableKind(trump, low) for trump in (True, False) for low in (False, True))}


def check_kind(name: str) -> TableKind:
    """Return a kind of game by its name.

    Raises:
        ValueError: when there is no such kind.
    """
    if name not in KINDS:
        raise unknown_name("kind of table", name, KINDS)
    return KINDS[name]


def check_cards(cards: int) -> int:
    """Return the size of a table's largest hands.

    Raises:
        TableError: when it is not a whole number from 1 to 13.
    """
    if isinstance(cards, bool) or not isinstance(cards, int) or not 1 <= cards <= MAX_CARDS:
        raise TableError(f"cards {cards!r} is not allowed: a whole number from 1 to {MAX_CARDS}")
    return cards


def table_folder() -> Path:
    """Return the folder of the tables: ``$GERMAN_WHIST_CACHE``, or else the user's cache folder."""
    given = os.environ.get(FOLDER_VARIABLE)
    if given:
        return Path(given)
    from platformdirs import user_cache_path

    return user_cache_path("german-whist", appauthor=False)


def table_path(kind: TableKind, cards: int) -> Path:
    """Return where a table lies when it is built."""
    return table_folder() / f"{kind.name}-{check_cards(cards)}.table"
