"""``german-whist benchmark``: one rating of an agent, comparable with everyone else's."""

from __future__ import annotations

import argparse
import json
from typing import Any

from german_whist.cli.options import add_agents, add_json_option, add_worker_options, chosen_executor
from german_whist.cli.terminal import print_report, progress_bar


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "benchmark",
        help="rate an agent by the gw-bench-v1 protocol",
        description="Play fixed mirrored deals of the classic game against a fixed ladder of agents, and print one "
        "rating with its interval. The protocol, gw-bench-v1, is the same for everyone, so ratings can be compared.",
        epilog="example: german-whist benchmark runs/mine",
    )
    add_agents(parser, "the agent", several=False)
    add_worker_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play, and print the table and the rating."""
    from german_whist.evaluation.benchmark import benchmark, total_deals

    with progress_bar("deals", total_deals()) as progress, chosen_executor(options) as executor:
        result = benchmark(options.agent, progress=progress, executor=executor)
    if options.json:
        print(json.dumps(result.to_dict()))
    else:
        print_report(result.report())
    return 0
