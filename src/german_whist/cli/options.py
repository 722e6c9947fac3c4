"""Options that several commands share, and their types: numbers, addresses of deals, the game, workers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from german_whist.envs.utils.specs import must_be, short_repr

if TYPE_CHECKING:
    from concurrent.futures import Executor


def parse_whole_number(text: str) -> int:
    """Return an argument as an integer."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be an integer, got {short_repr(text)}") from None


def parse_number(text: str) -> float:
    """Return an argument as a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, got {short_repr(text)}") from None


def parse_deal_address(text: str) -> tuple[int, int]:
    """Return the seed and the index of ``--deal SEED:INDEX``.

    Raises:
        ValueError: if the argument has another form.
    """
    seed, colon, index = text.partition(":")
    if not colon or not seed.isdecimal() or not index.isdecimal():
        raise ValueError(must_be("--deal", "SEED:INDEX, such as 7:0", text))
    return int(seed), int(index)


def add_match_options(parser: Any) -> None:
    """Add ``--seed``, ``--rules`` and ``--endgame`` to a command."""
    parser.add_argument(
        "--seed",
        type=parse_whole_number,
        metavar="N",
        default=0,
        help="seed of the deals and of the agents' random choices (default 0)",
    )
    parser.add_argument("--rules", default="classic", help="the game (see german-whist rules; default classic)")
    parser.add_argument(
        "--endgame",
        default="played",
        metavar="HOW",
        help="who plays the endgames: played, the agents (default), or exact, the solver, perfectly for both sides",
    )


def add_worker_options(parser: Any) -> None:
    """Add ``--workers`` and ``--ray`` to a command."""
    parser.add_argument(
        "--workers",
        type=parse_whole_number,
        metavar="N",
        help="play in N processes on this machine; the result is the same",
    )
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        nargs="?",
        const="local",
        help="play on the Ray cluster at ADDRESS (auto: the one that this machine belongs to); without ADDRESS, start "
        "Ray here; the result is the same",
    )


@contextmanager
def chosen_executor(options: argparse.Namespace) -> Iterator[Executor | None]:
    """Yield the executor that the options ask for; ``None`` to play in this process.

    Raises:
        ValueError: if the options are not allowed.
    """
    if options.workers is not None and options.ray is not None:
        raise ValueError("--workers and --ray cannot be combined")
    if options.ray is not None:
        from german_whist.evaluation.executors import RayExecutor

        with RayExecutor(options.ray) as executor:
            yield executor
    elif options.workers is not None:
        from german_whist.evaluation.executors import worker_processes

        with worker_processes(options.workers) as executor:
            yield executor
    else:
        yield None
