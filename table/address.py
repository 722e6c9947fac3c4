"""Addresses of the page that ``german-whist serve`` serves, without its server's libraries."""

from __future__ import annotations

import base64
import contextlib
import re
import secrets
import zlib
from collections.abc import Iterable

import platformdirs

from german_whist.evaluation.recording import Recording
from german_whist.game.utils.files import write_atomically

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8917

_TOKEN_BYTES = 16
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22}")  # the base64 length of these bytes


def kept_token() -> str:
    """Return this user's token, which is stored, so that an open page keeps working after a restart.

    A file with anything else in it is replaced. If the token cannot be stored, each start has a new one.
    """
    path = platformdirs.user_data_path("german-whist", appauthor=False) / "token"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        stored = path.read_text(encoding="ascii")
        if _TOKEN.fullmatch(stored):
            return stored
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(path, token.encode(), mode=0o600)
    return token


def recordings_address(recordings: Iterable[Recording]) -> str:
    """Return the address at which this user's page opens the review of recordings, on the default host and port."""
    lines = "\n".join(recording.to_line() for recording in recordings)
    code = base64.urlsafe_b64encode(zlib.compress(lines.encode(), 9)).decode().rstrip("=")
    return f"http://{DEFAULT_HOST}:{DEFAULT_PORT}/{kept_token()}/#recording={code}"
