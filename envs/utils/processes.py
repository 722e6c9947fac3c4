"""Ending a process at once, and together with the process that started it."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

_GRACE = 2.0  # seconds for what is registered to run at exit


def end_process(code: int) -> NoReturn:
    """End this process at once, whatever its threads are doing. Exit handlers, such as one that ends a bot, still run.

    Args:
        code: the exit code.
    """
    exiting = threading.Thread(target=atexit._run_exitfuncs, daemon=True)
    exiting.start()
    exiting.join(_GRACE)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def end_with_parent(await_end: Callable[[], object]) -> None:
    """End this process as soon as its parent ends, however the parent ends.

    Args:
        await_end: blocks until the parent has ended, for example by reading a pipe that only the parent can write to.
    """

    def watch() -> None:
        await_end()
        end_process(1)

    threading.Thread(target=watch, daemon=True, name="parent").start()
