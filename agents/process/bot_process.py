"""A bot's process: lines go in, lines come out, within a time limit and a size limit."""

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
        pipes = _Pipes()
        for work, stream in ((_write, self._process.stdin), (_read, self._process.stdout)):
            threading.Thread(target=work, args=(stream, pipes), daemon=True).start()
        self._pipes = pipes
        self._end = weakref.finalize(self, _end, self._process, pipes)

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Send a line and return the line that comes back; the time limit holds for both.

        Raises:
            BotError: if none comes, it is too long, or the bot does not read.
        """
        deadline = time.monotonic() + seconds
        self._pipes.outgoing.put(line)
        try:
            answer = self._pipes.incoming.get(timeout=seconds)
            # A bot that does not read can print a line nevertheless.
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
        """End it, with the processes that it has started."""
        self._end()


class _Pipes:
    """What passes between a process and whoever asks it. A thread each reads and writes: pipes block.

    Attributes:
        outgoing: lines to the process; ``None`` is the last.
        written: for each of them, whether it was written; ``False``: the process reads no more.
        incoming: lines from the process; an empty one is the last.
        closed: set when the process is ended.
    """

    def __init__(self) -> None:
        self.outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.written: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self.incoming: queue.Queue[bytes] = queue.Queue(_KEPT)
        self.closed = threading.Event()

    def close(self) -> None:
        """Let the threads end."""
        self.closed.set()
        self.outgoing.put(None)
        with contextlib.suppress(queue.Empty):
            while True:  # whoever waits for room passes on one line more, and sees then that it is over
                self.incoming.get_nowait()


def _write(stream: IO[bytes], pipes: _Pipes) -> None:
    """Pass lines on until there are no more, or nobody reads them."""
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
    """Pass lines on until the stream ends, which an empty line says, or one is too long."""
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
