"""``german-whist agents``: what agents there are."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from german_whist.agents.pretrained.catalog import PretrainedAgent
    from german_whist.agents.registry import AgentKind, AgentSuffix


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "agents",
        help="list the agents",
        description="List the kinds of agents and how to name them, and the trained agents in the box.",
        epilog="example: german-whist agents --json",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the agents."""
    from german_whist.agents.pretrained.catalog import pretrained_agents
    from german_whist.agents.registry import KINDS, SUFFIXES

    entries: dict[str, AgentKind | AgentSuffix] = {**KINDS, **{f"+{name}": suffix for name, suffix in SUFFIXES.items()}}
    boxed = pretrained_agents()
    if options.json:
        described: dict[str, Any] = {
            name: {"usage": entry.usage, "description": entry.description} for name, entry in entries.items()
        }
        print(json.dumps({**described, **{agent.name: _facts(agent) for agent in boxed}}))
        return 0
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table()
    table.add_column("agent")
    table.add_column("what it does")
    for entry in entries.values():
        table.add_row(entry.usage.replace("[", r"\["), entry.description)
    console.print(table)
    if boxed:
        trained = Table(
            title=r"trained agents in the box: NAME\[:SETTINGS], as for a checkpoint",
            title_justify="left",
            title_style="bold",
            caption=_caption(boxed),
            caption_justify="left",
        )
        for heading in ("agent", "game", "games won", "against", "size"):
            trained.add_column(heading, justify="right" if heading in ("games won", "size") else "left")
        for agent in boxed:
            trained.add_row(*_row(agent))
        console.print(trained)
    return 0


def _usage(name: str) -> str:
    return f"{name}[:SETTINGS]"


def _caption(boxed: Iterable[PretrainedAgent]) -> str | None:
    """Return what stands under the table: which agents need no ``+exact``."""
    names = [agent.name for agent in boxed if agent.endgame == "solved"]
    return f"Solve their endgames: {', '.join(names)} (endgame=played leaves them to the network)." if names else None


def _facts(agent: PretrainedAgent) -> dict[str, Any]:
    """Return an entry of the JSON: that of any agent, and what is known of a trained one."""
    from german_whist.agents.registry import NETWORK_SETTINGS

    return {
        "usage": _usage(agent.name),
        "description": f"trained for {agent.rules}; {NETWORK_SETTINGS}",
        "rules": agent.rules,
        "endgame": agent.endgame,
        "strength": agent.strength,
        "bytes": agent.size,
    }


def _row(agent: PretrainedAgent) -> tuple[str, ...]:
    from german_whist.agents.pretrained.model_cards import win_rate

    strength = agent.strength
    won, opponent = ("not measured", "") if strength is None else (win_rate(strength), strength["opponent"])
    return agent.name, agent.rules, won, opponent, f"{agent.size / 1000:.0f} kB"
