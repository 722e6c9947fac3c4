"""The console of progress bars."""

from __future__ import annotations

from rich.console import Console


def progress_console() -> Console:
    """Return a console on standard error that prints nothing unless that is a terminal.

    Older versions of rich end even a disabled progress bar with an empty line.
    """
    console = Console(stderr=True)
    console.quiet = not console.is_terminal
    return console
