"""Endgame tables: the values of all endgames of 0 … N cards a hand, in memory and in their files."""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.utils.checks import is_whole_number
from german_whist.solver.tablebase.kinds import KINDS, DamagedTableError, TableError, TableKind, table_path
from german_whist.solver.tablebase.position_kernels import MAX_CARDS
from german_whist.solver.tablebase.ranking import Ranking, table_layout


class EndgameTable(NamedTuple):
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


def empty_table() -> EndgameTable:
    """Return a table of a high game with trumps that holds only the endgame without cards, whose value is 0.

    With it a search goes on to the last card. It also serves kernels that take a table but never use it.
    """
    values = np.zeros(1, np.uint8)
    values.flags.writeable = False  # as in a real table: otherwise kernels would compile again for writeable values
    return EndgameTable(table_layout(0, trump=True).ranking, values, 0, True, False)


HEADER_BYTES = 4096
FORMAT = "german-whist endgame table"
VERSION = 1
_MAX_VERIFIED_ON_LOAD = 256 << 20  # bytes; larger tables take seconds to read
_CHUNK = 16 << 20
_LARGEST = 2**40  # of a number in a header: the largest table has 2**35 positions


@dataclass
class Header:
    """The header of a table file.

    Attributes:
        kind: name of the kind of game.
        cards: cards in the largest hands.
        blocks: number of blocks written so far.
        bytes: bytes of values written so far.
        checksum: CRC-32 of those bytes.
        complete: whether the table is complete.
        format: name of the file format.
        version: version of the file format.
    """

    kind: str
    cards: int
    blocks: int = 0
    bytes: int = 0
    checksum: int = 0
    complete: bool = False
    format: str = FORMAT
    version: int = VERSION

    def write(self, file: BinaryIO) -> None:
        """Write the header to the beginning of a file."""
        file.seek(0)
        file.write(json.dumps(asdict(self)).encode().ljust(HEADER_BYTES))
        file.flush()

    @property
    def is_valid(self) -> bool:
        """Whether every field has a value that a table can have."""
        numbers = (self.blocks, self.bytes, self.checksum)
        return (
            is_whole_number(self.cards, 1, MAX_CARDS)
            and all(is_whole_number(number, 0, _LARGEST) for number in numbers)
            and isinstance(self.complete, bool)
        )


def read_header(path: Path) -> Header:
    """Return the header of a file.

    Raises:
        TableError: if the file cannot be read, or is not a table of this version.
    """
    damaged = DamagedTableError(f"table {path} is damaged: it has no valid header")
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise damaged  # reading from a pipe or a device could block for ever
        with path.open("rb") as file:
            header = Header(**json.loads(file.read(HEADER_BYTES)))
    except OSError as error:
        raise TableError(f"table {path}: {error.strerror or error}") from None
    except DamagedTableError:
        raise
    except (ValueError, TypeError, RecursionError):
        raise damaged from None
    version = (header.format, header.version)
    if version != (FORMAT, VERSION) or not isinstance(header.kind, str) or header.kind not in KINDS:
        raise DamagedTableError(f"table {path} is of another version")
    if not header.is_valid or not is_whole_number(header.version):
        raise damaged
    return header


def checksum(path: Path, length: int) -> int:
    """Return the CRC-32 of the first ``length`` bytes of values in a file."""
    total = 0
    with path.open("rb") as file:
        file.seek(HEADER_BYTES)
        while length > 0:
            chunk = file.read(min(length, _CHUNK))
            if not chunk:
                return -1
            total = zlib.crc32(chunk, total)
            length -= len(chunk)
    return total


def verify_table(path: Path) -> Header:
    """Read a whole table, compare it with its checksum, and return its header.

    Raises:
        TableError: if it cannot be read, is incomplete, contradicts its name, or its checksum is wrong.
    """
    header = _check_size(path)
    if checksum(path, header.bytes) != header.checksum:
        raise DamagedTableError(f"table {path} is damaged: its checksum is wrong")
    return header


def _check_size(path: Path) -> Header:
    header = read_header(path)
    if path.name != table_path(KINDS[header.kind], header.cards).name:
        raise DamagedTableError(f"table {path} is damaged: it holds {header.kind} up to {header.cards} cards")
    size = HEADER_BYTES + (table_layout(header.cards, KINDS[header.kind].trump).size + 1) // 2
    if not header.complete or header.bytes != size - HEADER_BYTES or os.path.getsize(path) != size:
        raise DamagedTableError(f"table {path} is damaged: it is not complete")
    return header


def load_table(path: Path) -> EndgameTable:
    """Return a table, memory-mapped from its file, so that processes share the memory.

    Tables of up to 256 MiB are compared with their checksum; of larger ones only the size is checked.

    Raises:
        TableError: if it cannot be read, is damaged, or contradicts its name.
    """
    header = _check_size(path)
    if header.bytes <= _MAX_VERIFIED_ON_LOAD:
        verify_table(path)
    kind: TableKind = KINDS[header.kind]
    ranking = table_layout(header.cards, kind.trump).ranking
    try:
        values: npt.NDArray[np.uint8] = np.asarray(np.memmap(path, np.uint8, "r", HEADER_BYTES))
    except OSError as error:
        raise TableError(f"table {path}: {error.strerror or error}") from None
    return EndgameTable(ranking, values, header.cards, kind.trump, kind.low)
