"""Reading files of others: not from pipes and devices, which may never end, and no more than a limit."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def read_limited(path: str | Path, most: int) -> bytes:
    """Return the contents of a file.

    Args:
        path: the file.
        most: the largest size that is read, in bytes.

    Raises:
        FileNotFoundError: when there is no such file.
        ValueError: when it is not a file, is too large or cannot be read; the message names it.
    """
    try:
        about = os.stat(path)
        if not stat.S_ISREG(about.st_mode) and not stat.S_ISDIR(about.st_mode):
            raise ValueError(f"{path}: is not a file")
        with open(path, "rb") as file:
            content = file.read(most + 1) if about.st_size <= most else b""
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    size = max(about.st_size, len(content))
    if size > most:
        raise ValueError(f"{path}: has {size} bytes, and at most {most} are read")
    return content
