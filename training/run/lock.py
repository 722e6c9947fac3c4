"""One process at a time trains a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

LOCK = ".lock"


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold a run's lock. It ends with the process, however that ends.

    Raises:
        ValueError: when another process, or this one, trains the run already.
    """
    path = folder / LOCK
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise ValueError(f"run directory {str(folder)!r} is in use: another process trains this run") from None
    try:
        yield
    finally:
        path.unlink(missing_ok=True)  # while it is held, so that no one else can hold it
        lock.release()
