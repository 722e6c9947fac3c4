"""Tablebases: the values of all endgames of 0 … N cards a hand, in memory and in their files."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.game.utils.files import write_atomically
from german_whist.solver.tablebase.kinds import TablebaseKind, tablebase_path
from german_whist.solver.tablebase.ranking import Ranking, tablebase_layout

MOST_READ = 100_000_000  # bytes: a larger file is read when it is opened only if it has changed since it was written
_CHUNK = 1 << 20  # bytes: files are read without mapping them, which would count as memory of this process


class Tablebase(NamedTuple):
    """The values of all endgames of up to ``cards`` cards a hand, for one kind of game.

    The value of a position is the leader's number of successful tricks: tricks taken or, in a low game, tricks given
    away.

    Attributes:
        ranking: the index of each position.
        values: uint8[…], two values per byte, the first in the lower half.
        cards: cards in the largest hands.
        trump: whether lane 0 is the trump suit.
        low: whether the fewest tricks win.
    """

    ranking: Ranking
    values: npt.NDArray[np.uint8]
    cards: int
    trump: bool
    low: bool


def empty_tablebase() -> Tablebase:
    """Return a table of a high game with trumps that holds only the endgame without cards, whose value is 0.

    With it a search goes on to the last card. It also serves kernels that take a table but never use it.
    """
    values = np.zeros(1, np.uint8)
    values.flags.writeable = False  # kernels would compile again for writeable values
    return Tablebase(tablebase_layout(0, trump=True).ranking, values, 0, True, False)


def find_tablebase(
    kind: TablebaseKind, cards: int, folder: Path | None = None, *, reads_all: bool = False
) -> Tablebase | None:
    """Return a table, memory-mapped from its file so that processes share the memory; ``None`` if there is none.

    A file that is damaged, of another kind or of another version is not taken: its size or checksum is wrong.

    Args:
        kind: the kind of game.
        cards: cards in the largest hands.
        folder: where its file is; the cache folder by default.
        reads_all: whether to check a large file, too, that has not changed since it was written.
    """
    path = tablebase_path(kind, cards, folder)
    if not os.path.exists(path):  # unlike Path.exists, False in a folder that may not be read
        return None
    layout = tablebase_layout(cards, kind.trump)
    if os.path.getsize(path) != layout.size // 2 or not _is_whole(path, reads_all):
        return None
    values: npt.NDArray[np.uint8] = np.asarray(np.memmap(path, np.uint8, "r"))
    return Tablebase(layout.ranking, values, cards, kind.trump, kind.low)


def write_checksum(path: Path) -> None:
    """Write the checksum of a table's file and the time of its last change beside it."""
    write_atomically(_checksum_path(path), f"{_checksum(path):08x} {_changed(path)}\n".encode())


def _is_whole(path: Path, reads_all: bool) -> bool:
    try:
        checksum, changed = _checksum_path(path).read_text(encoding="ascii").split()
    except (OSError, ValueError):  # missing, or damaged itself
        return False
    if not reads_all and os.path.getsize(path) > MOST_READ and changed == str(_changed(path)):
        return True
    return checksum == f"{_checksum(path):08x}"


def _checksum_path(path: Path) -> Path:
    return path.with_suffix(".crc")


def _changed(path: Path) -> int:
    return int(os.path.getmtime(path))  # whole seconds, which archives keep


def _checksum(path: Path) -> int:
    """Return the CRC-32 of a file's name and content; tables of several kinds have the same size."""
    checksum = zlib.crc32(path.name.encode())
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            checksum = zlib.crc32(chunk, checksum)
    return checksum
