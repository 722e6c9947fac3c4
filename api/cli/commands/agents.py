"""``german-whist agents``: list the agents."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from german_whist.envs.engine.endgame_hook import EXACT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from german_whist.agents.pretrained.catalog import PretrainedAgent
    from german_whist.agents.registry import AgentKind, AgentSuffix


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "agents",
        help="list the agents",
        description="List the kinds of agents and how to name them, and the pretrained agents with their strength.",
        epilog="example: german-whist agents --json",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the agents."""
    from german_whist.agents.pretrained.catalog import BASELINE, pretrained_agents
    from german_whist.agents.registry import KINDS, SUFFIXES

    entries: dict[str, AgentKind | AgentSuffix] = {**KINDS, **{f"+{name}": suffix for name, suffix in SUFFIXES.items()}}
    pretrained = pretrained_agents()
    if options.json:
        described: dict[str, Any] = {
            name: {"usage": entry.usage, "description": entry.description} for name, entry in entries.items()
        }
        print(json.dumps({**described, **{agent.name: _facts(agent) for agent in pretrained}}))
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
    if pretrained:
        networks = Table(
            title=r"pretrained agents: NAME\[:SETTINGS], settings as for a checkpoint",
            title_justify="left",
            title_style="bold",
            caption=_caption(pretrained),
            caption_justify="left",
        )
        networks.add_column("agent", no_wrap=True)
        networks.add_column("game", no_wrap=True)
        networks.add_column(f"games won against\n{BASELINE}", justify="right", no_wrap=True)
        networks.add_column("size", justify="right", no_wrap=True)
        for agent in pretrained:
            networks.add_row(*_row(agent))
        console.print(networks)
    return 0


def _usage(name: str) -> str:
    return f"{name}[:SETTINGS]"


def _caption(pretrained: Sequence[PretrainedAgent]) -> str:
    """Return the caption of the table: which agents have more networks, and which need no ``+exact``."""
    from german_whist.agents.pretrained.catalog import EVERY_SUFFIX, networks_by_game

    names = [agent.name for agent in pretrained]
    lines = []
    for name in names:
        if f"{name}{EVERY_SUFFIX}" in names:
            by_game = "".join(f", {game} with {other}" for game, other in networks_by_game(name).items())
            lines.append(f"{name} plays other games with {name}{EVERY_SUFFIX}{by_game}.")
    exact = ", ".join(agent.name for agent in pretrained if agent.endgame == EXACT)
    if exact:
        lines.append(f"Exact endgames: {exact} (endgame=played leaves them to the network).")
    return "\n".join(lines)


def _facts(agent: PretrainedAgent) -> dict[str, Any]:
    """Return the JSON entry of a pretrained agent."""
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
    from german_whist.agents.pretrained.catalog import BASELINE
    from german_whist.agents.pretrained.model_cards import win_rate

    strength = agent.strength
    won = "not measured"
    if strength is not None and strength["opponent"].partition(", ")[0] == BASELINE:
        won = win_rate(strength)
    game = "all but humbug" if " " in agent.rules else agent.rules
    return agent.name, game, won, f"{agent.size / 1e6:.1f} MB"
