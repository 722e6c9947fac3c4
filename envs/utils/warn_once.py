"""Lines on standard error that the processes of a command print once together."""

from __future__ import annotations

import sys
from typing import Any

COMPILING, TABLE_IN_MEMORY = 0, 1
NUM_WARNINGS = 2

_warned: Any = bytearray(NUM_WARNINGS)


def share_warnings(warned: Any) -> None:
    """Share with other processes which lines have been printed.

    Args:
        warned: a ``multiprocessing.Array`` of ``NUM_WARNINGS`` bytes.
    """
    global _warned  # noqa: PLW0603 - set once, as a process begins
    _warned = warned


def warn_once(which: int, line: str) -> None:
    """Print a line on standard error unless one of the processes has printed it."""
    if not _warned[which]:
        _warned[which] = 1
        print(f"german-whist: {line}", file=sys.stderr, flush=True)
