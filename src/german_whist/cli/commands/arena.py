"""``german-whist arena``: a tournament, with ratings on one scale, as tables and as a picture."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from german_whist.cli.options import add_agents, add_json_option, add_match_options, add_worker_options, chosen_executor
from german_whist.cli.terminal import print_report, progress_bar
from german_whist.game.utils.files import check_folder


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "arena",
        help="rate several agents on one scale",
        description="Play a tournament: every pair of agents on the same mirrored deals. Print Bradley-Terry ratings "
        "in Elo, and who beats whom.",
        epilog="example: german-whist arena random greedy heuristic small --deals 200",
    )
    add_agents(parser, "two or more agents")
    parser.add_argument("--deals", type=int, metavar="N", default=1000, help="mirrored deals per pair (default 1000)")
    add_match_options(parser)
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="also draw the ratings and the matrix of win rates as this PNG file",
    )
    add_worker_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play the tournament, and print and draw its standings."""
    from german_whist.evaluation.match import game_title
    from german_whist.evaluation.tournament.play import play_tournament
    from german_whist.game.rules import rules

    if options.out is not None:
        check_folder(Path(options.out))  # before the first game
    game = rules(options.rules)
    pairs = len(options.agents) * (len(options.agents) - 1) // 2
    with progress_bar("deals", pairs * options.deals) as progress, chosen_executor(options) as executor:
        found = play_tournament(
            options.agents,
            deals=options.deals,
            seed=options.seed,
            rules=game,
            endgame=options.endgame,
            progress=progress,
            executor=executor,
        )
    if options.json:
        print(json.dumps(found.to_dict()))
    else:
        print_report(found.report())
    if options.out is not None:
        from german_whist.evaluation.plots import draw_standings

        draw_standings(found, options.out, game_title(found.rules, found.endgame))
        if not options.json:
            print(f"picture: {options.out}")
    return 0
