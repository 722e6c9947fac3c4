"""The consoles of tables and of progress bars."""

from __future__ import annotations

from rich.console import Console


def table_console(piped_width: int = 160) -> Console:
    """Return a console on standard output; in a pipe, where there is no width to fit, it has room for long lines.

    Args:
        piped_width: characters in a line where the output is no terminal.
    """
    console = Console()
    return console if console.is_terminal else Console(width=piped_width)


def progress_console() -> Console:
    """Return a console on standard error that prints nothing unless that is a terminal.

    Older versions of rich end even a disabled progress bar with an empty line.
    """
    console = Console(stderr=True)
    console.quiet = not console.is_terminal
    return console
