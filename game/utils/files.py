"""Files: written completely or not at all, and locked."""

from __future__ import annotations

import errno
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP}  # possible answers of Lustre and NFS


@contextmanager
def file_lock(path: Path, timeout: float = 0) -> Iterator[bool]:
    """Hold a lock on a file, which is created if needed. The lock ends with the process, however that ends.

    If the file system has no locks, none is held, and a line on standard error says so. There is no fallback to a file
    whose mere existence is the lock: it would outlive a killed process and block the next one.

    Args:
        path: the file.
        timeout: seconds to wait while another process holds the lock; negative to wait for ever.

    Yields:
        Whether the lock is held.

    Raises:
        TimeoutError: if another process, or this one, still holds it after that time.
        OSError: if the file cannot be created.
    """
    from filelock import FileLock

    lock = FileLock(path, timeout, fallback_to_soft=False)
    try:
        lock.acquire()
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        print(
            f"german-whist: {path.parent}: this file system has no locks: nothing keeps another process from writing "
            "here at the same time",
            file=sys.stderr,
        )
    try:
        yield lock.is_locked
    finally:
        lock.release()


def check_folder(target: Path) -> None:
    """Refuse a file whose folder does not exist.

    Raises:
        FileNotFoundError: if it does not; the error names the file.
    """
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target))


def temporary_path(target: Path) -> Path:
    """Return a random name beside a file, so that concurrent writers do not collide, even on several machines.

    Raises:
        FileNotFoundError: if there is no such folder.
    """
    check_folder(target)
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")


def rename_flushed(temporary: Path, target: Path) -> None:
    """Rename a complete file, flushed first: a crash of the machine could otherwise leave zeros under the new name.

    Raises:
        OSError: if it cannot be renamed.
    """
    with temporary.open("r+b") as file:
        os.fsync(file.fileno())
    os.replace(temporary, target)


def write_atomically(path: str | Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file under a temporary name beside it, then rename it; a failure leaves nothing behind.

    Args:
        path: the file.
        content: all of it.
        mode: its permissions, of which the process's umask takes some away.

    Raises:
        OSError: if it cannot be written.
    """
    target = Path(path)
    temporary = temporary_path(target)
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
        rename_flushed(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
