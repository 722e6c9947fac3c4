"""The sessions of a server: in memory while they are played, and each on disk after every card."""

from __future__ import annotations

import datetime
import json
import logging
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from german_whist.arena.strict_json import check_object, read_json_file
from german_whist.envs.utils.files import write_atomically
from german_whist.session.game_session import Session
from german_whist.session.saved import session_from_dict, session_to_dict
from german_whist.web.data_folder import make_folder
from german_whist.web.requests import ApiError
from german_whist.web.schema import Review
from german_whist.web.session_json import summary_json

MAX_IN_MEMORY = 500
MAX_SAVED = 2000
IDLE_SECONDS = 15 * 60
MAX_LISTED = 100

_ID = re.compile(r"[A-Za-z0-9_-]{16}")
_SUFFIX = ".json"
_SUMMARY = ("id", "kind", "title", "rules", "agent", "match", "day", "finished", "in_play")

_LOG = logging.getLogger(__name__)


class UnreadableSessionError(ApiError):
    """The file of a session cannot be read."""


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
    """Sessions by id. All methods can be called from several threads."""

    def __init__(
        self,
        folder: Path,
        *,
        max_in_memory: int = MAX_IN_MEMORY,
        max_saved: int = MAX_SAVED,
        idle_seconds: float = IDLE_SECONDS,
        restore: Callable[[Any], Session] = session_from_dict,
    ) -> None:
        """Use a folder.

        Args:
            folder: where sessions are saved, one file each.
            max_in_memory: number of sessions in memory; the one that has waited longest makes room for another.
            max_saved: number of files; finished and practice sessions, and games without end between two deals, make
                room for new ones, the oldest first.
            idle_seconds: how long a session that nobody asks for stays in memory.
            restore: makes a session of what was saved.

        Raises:
            ValueError: if the folder cannot be made.
        """
        self.folder = make_folder(folder)
        self._max_in_memory, self._max_saved, self._idle = max_in_memory, max_saved, idle_seconds
        self._restore = restore
        self._entries: dict[str, Entry] = {}
        self._lock = threading.Lock()
        self._saved = sum(1 for _ in self.folder.glob(f"*{_SUFFIX}"))
        self._warned: set[Path] = set()

    @property
    def in_memory(self) -> int:
        """Number of sessions in memory."""
        return len(self._entries)

    def add(self, session: Session) -> Entry:
        """Save a new session and return its entry.

        Raises:
            ApiError: if there are too many sessions.
        """
        with self._lock:
            if self._saved >= self._max_saved:
                self._make_room()
            self._saved += 1
        entry = Entry(secrets.token_urlsafe(12), session)
        try:
            self.save(entry)
        except BaseException:
            with self._lock:
                self._saved -= 1
            raise
        self._remember(entry)
        return entry

    @contextmanager
    def open(self, identifier: str) -> Iterator[Entry]:
        """Give a session to one request at a time.

        Raises:
            ApiError: 404 if there is no such session, 500 (``UnreadableSessionError``) if its file cannot be read.
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
        """Write a session to its file; unless ``durable``, a power failure may lose the last change."""
        data = {"summary": summary_json(entry.session, entry.id), "session": session_to_dict(entry.session)}
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        write_atomically(self._path(entry.id), text.encode(), durable=durable)

    def delete(self, identifier: str) -> None:
        """Delete a session, also one whose file cannot be read.

        Raises:
            ApiError: 404 if there is no such session.
        """
        try:
            with self.open(identifier), self._lock:
                self._forget_file(self._path(identifier))
                self._entries.pop(identifier, None)
        except UnreadableSessionError:
            with self._lock:
                self._forget_file(self._path(identifier))

    def summaries(self) -> list[dict[str, Any]]:
        """Return the sessions played last in a few fields each, the last one first; unreadable files are left out."""
        found = (self._summary(path) for path in self._by_age()[::-1][:MAX_LISTED])
        return [summary for summary in found if summary is not None]

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
        if not _ID.fullmatch(identifier):
            raise ApiError(404, "There is no such session.")
        path = self._path(identifier)
        try:
            session = self._restore(_read(path, "session"))
        except FileNotFoundError:
            raise ApiError(404, "There is no such session.") from None
        except (OSError, ValueError) as error:
            _LOG.warning("%s cannot be read: %s", path, error)
            raise UnreadableSessionError(500, f"The session cannot be read: {_reason(error)}") from None
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
        """Remove a session from memory unless a request holds it; it is on disk. Return whether it is gone."""
        if not entry.lock.acquire(blocking=False):
            return False
        del self._entries[entry.id]
        entry.lock.release()
        return True

    def _make_room(self) -> None:
        """Delete the oldest file of a session that makes room.

        Raises:
            ApiError: if all are.
        """
        for path in self._by_age():
            summary = self._summary(path)
            if summary is not None and _makes_room(summary):
                self._forget_file(path)
                self._entries.pop(path.stem, None)
                return
        raise ApiError(429, f"There are {self._saved} sessions in play: finish or delete some.")

    def _summary(self, path: Path) -> dict[str, Any] | None:
        """Return a session in a few fields; ``None`` if its file cannot be read, with a warning the first time."""
        try:
            changed = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.UTC)
            return {**_read_summary(path), "updated": changed.isoformat(timespec="seconds")}
        except FileNotFoundError:  # it has just been deleted
            return None
        except (OSError, ValueError) as error:
            if path not in self._warned:
                self._warned.add(path)
                _LOG.warning("%s is left out: %s", path, error)
            return None

    def _forget_file(self, path: Path) -> None:
        with suppress(FileNotFoundError):
            path.unlink()
            self._saved -= 1

    def _by_age(self) -> list[Path]:
        """Return the files of all sessions, the oldest first."""
        found = []
        for path in self.folder.glob(f"*{_SUFFIX}"):
            with suppress(OSError):
                found.append((path.stat().st_mtime_ns, path))
        return [path for _, path in sorted(found)]

    def _path(self, identifier: str) -> Path:
        return self.folder / f"{identifier}{_SUFFIX}"


def _read(path: Path, part: str) -> Any:
    """Return one of the two parts of a session's file: ``summary`` or ``session``.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it is damaged.
    """
    return check_object(read_json_file(path, "session"), "session file", (), (part,))[part]


def _read_summary(path: Path) -> dict[str, Any]:
    """Return the summary in a session's file.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it is damaged.
    """
    fields = check_object(_read(path, "summary"), "summary", _SUMMARY, _SUMMARY)
    if fields["id"] != path.stem or not all(isinstance(one, (str, bool, type(None))) for one in fields.values()):
        raise ValueError("summary: damaged")
    return fields


def _makes_room(summary: dict[str, Any]) -> bool:
    """Return whether a session may be deleted for a new one: no deal or match is lost by it."""
    endless = summary["match"] is None and not summary["in_play"]
    return bool(summary["finished"] or summary["kind"] != "play" or endless)


def _reason(error: Exception) -> str:
    """Return why a file cannot be read, without its path."""
    return str(getattr(error, "strerror", None) or error)
