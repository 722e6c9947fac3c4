"""One SQLite file with a person's sessions, their deals and the statistics."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

NAME = "games.sqlite3"
VERSION = 2

_LOG = logging.getLogger(__name__)

_STRICT = "STRICT" if sqlite3.sqlite_version_info >= (3, 37) else ""

_COUNTED_DEALS = f"""CREATE TABLE counted_deals (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    deal INTEGER NOT NULL,
    time TEXT NOT NULL,
    rules TEXT NOT NULL,
    agent TEXT NOT NULL,
    margin INTEGER NOT NULL,
    points REAL NOT NULL,
    slam INTEGER NOT NULL,
    assisted INTEGER NOT NULL,
    day TEXT,
    given_away REAL, -- tricks, by the coach's judgement
    at_stake REAL,
    par REAL, -- the margin that the agents make of the same cards
    recalled INTEGER, -- cards of the opponent's hand that were named in the memory quiz
    held INTEGER, -- cards of that hand
    UNIQUE (session, deal)
) {_STRICT};"""

# Deals with no end are in play. What the statistics count outlives its session, so it refers to none.
_SCHEMA = f"""
BEGIN;
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    rules TEXT NOT NULL,
    agent TEXT NOT NULL,
    match TEXT,
    day TEXT,
    seed TEXT NOT NULL, -- an INTEGER has a bit too few
    seat INTEGER NOT NULL,
    title TEXT NOT NULL,
    person TEXT NOT NULL,
    earlier_text TEXT,
    earlier_swapped INTEGER,
    version INTEGER NOT NULL,
    updated REAL NOT NULL, -- seconds since 1970
    finished INTEGER NOT NULL,
    in_play INTEGER NOT NULL,
    earlier_session TEXT,
    earlier_deal INTEGER,
    earlier_move INTEGER
) {_STRICT};
CREATE TABLE deals (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    deck TEXT NOT NULL,
    dealer INTEGER NOT NULL CHECK (dealer IN (0, 1)),
    actions TEXT NOT NULL,
    forfeit_seat INTEGER CHECK (forfeit_seat IN (0, 1)),
    forfeit_reason TEXT,
    salt TEXT NOT NULL,
    assisted INTEGER NOT NULL,
    ended TEXT,
    recalled TEXT, -- cards
    PRIMARY KEY (session, number)
) {_STRICT};
{_COUNTED_DEALS}
CREATE TABLE counted_matches (
    session TEXT PRIMARY KEY,
    rules TEXT NOT NULL,
    agent TEXT NOT NULL,
    match TEXT NOT NULL,
    won INTEGER NOT NULL,
    assisted INTEGER NOT NULL,
    time TEXT NOT NULL
) {_STRICT};
PRAGMA user_version = {VERSION};
COMMIT;
"""

# Version 1 rated deals by another accuracy, which tells nothing about this one. What this begins has to be committed.
_FROM_1 = f"""
BEGIN;
ALTER TABLE counted_deals RENAME TO old_deals;
{_COUNTED_DEALS}
INSERT INTO counted_deals (id, session, deal, time, rules, agent, margin, points, slam, assisted, day, par)
SELECT id, session, deal, time, rules, agent, margin, points, slam, assisted, day, luck FROM old_deals;
DROP TABLE old_deals;
ALTER TABLE deals ADD COLUMN recalled TEXT;
ALTER TABLE sessions ADD COLUMN earlier_session TEXT;
ALTER TABLE sessions ADD COLUMN earlier_deal INTEGER;
ALTER TABLE sessions ADD COLUMN earlier_move INTEGER;
UPDATE sessions SET earlier_deal = 1 WHERE earlier_text IS NOT NULL;
PRAGMA user_version = {VERSION};
"""

_FOREIGN = "damaged: its tables are not those of this program"


def insert_row(connection: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    """Insert a row, given by its columns; it replaces one with the same key."""
    names, values = ", ".join(row), ", ".join(f":{name}" for name in row)
    connection.execute(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({values})", row)


def _one_line(error: Exception) -> str:
    """Return what SQLite says; it may quote the file."""
    return " ".join(str(error).split())


def _tables(connection: sqlite3.Connection) -> dict[str, tuple[Any, ...]]:
    """Return the columns of each table."""
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    query = "SELECT name, type, pk FROM pragma_table_info(?)"
    return {name: tuple(map(tuple, connection.execute(query, (name,)))) for name in names}


def _has_triggers(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'trigger'").fetchone() is not None


class NotSavedError(Exception):
    """A change cannot be written, as when the disk is full; nothing of it is kept."""


class NotReadError(Exception):
    """The file cannot be read any more."""


class Database:
    """The file. All methods can be called from several threads."""

    def __init__(self, path: Path) -> None:
        """Open a file, or make it; only this user can read a new one.

        Raises:
            ValueError: if it cannot be opened, is damaged, or is of another version.
        """
        self._path, self._lock, self._is_closed = path, threading.Lock(), False
        try:
            path.touch(mode=0o600)
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise
        except OSError as error:
            raise ValueError(f"{path}: cannot be opened: {error.strerror}") from None
        except sqlite3.OperationalError as error:
            raise ValueError(f"{path}: cannot be opened: {_one_line(error)}") from None
        except (ValueError, sqlite3.Error) as error:
            raise ValueError(f"{path}: {_one_line(error)}; move it away to begin anew") from None

    def _prepare(self) -> None:
        """Make the tables where there are none.

        Raises:
            ValueError: if the file is damaged, or of another version.
            sqlite3.Error: if it cannot be read or written.
        """
        connection = self._connection
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda text: text.decode(errors="replace")  # one damaged text spoils one row alone
        connection.execute("PRAGMA foreign_keys = ON")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if not version and not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            connection.executescript(_SCHEMA)
        elif version not in (1, VERSION):
            raise ValueError(f"version {version} of the file is not supported: only 1 and {VERSION} are")
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise ValueError(f"damaged: {found}")
        if _has_triggers(connection):
            raise ValueError(_FOREIGN)
        if version == 1:
            connection.executescript(_FROM_1)
        with closing(sqlite3.connect(":memory:")) as other:
            other.executescript(_SCHEMA)
            if not _tables(other).items() <= _tables(connection).items():
                raise ValueError(_FOREIGN)
        if version == 1:
            connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Give the connection for reading.

        Raises:
            NotReadError: if the file cannot be read.
        """
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                self._log("read", error)
                raise NotReadError(_one_line(error)) from error

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """Give the connection for one transaction, which is kept whole at the end; after an error nothing of it is.

        Args:
            durable: survive a power failure, too. Without it the transaction survives the end of this process, and is
                written many times as fast.

        Raises:
            NotSavedError: if the file cannot be written.
        """
        with self._lock:
            try:
                self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    yield self._connection
                    self._connection.execute("COMMIT")
                except BaseException:
                    self._connection.rollback()
                    raise
            except sqlite3.Error as error:
                self._log("written", error)
                raise NotSavedError(_one_line(error)) from error

    def close(self) -> None:
        """Close the file; whatever comes later is an error, and not logged: nobody waits for it."""
        with self._lock:
            self._is_closed = True
            self._connection.close()

    def _log(self, what: str, error: sqlite3.Error) -> None:
        if not self._is_closed:
            _LOG.warning("%s cannot be %s: %s", self._path, what, _one_line(error))
