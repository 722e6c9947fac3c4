"""The sessions of a server: in memory while they are played, and each in the database after every card."""

from __future__ import annotations

import logging
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from german_whist.session.database import Database
from german_whist.session.game_session import Session
from german_whist.session.saved import (
    NoSessionError,
    delete_session,
    insert_session,
    list_sessions,
    load_session,
    update_session,
)
from german_whist.web.requests import ApiError
from german_whist.web.schema import ListedSession, Review
from german_whist.web.session_json import summary_json

MAX_IN_MEMORY = 500
MAX_SAVED = 2000
IDLE_SECONDS = 15 * 60
MAX_LISTED = 100

_OLDEST = """
SELECT id FROM sessions WHERE finished OR kind != 'play' OR (match IS NULL AND NOT in_play) ORDER BY updated LIMIT 1
"""  # of those by which no deal and no match is lost

_LOG = logging.getLogger(__name__)


class Entry:
    """A session in memory.

    Attributes:
        id: its name in addresses.
        session: the session.
        lock: held while a request reads or changes it.
        reviews: the last review, by deal.
        used: when it was last asked for, in seconds of a clock that never goes back.
    """

    def __init__(self, identifier: str, session: Session) -> None:
        """Put a session into memory."""
        self.id, self.session = identifier, session
        self.lock = threading.Lock()
        self.reviews: dict[int, Review] = {}
        self.used = time.monotonic()

    def keep_review(self, place: int, review: Review) -> None:
        """Keep the review of a deal in place of the last one: they are large."""
        self.reviews = {place: review}


class SessionStore:
    """Sessions by id. All methods can be called from several threads.

    Raises:
        NotReadError: from every method that reads, if the database cannot be read.
        NotSavedError: from every method that writes, if it cannot be written.
    """

    def __init__(
        self,
        database: Database,
        *,
        max_in_memory: int = MAX_IN_MEMORY,
        max_saved: int = MAX_SAVED,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        """Use a database.

        Args:
            database: where sessions are saved.
            max_in_memory: number of sessions in memory; the one that has waited longest makes room for another.
            max_saved: number of saved sessions; finished and practice sessions, and games without end between two
                deals, make room for new ones, the oldest first.
            idle_seconds: how long a session that nobody asks for stays in memory.
        """
        self._database = database
        self._max_in_memory, self._max_saved, self._idle = max_in_memory, max_saved, idle_seconds
        self._entries: dict[str, Entry] = {}
        self._lock = threading.Lock()

    @property
    def in_memory(self) -> int:
        """Number of sessions in memory."""
        return len(self._entries)

    def add(self, session: Session) -> Entry:
        """Save a new session and return its entry.

        Raises:
            ApiError: if there are too many sessions.
        """
        entry = Entry(secrets.token_urlsafe(12), session)
        with self._database.write() as connection:
            deleted = self._make_room(connection)
            insert_session(connection, entry.id, session)
        if deleted is not None:
            self.forget(deleted)
        return self._remember(entry)

    @contextmanager
    def open(self, identifier: str) -> Iterator[Entry]:
        """Give a session to one request at a time.

        Raises:
            ApiError: 404 if there is no such session, 500 if it is damaged.
        """
        while True:
            entry = self._find(identifier)
            with entry.lock:
                if self._entries.get(identifier) is not entry:
                    continue  # it was dropped from memory, or deleted, while this request waited
                entry.used = time.monotonic()
                yield entry
                return

    def save(self, entry: Entry, *, durable: bool = True) -> None:
        """Save a session; unless ``durable``, a power failure may lose the last change.

        Raises:
            ApiError: 404 if it has been deleted.
        """
        with _not_found(), self._database.write(durable=durable) as connection:
            update_session(connection, entry.id, entry.session)

    def delete(self, identifier: str) -> None:
        """Delete a session, also a damaged one.

        Raises:
            ApiError: 404 if there is no such session.
        """
        with _not_found(), self._database.write() as connection:
            delete_session(connection, identifier)
        self.forget(identifier)

    def forget(self, identifier: str) -> None:
        """Remove a session from memory: whoever asks for it next gets what is saved."""
        with self._lock:
            self._entries.pop(identifier, None)

    def summaries(self) -> list[ListedSession]:
        """Return the sessions played last in a few fields each, the last one first; damaged ones are left out."""
        return [summary_json(one) for one in list_sessions(self._database, MAX_LISTED)]

    def forget_idle(self) -> int:
        """Remove sessions from memory that nobody has asked for lately, and return how many are left."""
        before = time.monotonic() - self._idle
        with self._lock:
            for entry in [entry for entry in self._entries.values() if entry.used < before]:
                self._drop(entry)
            return len(self._entries)

    def _find(self, identifier: str) -> Entry:
        with self._lock:
            entry = self._entries.get(identifier)
        if entry is not None:
            return entry
        try:
            with _not_found():
                session = load_session(self._database, identifier)
        except ValueError as error:
            _LOG.warning("session %s cannot be read: %s", identifier, error)
            raise ApiError(500, f"The session cannot be read: {error}") from None
        return self._remember(Entry(identifier, session))

    def _remember(self, entry: Entry) -> Entry:
        with self._lock:
            present = self._entries.setdefault(entry.id, entry)  # another request may have been faster
            if len(self._entries) > self._max_in_memory:
                for old in sorted(self._entries.values(), key=lambda one: one.used):
                    if old is not present and self._drop(old):
                        break
            return present

    def _drop(self, entry: Entry) -> bool:
        """Remove a session from memory unless a request holds it; it is saved. Return whether it is gone."""
        if not entry.lock.acquire(blocking=False):
            return False
        del self._entries[entry.id]
        entry.lock.release()
        return True

    def _make_room(self, connection: sqlite3.Connection) -> str | None:
        """Delete the oldest session that makes room, if room is needed, and return its id.

        Raises:
            ApiError: if none does.
        """
        (saved,) = connection.execute("SELECT count(*) FROM sessions").fetchone()
        if saved < self._max_saved:
            return None
        oldest = connection.execute(_OLDEST).fetchone()
        if oldest is None:
            raise ApiError(429, f"There are {saved} sessions in play: finish or delete some.")
        delete_session(connection, oldest["id"])
        return str(oldest["id"])


@contextmanager
def _not_found() -> Iterator[None]:
    try:
        yield
    except NoSessionError:
        raise ApiError(404, "There is no such session.") from None
