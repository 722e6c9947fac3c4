"""The endgame tables that this process uses: the largest ones in the cache folder, built if there are none."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from german_whist.envs.utils.files import cache_folder
from german_whist.solver.tablebase.build import build_in_memory, build_table
from german_whist.solver.tablebase.endgame_table import EndgameTable, load_table
from german_whist.solver.tablebase.kinds import (
    DEFAULT_CARDS,
    DamagedTableError,
    TableError,
    TableKind,
    table_path,
)
from german_whist.solver.tablebase.position_kernels import MAX_CARDS

# Cards in the largest hands of tables.
SEARCH_CARDS = 11  # 147 MB: halves the time of agents that solve thousands of endgames per decision
MEMORY_CARDS = 9  # of a table that cannot be stored: each process builds it, in a second
_most_cards = MAX_CARDS  # of any table that is opened

_open: dict[tuple[Path, TableKind], tuple[EndgameTable, bool]] = {}  # with whether it was opened for a search
_lock = threading.Lock()


def limit_tables(cards: int) -> None:
    """Open no table of larger hands in this process from now on.

    Sooner or later a search reads all of a table, which then counts as memory of this process.
    """
    global _most_cards  # noqa: PLW0603 - it is a setting of the process
    _most_cards = cards


def open_table(trump: bool, low: bool, for_search: bool = False) -> EndgameTable:
    """Return the largest endgame table for a kind of game; if there is none, build one, which takes seconds.

    A table that is damaged or of another version is deleted, and the next largest one is used. If no table can be
    stored, as on a read-only disk, the largest one there is or a small one in memory is used. A line on standard error
    reports either.

    Args:
        trump: whether the game has a trump suit.
        low: whether the fewest tricks win.
        for_search: whether thousands of endgames are solved per decision. Then a table of at least ``SEARCH_CARDS``
            pays, and is built if there is none.

    Raises:
        TableError: if there is a table that cannot be read.
    """
    kind = TableKind(bool(trump), bool(low))
    key = (cache_folder(), kind)
    wanted = min(SEARCH_CARDS if for_search else DEFAULT_CARDS, _most_cards)
    with _lock:
        table, searched = _open.get(key, (None, False))
        if table is None:
            table = _largest(kind)
        if table is None:
            table = _new(kind, wanted)
        elif for_search and not searched and table.cards < wanted:
            table = _new(kind, wanted, table)
        _open[key] = table, searched or for_search
        return table


def open_complete_table(trump: bool, low: bool) -> EndgameTable:
    """Return the table of every endgame, up to 13 cards a hand, for devices that look endgames up and do not search.

    It is built first if there is none, which takes three minutes on one core and 2.3 GiB of disk. It has a folder of
    its own, because every agent of this user would take it if it were in the cache folder itself.

    Args:
        trump: whether the game has a trump suit.
        low: whether the fewest tricks win.

    Raises:
        TableError: if it cannot be read, or written.
    """
    kind, folder = TableKind(bool(trump), bool(low)), cache_folder() / "complete"
    with _lock:
        if (folder, kind) not in _open:
            path = table_path(kind, MAX_CARDS)
            if not path.exists():
                path = build_table(kind, MAX_CARDS, _ProgressBar(kind), folder)
            _open[folder, kind] = load_table(path), False
        return _open[folder, kind][0]


def _new(kind: TableKind, cards: int, smaller: EndgameTable | None = None) -> EndgameTable:
    try:
        return load_table(build_table(kind, cards, _ProgressBar(kind)))
    except TableError as error:
        if smaller:
            _say(f"{error}: one of {smaller.cards} cards is used instead")
            return smaller
        _say(f"{error}: one of {MEMORY_CARDS} cards is built in memory")
        return build_in_memory(kind, MEMORY_CARDS)


def built_tables(kind: TableKind, most_cards: int = MAX_CARDS) -> list[Path]:
    """Return the files of all tables of a kind, the largest first."""
    paths = (table_path(kind, cards) for cards in range(most_cards, 0, -1))
    return [path for path in paths if os.path.exists(path)]  # unlike Path.exists, False in a folder it may not read


def _largest(kind: TableKind) -> EndgameTable | None:
    for path in built_tables(kind, _most_cards):
        try:
            return load_table(path)
        except DamagedTableError as error:
            done = "deleted"
            try:
                path.unlink()
            except OSError as reason:
                done = f"it cannot be deleted: {reason.strerror}"
            _say(f"{error}; {done}")
    return None


def _say(line: str) -> None:
    print(f"german-whist: {line}", file=sys.stderr)


class _ProgressBar:
    """Shows the progress of a build on standard error: a bar in a terminal, otherwise a single line."""

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
                print(f"building the endgame table {self._kind.name} (once; takes some seconds)", file=sys.stderr)
            self._bar = Bar(console=console, transient=True, disable=not console.is_terminal)
            self._task = self._bar.add_task(f"building the endgame table {self._kind.name} (once)", total=total)
            self._bar.start()
        self._bar.update(self._task, completed=done)
        if done >= total:
            self._bar.stop()
