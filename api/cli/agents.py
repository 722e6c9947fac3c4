"""``german-whist agents``: what agents there are."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from german_whist.agents.registry import AgentKind, AgentSuffix


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "agents",
        help="list the agents",
        description="List the kinds of agents and how to name them.",
        epilog="example: german-whist agents --json",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the agents."""
    from german_whist.agents.registry import KINDS, SUFFIXES

    entries: dict[str, AgentKind | AgentSuffix] = {**KINDS, **{f"+{name}": suffix for name, suffix in SUFFIXES.items()}}
    if options.json:
        described = {name: {"usage": entry.usage, "description": entry.description} for name, entry in entries.items()}
        print(json.dumps(described))
        return 0
    from rich.console import Console
    from rich.table import Table

    table = Table()
    table.add_column("agent")
    table.add_column("what it does")
    for entry in entries.values():
        table.add_row(entry.usage.replace("[", r"\["), entry.description)
    Console().print(table)
    return 0
