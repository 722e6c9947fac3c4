"""``german-whist agents``: list the agents."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import add_json_option
from german_whist.cli.terminal import print_names

if TYPE_CHECKING:
    from german_whist.agents.pretrained import PretrainedNetwork


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "agents",
        help="list the agents",
        description="List the agents, with a recommendation.",
        epilog="example: german-whist agents --json",
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the agents."""
    from german_whist.agents.pretrained import pretrained_networks
    from german_whist.agents.registry import NETWORK_SETTINGS, USAGES

    pretrained = {network.name: _facts(network) for network in pretrained_networks()}
    if options.json:
        described = {name: {"usage": usage, "description": about} for name, (usage, about) in USAGES.items()}
        print(json.dumps({**pretrained, **described}))
        return 0
    rows = [*((facts["usage"], facts["description"]) for facts in pretrained.values()), *USAGES.values()]
    print("Use champion. champion:search=256 is stronger and slower; small is faster.\n")
    print_names(rows)
    print(f"\nSETTINGS of networks: {NETWORK_SETTINGS}")
    return 0


def _facts(network: PretrainedNetwork) -> dict[str, Any]:
    """Return the JSON entry of a pretrained agent."""
    from german_whist.agents.pretrained import BASELINE, DESCRIPTIONS, win_rate

    result = network.model_card["results"].get(BASELINE)
    strength = "" if result is None else f"; wins {win_rate(result)} against {BASELINE} in classic"
    return {
        "usage": f"{network.name}[:SETTINGS]",
        "description": f"{DESCRIPTIONS[network.name]}; every game but humbug{strength}",
        "endgame": network.endgame,
        "strength": None if result is None else {"opponent": BASELINE, **result},
        "bytes": network.size,
    }
