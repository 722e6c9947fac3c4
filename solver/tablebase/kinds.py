"""The kinds of endgame tables, and where their files are stored."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from german_whist.envs.utils.checks import is_whole_number
from german_whist.envs.utils.files import cache_folder
from german_whist.envs.utils.specs import integers, must_be
from german_whist.solver.tablebase.position_kernels import MAX_CARDS

DEFAULT_CARDS = 10  # 34 MB, built in a second or two; endgames of 13 cards are searched for three tricks above it


class TableError(ValueError):
    """Raised if an endgame table cannot be built, written or read."""


class DamagedTableError(TableError):
    """Raised if a table file is damaged, incomplete or of another version."""


class TableKind(NamedTuple):
    """The settings on which the values of endgames depend: each combination has its own table.

    Attributes:
        trump: whether there is a trump suit.
        low: whether the fewest tricks win.
    """

    trump: bool
    low: bool

    @property
    def name(self) -> str:
        """The name in files and commands, such as ``trump-high``."""
        return f"{'trump' if self.trump else 'notrump'}-{'low' if self.low else 'high'}"


KINDS = {kind.name: kind for kind in (TableKind(trump, low) for trump in (True, False) for low in (False, True))}


def check_cards(cards: int) -> int:
    """Return ``cards`` if a table can have hands of that size.

    Raises:
        TableError: if it is not an integer from 1 to 13.
    """
    if not is_whole_number(cards, 1, MAX_CARDS):
        raise TableError(must_be("cards", integers(1, MAX_CARDS), cards))
    return int(cards)


def table_path(kind: TableKind, cards: int, folder: Path | None = None) -> Path:
    """Return the path of a table's file, whether or not it has been built; in the cache folder by default."""
    return (folder or cache_folder()) / f"{kind.name}-{check_cards(cards)}.table"
