"""The contract: exit code 2 and one line, or a result, within 10 seconds of processor time, two minutes of time and a
gigabyte, and without running code.
"""

from __future__ import annotations

import contextlib
import io
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

from german_whist.cli import main

SECONDS = 10  # of processor time
WAIT = 120.0  # seconds on the wall, for what waits and does not compute
MEMORY = 1 << 30  # bytes more than at the start
FORBIDDEN = (
    *("os.system", "os.exec", "os.posix_spawn", "os.startfile", "subprocess.Popen", "socket.connect"),
    *("os.fork", "os.forkpty", "os.spawn", "pty.spawn"),
)


class BrokenError(AssertionError):
    """The contract is broken."""


_watching: list[str] | None = None


def _audit(event: str, arguments: Any) -> None:
    if _watching is not None and event in FORBIDDEN:
        _watching.append(f"{event} {arguments!r:.200}")


sys.addaudithook(_audit)


@contextlib.contextmanager
def limits() -> Iterator[None]:
    """Break the contract where the code inside takes too long, too much memory, or starts other code."""
    global _watching  # noqa: PLW0603 - an audit hook cannot be removed

    def too_long(number: int, frame: Any) -> None:
        of = f"{SECONDS} s of processor time" if number == signal.SIGPROF else f"{WAIT:g} s"
        raise BrokenError(f"it took more than {of}")

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    previous = {number: signal.signal(number, too_long) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WAIT)
    _watching = started = []
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in previous.items():
            signal.signal(number, handler)
        _watching = None
    if started:
        raise BrokenError(f"it ran other code: {started[0]}")
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak)
    if grown > MEMORY:
        raise BrokenError(f"it took {grown / 1e9:.1f} GB")


def refused_or(run: Callable[[], Any]) -> Any:
    """Return what a function returns, or ``None`` for a ``ValueError`` of one line; all else breaks the contract."""
    try:
        with limits():
            return run()
    except BrokenError:
        raise
    except ValueError as error:
        if not str(error) or "\n" in str(error):
            raise BrokenError(f"its error is not one line: {str(error)!r:.300}") from error
        return None
    except Exception as error:
        raise BrokenError(f"{type(error).__name__}: {error!s:.300}") from error


def command(words: list[str]) -> str | None:
    """Return what a command prints, or ``None`` where it refuses; anything else breaks the contract."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with limits(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
    except BrokenError:
        raise
    except BaseException as error:
        raise BrokenError(f"{type(error).__name__}: {error!s:.300}") from error
    if code == 0:
        return out.getvalue()
    lines = err.getvalue()
    if code != 2 or not lines.endswith("\n") or lines.count("\n") != 1:
        raise BrokenError(f"exit code {code}, error {lines!r:.500}")
    return None
