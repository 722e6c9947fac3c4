"""The file of a table: a header that says what it is, then the values, two to a byte.

The header is 4,096 bytes of JSON, filled up with blanks. While the table is being built the header tells how far it is.
"""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from german_whist.solver.tables.kinds import KINDS, DamagedTableError, TableError, TableKind
from german_whist.solver.tables.ranking import lay_out
from german_whist.solver.tables.table import Table

HEADER_BYTES = 4096
FORMAT = "german-whist endgame table"
VERSION = 1
_CHECKED_WHEN_OPENED = 256 << 20  # bytes: a larger table takes seconds to read, `german-whist table verify` does
_CHUNK = 16 << 20


@dataclass
class Header:
    """What the first bytes of a table's file say.

    Attributes:
        kind: name of the kind of game.
        cards: cards in the largest hands.
        blocks: blocks that are written.
        bytes: bytes of values that are written.
        checksum: CRC-32 of these.
        complete: whether that is all.
        format: what the file is.
        version: of the format.
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
        """Write the header at the beginning of a file."""
        file.seek(0)
        file.write(json.dumps(asdict(self)).encode().ljust(HEADER_BYTES))
        file.flush()


def read_header(path: Path) -> Header:
    """Return the header of a file.

    Raises:
        TableError: when the file cannot be read or is no table of this version.
    """
    try:
        with path.open("rb") as file:
            header = Header(**json.loads(file.read(HEADER_BYTES)))
    except OSError as error:
        raise TableError(f"table {path}: {error.strerror or error}") from None
    except (ValueError, TypeError):
        raise DamagedTableError(f"table {path} is damaged: it has no header") from None
    if header.format != FORMAT or header.version != VERSION or header.kind not in KINDS:
        raise DamagedTableError(f"table {path} is of another version")
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


def verify(path: Path) -> Header:
    """Read a whole table and return its header.

    Raises:
        TableError: when it cannot be read, is not complete, or its checksum is wrong.
    """
    header = _check_size(path)
    if checksum(path, header.bytes) != header.checksum:
        raise DamagedTableError(f"table {path} is damaged: its checksum is wrong")
    return header


def _check_size(path: Path) -> Header:
    header = read_header(path)
    size = HEADER_BYTES + (lay_out(header.cards, KINDS[header.kind].trump)[2] + 1) // 2
    if not header.complete or header.bytes != size - HEADER_BYTES or os.path.getsize(path) != size:
        raise DamagedTableError(f"table {path} is damaged: it is not complete")
    return header


def load(path: Path) -> Table:
    """Return a table, mapped from its file, so that processes share the memory.

    A table of up to 256 MB is compared with its checksum; of a larger one only the size is looked at.

    Raises:
        TableError: when it cannot be read or is damaged.
    """
    header = _check_size(path)
    if header.bytes <= _CHECKED_WHEN_OPENED:
        verify(path)
    kind: TableKind = KINDS[header.kind]
    ranking, _, _ = lay_out(header.cards, kind.trump)
    try:
        values: npt.NDArray[np.uint8] = np.asarray(np.memmap(path, np.uint8, "r", HEADER_BYTES))
    except OSError as error:
        raise TableError(f"table {path}: {error.strerror or error}") from None
    return Table(ranking, values, header.cards, kind.trump, kind.low)
