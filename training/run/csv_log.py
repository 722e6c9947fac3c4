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


def _rows(path: Path, text: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""))
    except csv.Error as error:
        raise ValueError(f"{str(path)!r} cannot be read: {error!s:.200}") from None


def check_rows(path: Path) -> None:
    """Read a CSV file, if there is one, and forget it.

    Raises:
        ValueError: when it is not CSV, or too large.
    """
    for _ in _rows(path, read_text(path, MAX_BYTES)):
        pass


def kept_rows(path: Path, text: str, column: str, wanted: Callable[[float], bool]) -> str:
    """Return the text of a CSV file with only the complete rows whose number in ``column`` is wanted.

    Without such a column the text stays as it is.

    Raises:
        ValueError: when it is not CSV; the message names ``path``.
    """
    rows = _rows(path, text)
    header = next(rows, [])
    if column not in header:
        return text
    at = header.index(column)
    kept = io.StringIO(newline="")
    writer = csv.writer(kept)
    writer.writerow(header)
    writer.writerows(row for row in rows if len(row) == len(header) and _passes(row[at], wanted))
    return kept.getvalue()


def keep_rows(path: Path, column: str, wanted: Callable[[float], bool]) -> None:
    """Rewrite a CSV file with :func:`kept_rows`; a missing file is left alone.

    Raises:
        ValueError: when it is not CSV, or too large.
    """
    text = read_text(path, MAX_BYTES)
    kept = kept_rows(path, text, column, wanted)
    if kept != text:
        write_atomically(path, kept.encode())


def _passes(cell: str, wanted: Callable[[float], bool]) -> bool:
    try:
        return wanted(float(cell))
    except ValueError:
        return False
