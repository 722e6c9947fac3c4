"""A bot's subprocess: one line in, one line out, within a time limit and a size limit."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
import weakref
from typing import IO

MAX_LINE = 65_536  # bytes

_KEPT = 4  # unread lines that are buffered; a bot that prints more blocks until they are read


class BotError(Exception):
    """Raised when a bot's process crashes, does not answer in time or prints too much; the process has been ended."""


class BotProcess:
    """A bot's subprocess; it inherits our stderr."""

    def __init__(self, command: list[str]) -> None:
        """Start the process.

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
        pipes = _Pipes()
        for work, stream in ((_write, self._process.stdin), (_read, self._process.stdout)):
            threading.Thread(target=work, args=(stream, pipes), daemon=True).start()
        self._pipes = pipes
        self._end = weakref.finalize(self, _end, self._process, pipes)

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Send a line and return the line that the bot prints in reply.

        Args:
            line: the request, with its line break.
            seconds: time limit for sending and reply together.

        Raises:
            BotError: if no line comes in time, it is too long, or the bot does not read its input.
        """
        deadline = time.monotonic() + seconds
        self._pipes.outgoing.put(line)
        try:
            answer = self._pipes.incoming.get(timeout=seconds)
            # A bot may print a line without reading the request, so wait until the request was written, too.
            if answer.endswith(b"\n") and self._pipes.written.get(timeout=max(0.0, deadline - time.monotonic())):
                return answer
        except queue.Empty:
            self.end()
            raise BotError(f"time limit: no reply within {seconds:g} s") from None
        raise self._failure(answer)

    def _failure(self, answer: bytes) -> BotError:
        if len(answer) > MAX_LINE:
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
        """End the process, and on POSIX the processes that it has started."""
        self._end()


class _Pipes:
    """The queues between a process and its caller. Reading and writing block, so each has a thread of its own.

    Attributes:
        outgoing: lines to the process; ``None`` ends the thread.
        written: whether each of these lines was written; ``False`` if the process has stopped reading.
        incoming: lines from the process; an empty one marks the end.
        closed: set when the process has been ended.
    """

    def __init__(self) -> None:
        self.outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.written: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self.incoming: queue.Queue[bytes] = queue.Queue(_KEPT)
        self.closed = threading.Event()

    def close(self) -> None:
        """Make both threads end."""
        self.closed.set()
        self.outgoing.put(None)
        with contextlib.suppress(queue.Empty):
            while True:  # a thread that waits for room puts one more line, and then sees ``closed``
                self.incoming.get_nowait()


def _write(stream: IO[bytes], pipes: _Pipes) -> None:
    """Write lines to the process until ``None`` comes or the process stops reading."""
    with contextlib.suppress(OSError), stream:
        while (line := pipes.outgoing.get()) is not None:
            try:
                stream.write(line)
                stream.flush()
            except OSError:
                pipes.written.put(False)
                if not pipes.closed.is_set():
                    pipes.incoming.put(b"")
                return
            pipes.written.put(True)


def _read(stream: IO[bytes], pipes: _Pipes) -> None:
    """Read lines from the process until its output ends (it then puts an empty line) or a line is too long."""
    with stream:
        while not pipes.closed.is_set():
            try:
                line = stream.readline(MAX_LINE + 1)
            except OSError:
                line = b""
            pipes.incoming.put(line)
            if not line.endswith(b"\n"):
                return


def _end(process: subprocess.Popen[bytes], pipes: _Pipes) -> None:
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
    pipes.close()
