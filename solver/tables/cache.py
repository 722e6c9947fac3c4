"""The tables that this process uses: the largest in the cache folder, built when there is none."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from pathlib import Path

from german_whist.solver.tables.build import build_table
from german_whist.solver.tables.file import load
from german_whist.solver.tables.kinds import DEFAULT_CARDS, DamagedTableError, TableKind, table_folder, table_path
from german_whist.solver.tables.table import Table

_open: dict[tuple[Path, TableKind], Table] = {}
_lock = threading.Lock()


def open_table(trump: bool, low: bool) -> Table:
    """Return the largest table of a kind of game; when there is none, build the default one, which takes seconds.

    A table that is damaged, or of another version, is deleted with a line on standard error; the next largest is taken.

    Raises:
        TableError: when no table can be built or read.
    """
    kind = TableKind(bool(trump), bool(low))
    key = (table_folder(), kind)
    with _lock:
        if key not in _open:
            _open[key] = _largest(kind) or load(build_table(kind, DEFAULT_CARDS, _ProgressBar(kind)))
        return _open[key]


def built_tables(kind: TableKind) -> list[Path]:
    """Return the files of the tables of a kind, the largest first."""
    paths = (table_path(kind, cards) for cards in range(13, 0, -1))
    return [path for path in paths if path.exists()]


def _largest(kind: TableKind) -> Table | None:
    for path in built_tables(kind):
        try:
            return load(path)
        except DamagedTableError as error:
            print(f"german-whist: {error}; it is deleted", file=sys.stderr)
            with suppress(OSError):
                path.unlink()
    return None


class _ProgressBar:
    """Shows on standard error how far a table is; a single line where that is no terminal."""

    def __init__(self, kind: TableKind) -> None:
        self._kind = kind
        self._started = False

    def __call__(self, done: int, total: int) -> None:
        from rich.console import Console
        from rich.progress import Progress as Bar

        if not self._started:
            self._started = True
            console = Console(stderr=True)
            if not console.is_terminal:
                print(f"building the endgame table {self._kind.name} (once, some seconds)", file=sys.stderr)
            self._bar = Bar(console=console, transient=True, disable=not console.is_terminal)
            self._task = self._bar.add_task(f"building the endgame table {self._kind.name} (once)", total=total)
            self._bar.start()
        self._bar.update(self._task, completed=done)
        if done >= total:
            self._bar.stop()
