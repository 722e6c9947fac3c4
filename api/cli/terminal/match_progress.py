"""The progress bar of matches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def match_progress(unit: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on a terminal; yield the function to call with what was played since its last call."""
    from rich.progress import Progress

    from german_whist.cli.terminal.consoles import progress_console

    console = progress_console()
    with Progress(console=console, transient=True, disable=console.quiet) as bar:
        task = bar.add_task(unit, total=total)

        def progress(played: int) -> None:
            bar.advance(task, played)

        yield progress
