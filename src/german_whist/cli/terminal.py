"""Terminal output: reports as framed tables, progress bars, commands to copy."""

from __future__ import annotations

import shlex
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from german_whist.evaluation.report import Table

BAD_INPUT, INTERRUPTED = 2, 130  # exit codes; the second as a shell reports a process that SIGINT ended

_WIDEST = 100  # characters in a line of a paragraph


def wrapped(text: str) -> str:
    """Return a paragraph in lines that fit the terminal."""
    return textwrap.fill(text, min(shutil.get_terminal_size().columns, _WIDEST))


def print_names(rows: Sequence[tuple[str, str]]) -> None:
    """Print names and what they mean in two columns, in a terminal as wide as it is, elsewhere a line each."""
    indent = max(len(name) for name, _ in rows) + 2
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    for name, meaning in rows:
        print(textwrap.fill(meaning, columns, initial_indent=name.ljust(indent), subsequent_indent=" " * indent))


@contextmanager
def progress_bar(unit: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar in a terminal; yield a function to call with the progress since its last call."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    console.quiet = not console.is_terminal  # older versions of rich end even a disabled bar with an empty line
    with Progress(console=console, transient=True, disable=console.quiet) as bar:
        task = bar.add_task(unit, total=total)
        yield lambda played: bar.advance(task, played)


def print_report(parts: Sequence[Table | str]) -> None:
    """Print the tables and lines of a report; in a pipe as text without frames."""
    if not sys.stdout.isatty():
        print(*parts, sep="\n")
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as Framed

    from german_whist.evaluation.report import NAMES

    console = Console()
    for part in parts:
        if isinstance(part, str):
            console.print(part, highlight=False, markup=False, soft_wrap=True)
            continue
        framed = Framed(title=escape(part.title), title_justify="left", title_style="bold")
        for heading in part.columns:
            framed.add_column(escape(heading), justify="left" if heading in NAMES else "right", overflow="fold")
        for row in part.rows:
            framed.add_row(*map(escape, row))  # a file's name may look like markup
        console.print(framed)
        for note in part.notes:
            console.print(note, style="dim", highlight=False, soft_wrap=True)


def printed_command(*words: object) -> str:
    """Return a command of this program, ready to paste into a shell."""
    program = sys.argv[0] if Path(sys.argv[0]).name == "german-whist" else "python -m german_whist"
    return f"{'german-whist' if shutil.which('german-whist') else program} {shlex.join(map(str, words))}"
