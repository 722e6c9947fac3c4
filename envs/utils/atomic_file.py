"""Files that are either complete or absent: written under a temporary name, then renamed."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomically(path: str | Path, content: bytes, *, durable: bool = True) -> None:
    """Write a file under a temporary name beside it and rename it; a failure leaves nothing behind.

    What is there and no file, as a pipe or ``/dev/null``, is written to and stays what it is.

    Args:
        path: the file.
        content: what to write.
        durable: survive a power failure, too. Without it the file survives the end of this process, and is written
            many times as fast.

    Raises:
        OSError: if it cannot be written; the error names ``path``, not the temporary file.
    """
    target = Path(path)
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        if durable:
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())  # without it a power failure could leave an empty file under the new name
        os.replace(temporary, target)
    except OSError as error:
        if error.filename is None:
            raise
        raise type(error)(error.errno, error.strerror, str(target)) from None
    finally:
        temporary.unlink(missing_ok=True)
