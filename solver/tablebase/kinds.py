"""The kinds of tablebases, and where their files are stored."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from german_whist.game.utils.cache_folder import cache_folder

DEFAULT_CARDS = 10  # 34 MB, built in a second or two; endgames of 13 cards are searched for three tricks above it


class TablebaseKind(NamedTuple):
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


KINDS = {kind.name: kind for kind in (TablebaseKind(trump, low) for trump in (True, False) for low in (False, True))}


def tablebase_path(kind: TablebaseKind, cards: int, folder: Path | None = None) -> Path:
    """Return the path of a table's file, whether or not it has been built; in the cache folder by default."""
    return (folder or cache_folder()) / f"{kind.name}-{cards}.table"
