"""A bot's process: lines go in, lines come out, within a time limit and a size limit."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import weakref
from typing import IO

MAX_LINE = 65_536  # bytes

_KEPT = 4  # lines that wait unread; a bot that prints more waits until they are read


class BotError(Exception):
    """A process that ended, did not answer in time, or printed too much; it has been ended."""


class BotProcess:
    """A running bot. Its standard error is ours."""

    def __init__(self, command: list[str]) -> None:
        """Start it.

        Args:
            command: the program and its arguments; no shell is involved.

        Raises:
            ValueError: if the program cannot be started.
        """
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=os.name == "posix"
            )
        except OSError as error:
            raise ValueError(f"{command[0]!r} cannot be started: {error.strerror or error}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin = self._process.stdin
        self._lines: queue.Queue[bytes] = queue.Queue(_KEPT)
        threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True).start()
        self._end = weakref.finalize(self, _end, self._process)

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Send a line and return the line that comes back.

        Raises:
            BotError: if none comes, or it is too long.
        """
        try:
            self._stdin.write(line)
            self._stdin.flush()
            answer = self._lines.get(timeout=seconds)
        except OSError:  # it reads no more
            raise self._failure(None) from None
        except queue.Empty:
            self.end()
            raise BotError(f"time limit: no reply within {seconds:g} s") from None
        if not answer.endswith(b"\n"):
            raise self._failure(answer)
        return answer

    def _failure(self, answer: bytes | None) -> BotError:
        if answer and len(answer) > MAX_LINE:
            self.end()
            return BotError(f"it printed a line of more than {MAX_LINE} bytes")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        code = self._process.poll()
        self.end()
        if code is None:
            return BotError("it closed its input or output")
        return BotError(f"crash: it ended with {f'signal {-code}' if code < 0 else f'exit code {code}'}")

    def end(self) -> None:
        """End it, with the processes that it has started."""
        self._end()


def _read(stream: IO[bytes], lines: queue.Queue[bytes]) -> None:
    """Pass lines on until the stream ends, which an empty line says, or one is too long."""
    while True:
        try:
            line = stream.readline(MAX_LINE + 1)
        except (OSError, ValueError):  # closed
            line = b""
        lines.put(line)
        if not line.endswith(b"\n"):
            return


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
