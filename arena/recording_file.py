"""Files of recordings: one deal a line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from german_whist.arena.recording import Recording


@contextmanager
def writing_recordings(path: str | Path) -> Iterator[Callable[[Recording], None]]:
    """Give a function that adds a recording to a new file; the file appears when all of them are written.

    Raises:
        ValueError: when the file cannot be written.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    if target.is_dir():
        raise ValueError(f"{path}: cannot be written: it is a folder")
    try:
        file = temporary.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise ValueError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        with file:
            yield lambda recording: print(recording.to_line(), file=file)
        os.replace(temporary, target)
    except OSError as error:
        raise ValueError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        temporary.unlink(missing_ok=True)


def read_recordings(path: str | Path, *, verify: bool = True) -> Iterator[Recording]:
    """Yield the recordings of a file in order; empty lines are passed over.

    Args:
        path: the file.
        verify: replay each recording, so that only whole deals with the recorded result come out.

    Raises:
        ValueError: when the file cannot be read, or at a line that is cut, foreign or illegal; the message names the
            file and the line, from 1.
    """
    for number, recording in _numbered(path):
        if verify:
            with at_line(path, number):
                recording.replay()
        yield recording


def read_recording(path: str | Path, line: int) -> Recording:
    """Return the recording in one line of a file, from 1; whether it can be replayed is not checked.

    Raises:
        ValueError: when the file cannot be read, has no such line, or the line holds no recording.
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
    """Say file and line in every ``ValueError`` from within."""
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
            yield from enumerate(file, 1)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("recording: not text in UTF-8") from None
