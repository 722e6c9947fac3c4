"""Training metrics as CSV, beside TensorBoard: one row an update, under the names that Stable-Baselines3 gives them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter

from german_whist.agents.checkpoint import write_atomically

COLUMNS = (
    "time/total_timesteps",
    "time/time_elapsed",
    "time/fps",
    "train/n_updates",
    "train/learning_rate",
    "train/entropy_loss",
    "train/policy_gradient_loss",
    "train/value_loss",
    "train/loss",
    "train/explained_variance",
    "train/approx_kl",
    "train/clip_fraction",
)


class MetricsWriter(KVWriter):
    """Appends rows to a CSV file, so that a resumed run goes on in the same file."""

    def __init__(self, path: Path) -> None:
        """Name the file; the header is written when it does not exist."""
        self._path = path
        if not path.exists():
            self._append(COLUMNS)

    def _append(self, row: Any) -> None:
        with self._path.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file).writerow(row)

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Write one row; metrics that are not there yet stay empty."""
        self._append([key_values.get(column, "") for column in COLUMNS])

    def close(self) -> None:
        """Nothing is held open."""


def keep_rows(path: Path, column: str, wanted: Callable[[float], bool]) -> None:
    """Keep the rows of a CSV file whose number in a column is wanted, and drop cut ones; there may be no file."""
    if not path.exists():
        return
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file)) or [[]]
    if column not in header:
        return
    at = header.index(column)
    text = io.StringIO(newline="")
    csv.writer(text).writerows([header, *(row for row in rows if len(row) == len(header) and _is(row[at], wanted))])
    write_atomically(path, text.getvalue().encode())


def _is(cell: str, wanted: Callable[[float], bool]) -> bool:
    try:
        return wanted(float(cell))
    except ValueError:
        return False
