"""Files of recordings, one deal per line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from german_whist.arena.recording import MAX_LINE, Recording


@contextmanager
def writing_recordings(path: str | Path) -> Iterator[Callable[[Recording], None]]:
    """Yield a function that adds a recording to a new file; the file appears once all are written.

    Raises:
        ValueError: when the file cannot be written.
    """
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"{path}: cannot be written: it is a folder")
    is_stream = target.exists() and not target.is_file()  # as a pipe or /dev/null, which stays what it is
    temporary = target if is_stream else target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        file = temporary.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise ValueError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        with file:
            yield lambda recording: print(recording.to_line(), file=file)
        if not is_stream:
            os.replace(temporary, target)
    except OSError as error:
        raise ValueError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        if not is_stream:
            temporary.unlink(missing_ok=True)


def read_recordings(path: str | Path, *, verify: bool = True) -> Iterator[Recording]:
    """Yield the recordings of a file in order; empty lines are skipped.

    Args:
        path: the file, as ``german-whist evaluate --record FILE`` writes it.
        verify: replay each recording and check its result.

    Yields:
        One :class:`Recording` per line.

    Raises:
        ValueError: when the file cannot be read, or at a line that is truncated, not a recording, or (with ``verify``)
            cannot be replayed; the message names the file and the line, counted from 1.
    """
    for number, recording in _numbered(path):
        if verify:
            with at_line(path, number):
                recording.replay()
        yield recording


def read_recording(path: str | Path, line: int) -> Recording:
    """Return the recording in one line of a file, counted from 1, without replaying it.

    Raises:
        ValueError: when the file cannot be read, has no such line, or the line is not a recording.
    """
    last = 0
    for number, text in _lines(path):
        last = number
        if number == line:
            with at_line(path, number):
                return Recording.from_line(_decoded(text))
    raise ValueError(f"{path}: line {line} does not exist: the file has {last} line{'' if last == 1 else 's'}")


@contextmanager
def at_line(path: str | Path, number: int) -> Iterator[None]:
    """Prefix every ``ValueError`` raised inside with the file and the line.

    Raises:
        ValueError: when one is raised inside.
    """
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}, line {number}: {error}") from None


def _numbered(path: str | Path) -> Iterator[tuple[int, Recording]]:
    for number, text in _lines(path):
        if not text.strip():
            continue
        with at_line(path, number):
            recording = Recording.from_line(_decoded(text))
        yield number, recording


def _lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    try:
        with Path(path).open("rb") as file:
            number = 0
            while line := file.readline(4 * MAX_LINE + 1):  # a character of UTF-8 has up to four bytes
                number += 1
                if len(line) > 4 * MAX_LINE:
                    raise ValueError(f"{path}, line {number}: recording: the line has more than {MAX_LINE} characters")
                yield number, line
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("recording: not UTF-8 text") from None
