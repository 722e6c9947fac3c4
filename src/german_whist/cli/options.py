"""Options that several commands share: agents, the game, JSON, the address of a deal, workers."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Executor


def add_agents(parser: Any, help: str, *, several: bool = True) -> None:  # noqa: A002 - as argparse calls it
    """Add the positional argument ``agents``, or ``agent`` for one."""
    name, number = ("agents", "+") if several else ("agent", None)
    parser.add_argument(name, nargs=number, metavar="AGENT", help=f"{help} (see german-whist agents)")


def add_rules_option(parser: Any, default: str = "classic") -> None:
    """Add ``--rules``."""
    parser.add_argument("--rules", default=default, help=f"the game (see german-whist rules; default {default})")


def add_json_option(parser: Any) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def parse_deal_address(text: str) -> tuple[int, int]:
    """Return the seed and the index of ``--deal SEED:INDEX``.

    Raises:
        ValueError: if the argument has another form.
    """
    try:
        seed, index = map(int, text.split(":"))
    except ValueError:
        raise ValueError(f"--deal must be SEED:INDEX, such as 7:0, got {text!r}") from None
    return seed, index


def add_match_options(parser: Any) -> None:
    """Add ``--seed``, ``--rules`` and ``--endgame`` to a command."""
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        default=0,
        help="seed of the deals and of the agents' random choices (default 0)",
    )
    add_rules_option(parser)
    parser.add_argument(
        "--endgame",
        default="played",
        metavar="HOW",
        help="who plays the endgames: played, the agents (default), or exact, the solver, perfectly for both sides",
    )


def add_worker_options(parser: Any) -> None:
    """Add ``--workers`` and ``--ray`` to a command."""
    workers = parser.add_mutually_exclusive_group()
    workers.add_argument(
        "--workers", type=int, metavar="N", help="play in N processes on this machine; the result is the same"
    )
    workers.add_argument(
        "--ray",
        metavar="ADDRESS",
        nargs="?",
        const="local",
        help="play on the Ray cluster at ADDRESS (auto: the one that this machine belongs to); without ADDRESS, start "
        "Ray here; the result is the same",
    )


def chosen_executor(options: argparse.Namespace) -> AbstractContextManager[Executor | None]:
    """Return the executor that the options ask for; ``None`` to play in this process."""
    if options.ray is not None:
        from german_whist.evaluation.executors import RayExecutor

        return RayExecutor(options.ray)
    if options.workers is not None:
        from german_whist.evaluation.executors import worker_processes

        return worker_processes(options.workers)
    return nullcontext()
