"""CSV records of a run, which a resumed run continues."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from german_whist.envs.utils.atomic_file import write_atomically
from german_whist.envs.utils.limited_file import read_limited

MAX_BYTES = 64 << 20  # of a file: hundreds of thousands of updates


def append_row(path: Path, row: Sequence[Any]) -> None:
    """Append a row to a CSV file, which is created if needed."""
    with path.open("a", newline="", encoding="utf-8") as file:
        csv.writer(file).writerow(row)


def read_text(path: Path, most: int) -> str:
    """Return the text of a CSV file; none if there is no file.

    Raises:
        ValueError: when it is not a file, has more than ``most`` bytes, or is not text.
    """
    try:
        return read_limited(path, most).decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise ValueError(f"{str(path)!r} cannot be read: {error!s:.200}") from None


def read_rows(path: Path) -> Iterator[list[str]]:
    """Yield the rows of a CSV file, the header first; none if there is no file.

    Raises:
        ValueError: when it is not CSV, or too large.
    """
    try:
        yield from csv.reader(io.StringIO(read_text(path, MAX_BYTES), newline=""))
    except csv.Error as error:
        raise ValueError(f"{str(path)!r} cannot be read: {error!s:.200}") from None


def check_rows(path: Path) -> None:
    """Read a CSV file, if there is one, and forget it.

    Raises:
        ValueError: when it is not CSV, or too large.
    """
    for _ in read_rows(path):
        pass


def keep_rows(path: Path, column: str, wanted: Callable[[float], bool]) -> None:
    """Keep only the complete rows of a CSV file whose number in ``column`` is wanted; a missing file is left alone.

    Raises:
        ValueError: when it is not CSV.
    """
    rows = read_rows(path)
    header = next(rows, [])
    if column not in header:
        return
    at = header.index(column)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows(row for row in rows if len(row) == len(header) and _passes(row[at], wanted))
    write_atomically(path, text.getvalue().encode())


def _passes(cell: str, wanted: Callable[[float], bool]) -> bool:
    try:
        return wanted(float(cell))
    except ValueError:
        return False
