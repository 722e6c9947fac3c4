"""``german-whist rules``: the presets, and the rules of a game in words."""

from __future__ import annotations

import argparse
import json
from typing import Any

from german_whist.cli.options import add_json_option
from german_whist.cli.terminal import print_names


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "rules",
        help="list the presets, or print the rules of a game",
        description="List the rule presets, or print the rules of a game in words, generated from its settings.",
        epilog="example: german-whist rules classic:hand=10,stock=32",
    )
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="a preset, or a preset with changed settings, such as classic:hand=10,stock=32",
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the presets or the rules."""
    from german_whist.game.rules import rule_names, rules

    if options.name is not None:
        named_rules = rules(options.name)
        if options.json:
            print(json.dumps(named_rules.to_dict()))
        else:
            from german_whist.simulator.text.rules_text import rules_text

            print(rules_text(named_rules))
        return 0
    if options.json:
        print(json.dumps({name: rules(name).to_dict() for name in rule_names()}))
        return 0
    from german_whist.simulator.text.rules_text import preset_summary

    print_names([(name, preset_summary(name)) for name in rule_names()])
    return 0
