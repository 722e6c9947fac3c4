"""What all commands share in the terminal: consoles, progress bars, commands to copy, exit codes."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from german_whist.envs.utils.plain_text import ERRORS

if TYPE_CHECKING:
    from rich.console import Console

NAME = "german-whist"

_WIDEST = 100  # characters in a line of a paragraph
_PIPED = 200  # characters in a line of a table if the output is not a terminal

# Exit codes.
BAD_INPUT = 2
INTERRUPTED = 130  # as a shell reports a process that SIGINT ended


def replace_closed_streams() -> None:
    """Connect standard input and standard error to the null device if they are closed.

    Otherwise the next file that is opened would take their place.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def use_plain_text() -> None:
    """Make standard streams write substitutes for what their encoding lacks, such as ``+-`` for ±, not fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ERRORS)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")


def table_console() -> Console:
    """Return a console on standard output; in a pipe, which has no width, its lines may be long."""
    from rich.console import Console

    console = Console()
    return console if console.is_terminal else Console(width=_PIPED)


def wrapped(text: str, indent: str = "") -> str:
    """Return a paragraph in lines that fit the terminal."""
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent)


def progress_console() -> Console:
    """Return a console on standard error that prints nothing unless that is a terminal.

    Older versions of rich end even a disabled progress bar with an empty line.
    """
    from rich.console import Console

    console = Console(stderr=True)
    console.quiet = not console.is_terminal
    return console


@contextmanager
def progress_bar(unit: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar in a terminal; yield a function to call with the progress since its last call."""
    from rich.progress import Progress

    console = progress_console()
    with Progress(console=console, transient=True, disable=console.quiet) as bar:
        task = bar.add_task(unit, total=total)

        def progress(played: int) -> None:
            bar.advance(task, played)

        yield progress


def printed_command(*words: object) -> str:
    """Return a command of this program, ready to paste into a POSIX shell.

    Args:
        words: its arguments; a path that looks like an option gets ``./`` in front.
    """
    paths = (
        os.path.join(".", word) if isinstance(word, Path) and str(word).startswith("-") else word for word in words
    )
    return " ".join([program_name(), *(_shell_word(str(word)) for word in paths)])


def _shell_word(word: str) -> str:
    """Return a word quoted for a POSIX shell, in characters that the terminal can show."""
    try:
        word.encode(getattr(sys.stdout, "encoding", None) or "ascii")
        is_shown = word.isprintable()
    except UnicodeError:
        is_shown = False
    if is_shown:
        return shlex.quote(word)
    signs = (chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\0{byte:03o}" for byte in os.fsencode(word))
    return f"\"$(printf %b '{''.join(signs)}')\""


def program_name() -> str:
    """Return the program's name if the shell finds it, else the path typed, such as ``.venv/bin/german-whist``."""
    if shutil.which(NAME):
        return NAME
    return _shell_word(sys.argv[0]) if Path(sys.argv[0]).name == NAME else "python -m german_whist"
