"""Files that are whole or not there: written under a temporary name, then renamed."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomically(path: str | Path, content: bytes) -> None:
    """Write a file under a temporary name beside it and rename it; nothing is left when writing fails.

    Raises:
        OSError: when it cannot be written; it names the file that was meant.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())  # or else, when the power fails, the new name might stand for an empty file
        os.replace(temporary, target)
    except OSError as error:
        if error.filename is None:
            raise
        raise type(error)(error.errno, error.strerror, str(target)) from None
    finally:
        temporary.unlink(missing_ok=True)
