"""Warnings on standard error that a command prints once, however many processes it has."""

from __future__ import annotations

import sys
import threading
from typing import Any

COMPILING, TABLE_IN_MEMORY, NOT_CACHED = 0, 1, 2
NUM_WARNINGS = 3

_warned: Any = bytearray(NUM_WARNINGS)
_lock: Any = threading.Lock()


def share_warnings(warned: Any) -> None:
    """Share with other processes which warnings have been printed.

    Args:
        warned: a ``multiprocessing.Array`` of ``NUM_WARNINGS`` bytes.
    """
    global _warned, _lock
    _warned, _lock = warned, warned.get_lock()


def warn_once(which: int, line: str) -> None:
    """Print a warning on standard error unless one of the processes has printed it."""
    with _lock:
        was_warned, _warned[which] = _warned[which], 1
    if not was_warned:
        print(f"german-whist: {line}", file=sys.stderr, flush=True)
