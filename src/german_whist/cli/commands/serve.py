"""``german-whist serve``: a page in the browser on which a person plays against an agent."""

from __future__ import annotations

import argparse
from typing import Any

from german_whist.cli.options import parse_whole_number
from german_whist.envs.utils.specs import integers, must_be


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "serve",
        help="play in the browser",
        description="Serve a page for this computer's browser: play any game against any agent, with hints, taking "
        "back and a review of every deal. Nothing is fetched from the internet. Ctrl-C ends it; every card is saved.",
        epilog="example: german-whist serve --rules small --agent heuristic",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1, this computer)")
    parser.add_argument(
        "--port", type=parse_whole_number, metavar="N", help="port (default 8917, or a free one if that is taken)"
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="answer to this name, too, as behind a proxy: the host in the browser's address; repeat for more",
    )
    parser.add_argument("--agent", metavar="AGENT", help="the opponent (default: the strongest that plays the game)")
    parser.add_argument("--rules", default="classic", help="the game, see german-whist rules (default classic)")
    parser.add_argument(
        "--seed", type=parse_whole_number, metavar="N", help="seed of the deals (default: a new one for each session)"
    )
    parser.add_argument("--data", metavar="FOLDER", help="folder for sessions and statistics (default: the user's)")
    parser.add_argument("--no-browser", action="store_true", help="print the address only")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until a signal comes."""
    from pathlib import Path

    from german_whist.session.settings import Settings
    from german_whist.web.data_folder import writable_data_folder
    from german_whist.web.guard import allowed_host
    from german_whist.web.server import serve
    from german_whist.web.service import ServeOptions

    if options.port is not None and not 0 <= options.port < 2**16:
        raise ValueError(must_be("port", integers(0, 2**16 - 1), options.port))
    allowed_hosts = [allowed_host(name) for name in options.allow_host]
    Settings(rules=options.rules, seed=options.seed or 0)
    if options.agent is not None:
        _check_agent(options.agent, options.rules)
    folder = writable_data_folder() if options.data is None else Path(options.data)
    defaults = ServeOptions(options.rules, options.agent, options.seed)
    serve(
        defaults,
        folder,
        options.host,
        options.port,
        allowed_hosts=allowed_hosts,
        opens_browser=not options.no_browser,
    )
    return 0


def _check_agent(agent: str, rules: str) -> None:
    """Refuse an agent that does not exist, does not play the game or does not start, before anything is served."""
    from german_whist.agents.registry import make_agent
    from german_whist.envs.engine.rules import rules as rules_named
    from german_whist.session.opponent import start_agent

    start_agent(make_agent(agent, rules_named(rules)))
