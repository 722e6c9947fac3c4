"""``--workers`` and ``--ray``: who plays the deals."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from german_whist.cli.terminal.argument_types import parse_whole_number

if TYPE_CHECKING:
    from concurrent.futures import Executor

LOCAL = "local"


def add_worker_options(parser: Any) -> None:
    """Add the options to a command."""
    parser.add_argument(
        "--workers",
        type=parse_whole_number,
        metavar="N",
        help="play with N processes on this machine; the result is the same",
    )


@contextmanager
def chosen_executor(options: argparse.Namespace) -> Iterator[Executor | None]:
    """Yield the executor that the options name; ``None`` for this process.

    Raises:
        ValueError: when the options are not allowed.
    """
    if options.workers is None:
        yield None
        return
    from german_whist.arena.parallel.executors import worker_processes

    with worker_processes(options.workers) as executor:
        yield executor
