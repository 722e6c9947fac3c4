"""The folder in which one server at a time keeps its database, its token and its address."""

from __future__ import annotations

import os
import re
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import platformdirs

from german_whist.envs.utils.files import check_writable, file_lock, write_atomically

FOLDER_VARIABLE = "GERMAN_WHIST_DATA"

_ADDRESS = "address"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22,64}")


def data_folder() -> Path:
    """Return the folder of this user: ``GERMAN_WHIST_DATA``, or where the system keeps data of applications."""
    given = os.environ.get(FOLDER_VARIABLE)
    return Path(given) if given else platformdirs.user_data_path("german-whist", appauthor=False)


def writable_data_folder() -> Path:
    """Return the folder of this user, or a private temporary one where that cannot be written.

    A line on standard error says so. In a container with a read-only root, the page works but forgets.

    Raises:
        ValueError: if there is no temporary folder either.
    """
    folder = data_folder()
    try:
        return check_writable(make_folder(folder))
    except ValueError as error:
        reason = str(error)
    try:
        other = Path(tempfile.mkdtemp(prefix="german-whist-"))  # for this user alone
    except OSError:
        raise ValueError(f"{reason}; nor is there a temporary folder: --data names another") from None
    print(f"german-whist: {reason}: games are kept in {other}; --data names another folder", file=sys.stderr)
    return other


def make_folder(folder: Path) -> Path:
    """Make a folder that only this user can read, if it is not there, and return it.

    Raises:
        ValueError: if it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ValueError(f"{folder}: cannot be made: {error.strerror}") from None
    return folder


@contextmanager
def only_server(folder: Path) -> Iterator[bool]:
    """Hold a folder, which ends with the process, however that ends; give whether no other server holds it."""
    with ExitStack() as stack:
        try:
            stack.enter_context(file_lock(folder / ".lock"))
        except TimeoutError:
            yield False
            return
        (folder / _ADDRESS).unlink(missing_ok=True)
        yield True


def keep_address(folder: Path, address: str) -> None:
    """Write where a folder is served.

    Raises:
        ValueError: if it cannot be written.
    """
    _write_private(folder / _ADDRESS, address)


def kept_address(folder: Path) -> str:
    """Return where another server serves a folder.

    Raises:
        ValueError: if it has not started yet.
    """
    try:
        return (folder / _ADDRESS).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        raise ValueError(f"{folder}: another server is starting there; --data names another folder") from None


def kept_token(folder: Path) -> str:
    """Return the token in a folder, or a new one that is written there.

    It stays the same, so that an open page goes on after the server has been restarted.

    Raises:
        ValueError: if it cannot be written.
    """
    path = folder / "token"
    try:
        token = path.read_text(encoding="ascii").strip()
        if _TOKEN.fullmatch(token):
            return token
    except (OSError, UnicodeDecodeError):
        pass
    token = secrets.token_urlsafe(16)
    _write_private(path, token)
    return token


def _write_private(path: Path, text: str) -> None:
    """Write a file that only this user can read.

    Raises:
        ValueError: if it cannot be written.
    """
    try:
        write_atomically(path, text.encode())
        path.chmod(0o600)
    except OSError as error:
        raise ValueError(f"{path}: cannot be written: {error.strerror}") from None
