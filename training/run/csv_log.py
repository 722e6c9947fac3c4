"""CSV records of a run, which a resumed run continues."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from german_whist.envs.utils.atomic_file import write_atomically


def append_row(path: Path, row: Sequence[Any]) -> None:
    """Append a row to a CSV file, which is created if needed."""
    with path.open("a", newline="", encoding="utf-8") as file:
        csv.writer(file).writerow(row)


def read_rows(path: Path) -> list[list[str]]:
    """Return the rows of a CSV file, the header first; none if there is no file.

    Raises:
        ValueError: when it is not CSV.
    """
    if not path.exists():
        return []
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.reader(file))
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{str(path)!r} cannot be read: {error!s:.200}") from None


def keep_rows(path: Path, column: str, wanted: Callable[[float], bool]) -> None:
    """Keep only the complete rows of a CSV file whose number in ``column`` is wanted; a missing file is left alone.

    Raises:
        ValueError: when it is not CSV.
    """
    header, *rows = read_rows(path) or [[]]
    if column not in header:
        return
    at = header.index(column)
    text = io.StringIO(newline="")
    csv.writer(text).writerows([header, *(row for row in rows if len(row) == len(header) and _passes(row[at], wanted))])
    write_atomically(path, text.getvalue().encode())


def _passes(cell: str, wanted: Callable[[float], bool]) -> bool:
    try:
        return wanted(float(cell))
    except ValueError:
        return False
