"""How a run is stopped: a signal asks for it, and work of many seconds is given up between two of its steps."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_ANSWER = "stopping, and saving; Ctrl-C again to stop at once"
_SAID_WITHIN = 5.0  # seconds that the end of a run waits for its answer to be written


class Stopped(Exception):  # noqa: N818 - no error
    """Work was given up because the run is to stop."""


class StopRequest:
    """Whether a run is to stop.

    Attributes:
        is_made: whether it has been asked to.
    """

    def __init__(self) -> None:
        """Start with a run that goes on."""
        self.is_made = False

    def check(self, *_: object) -> None:
        """Give up if the run is to stop; usable as a callback of whatever arguments.

        Raises:
            Stopped: when it is.
        """
        if self.is_made:
            raise Stopped


@contextmanager
def stop_signals(stop: StopRequest, say: Callable[[str], None]) -> Iterator[None]:
    """Let SIGINT and SIGTERM ask a run to stop; a second SIGINT interrupts at once, as usual.

    In a thread that is not the main one, which alone can set handlers, signals do what they did.

    Args:
        stop: where they ask.
        say: prints the answer to the first of them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.getsignal(signal.SIGINT)
    if previous in (signal.SIG_IGN, None):  # as in a job in the background of a script
        previous = signal.default_int_handler
    # Said by another thread: the one that is interrupted may hold a lock of the console.
    answer = threading.Thread(target=say, args=(_ANSWER,), daemon=True)

    def ask(number: int, frame: Any) -> None:
        signal.signal(signal.SIGINT, previous)
        if not stop.is_made:
            stop.is_made = True
            answer.start()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if answer.ident is not None:
            answer.join(_SAID_WITHIN)
