"""``german-whist serve``: play against an agent in the browser."""

from __future__ import annotations

import argparse
from typing import Any

from german_whist.cli.options import add_rules_option


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "serve",
        help="play against an agent in the browser",
        description="Serve a page on which you play any game against any agent, with hints, undo and a review of every "
        "deal, and open it in the browser. Nothing is fetched from the internet, and the games are stored in the "
        "browser. Ctrl-C stops the server.",
        epilog="example: german-whist serve --rules small --agent heuristic",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1, this computer)")
    parser.add_argument("--port", type=int, metavar="N", default=8917, help="port (default 8917; 0: any free one)")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="also answer requests for this host name, such as that of a proxy; may be repeated",
    )
    parser.add_argument(
        "--agent",
        action="append",
        default=[],
        metavar="AGENT",
        help="an opponent that the page offers first; may be repeated",
    )
    add_rules_option(parser)
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the deals (default: a new one for each game)")
    parser.add_argument("--no-browser", action="store_true", help="open no browser, only print the address")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until a signal comes."""
    from german_whist.table.page_data import ServeOptions
    from german_whist.table.server import allowed_host, serve

    if not 0 <= options.port < 2**16:
        raise ValueError(f"--port must be an integer from 0 to 65535, got {options.port}")
    allowed_hosts = [allowed_host(name) for name in options.allow_host]
    if options.seed is not None and not 0 <= options.seed < 2**53:  # above, JavaScript's numbers are not exact
        raise ValueError(f"--seed must be an integer from 0 to {2**53 - 1}, got {options.seed}")
    served = ServeOptions(options.rules, tuple(dict.fromkeys(options.agent)), options.seed)
    serve(served, options.host, options.port, allowed_hosts=allowed_hosts, opens_browser=not options.no_browser)
    return 0
