"""The tablebases that this process uses: the largest ones in the cache folder, built if there are none."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from german_whist.game.utils.cache_folder import cache_folder
from german_whist.solver.tablebase.build import build_in_memory, build_tablebase
from german_whist.solver.tablebase.kinds import DEFAULT_CARDS, KINDS, TablebaseKind, tablebase_path
from german_whist.solver.tablebase.position_kernels import MAX_CARDS
from german_whist.solver.tablebase.tablebase_file import Tablebase, find_tablebase

# Cards in the largest hands of tables.
SEARCH_CARDS = 11  # 147 MB: halves the time of agents that solve thousands of endgames per decision
MEMORY_CARDS = 9  # without a folder to store it in, each process builds it, in a second
REPORT_EVERY = 10.0  # seconds between lines about a build, without a terminal
_most_cards = MAX_CARDS  # largest hands of any table that is opened

_open: dict[tuple[Path, TablebaseKind], tuple[Tablebase, bool]] = {}  # flag: was it opened for a search?
_lock = threading.Lock()


def limit_tablebases(cards: int) -> None:
    """Open no table of larger hands in this process from now on.

    Sooner or later a search reads all of a table, which then counts as memory of this process.
    """
    global _most_cards  # noqa: PLW0603 - it is a setting of the process
    _most_cards = cards


def open_tablebase(trump: bool, low: bool, for_search: bool = False) -> Tablebase:
    """Return the largest tablebase for a kind of game; if there is none, build one, which takes seconds.

    If no table can be stored, as on a read-only disk, the largest one there is or a small one in memory is used, and a
    line on standard error says so.

    Args:
        trump: whether the game has a trump suit.
        low: whether the fewest tricks win.
        for_search: whether thousands of endgames are solved per decision. Then a table of at least ``SEARCH_CARDS``
            pays, and is built if there is none.
    """
    kind = TablebaseKind(bool(trump), bool(low))
    key = (cache_folder(), kind)
    wanted = min(SEARCH_CARDS if for_search else DEFAULT_CARDS, _most_cards)
    with _lock:
        tablebase, searched = _open.get(key, (None, False))
        if tablebase is None:
            tablebase = _largest(kind)
        if tablebase is None or (for_search and not searched and tablebase.cards < wanted):
            tablebase = _new(kind, wanted, tablebase)
        _open[key] = tablebase, searched or for_search
        return tablebase


def open_complete_tablebase(trump: bool, low: bool) -> Tablebase:
    """Return the table of every endgame, up to 13 cards a hand, for devices that look endgames up and do not search.

    It is built first if there is none, which takes three minutes on one core and 2.3 GiB of disk. It has a folder of
    its own, because every agent of this user would take it if it were in the cache folder itself.

    Args:
        trump: whether the game has a trump suit.
        low: whether the fewest tricks win.

    Raises:
        OSError: if it cannot be read or written.
    """
    kind, folder = TablebaseKind(bool(trump), bool(low)), _complete_folder()
    with _lock:
        if (folder, kind) not in _open:
            tablebase = find_tablebase(kind, MAX_CARDS, folder) or build_tablebase(
                kind, MAX_CARDS, _ProgressBar(kind), folder
            )
            _open[folder, kind] = tablebase, False
        return _open[folder, kind][0]


def remove_damaged_tables() -> None:
    """Read all tables in the cache folder, and remove damaged ones; whoever needs such a table builds it again.

    Raises:
        OSError: if a table cannot be read or removed.
    """
    for folder in (cache_folder(), _complete_folder()):
        for kind in KINDS.values():
            for cards in range(1, MAX_CARDS + 1):
                path = tablebase_path(kind, cards, folder)
                if path.exists() and find_tablebase(kind, cards, folder, reads_all=True) is None:
                    path.unlink()


def _complete_folder() -> Path:
    return cache_folder() / "complete"


def _largest(kind: TablebaseKind) -> Tablebase | None:
    tables = (find_tablebase(kind, cards) for cards in range(_most_cards, 0, -1))
    return next((tablebase for tablebase in tables if tablebase is not None), None)


def _new(kind: TablebaseKind, cards: int, smaller: Tablebase | None) -> Tablebase:
    try:
        return build_tablebase(kind, cards, _ProgressBar(kind))
    except OSError as error:
        instead = smaller or build_in_memory(kind, MEMORY_CARDS)
        print(
            f"german-whist: no tablebase can be written to {cache_folder()} ({error.strerror}): "
            f"one of {instead.cards} cards is used",
            file=sys.stderr,
        )
        return instead


class _ProgressBar:
    """Shows the progress of a build on standard error: a bar in a terminal, otherwise a line now and then."""

    def __init__(self, kind: TablebaseKind) -> None:
        self._kind = kind
        self._text = ""  # until the build begins

    def __call__(self, done: int, total: int) -> None:
        from rich.console import Console
        from rich.progress import Progress as Bar

        now = time.monotonic()
        if not self._text:
            self._text = f"building the tablebase {self._kind.name}, {total / 2e6:.0f} MB (once)"
            self._said = now
            console = Console(stderr=True)
            self._is_plain = not console.is_terminal
            if self._is_plain:
                print(self._text, file=sys.stderr)
            self._bar = Bar(console=console, transient=True, disable=self._is_plain)
            self._task = self._bar.add_task(self._text, total=total)
            self._bar.start()
        elif self._is_plain and done < total and now - self._said >= REPORT_EVERY:
            print(f"{self._text}: {100 * done // total} %", file=sys.stderr)
            self._said = now
        self._bar.update(self._task, completed=done)
        if done >= total:
            self._bar.stop()
