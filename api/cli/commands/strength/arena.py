"""``german-whist arena``: a tournament, with ratings on one scale."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from german_whist.cli.terminal.argument_types import parse_whole_number
from german_whist.cli.terminal.match_options import add_match_options, add_worker_options, chosen_executor

if TYPE_CHECKING:
    from german_whist.arena.tournament.standings import Standings

PICTURE = "standings.png"


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "arena",
        help="rate several agents on one scale",
        description="Play every pair of agents on the same mirrored deals. Prints Bradley-Terry ratings in Elo, Nash "
        "averages, and who beats whom.",
        epilog="example: german-whist arena random greedy heuristic small --deals 200 --out arena",
    )
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="two or more agents (see german-whist agents)")
    parser.add_argument(
        "--deals", type=parse_whole_number, metavar="N", default=1000, help="mirrored deals per pair (default 1000)"
    )
    add_match_options(parser)
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="keep the results here, with a report as JSON, CSV, Markdown and PNG. What is there already is not "
        "played again",
    )
    parser.add_argument(
        "--shard", metavar="K/N", help="play only the K-th of N shares of the deals and keep it in --out"
    )
    add_worker_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play what is missing, and print and write the standings."""
    from german_whist.arena.parts.shards import parse_shard
    from german_whist.arena.tournament.play import play_tournament, play_tournament_shard
    from german_whist.arena.tournament.standings import standings
    from german_whist.cli.terminal.match_progress import match_progress

    if options.shard is not None and options.out is None:
        raise ValueError("arena: --shard needs --out")
    if options.shard is not None and options.json:
        raise ValueError("arena: --json cannot be combined with --shard")
    shard = None if options.shard is None else parse_shard(options.shard)
    pairs = len(options.agents) * (len(options.agents) - 1) // 2
    deals = options.deals if shard is None else len(shard.deals(options.deals))
    with match_progress("deals", pairs * deals) as progress, chosen_executor(options) as executor:
        settings = {"endgame": options.endgame, "progress": progress, "executor": executor}
        match = (options.deals, options.seed, options.rules)
        if shard is not None:
            play_tournament_shard(options.agents, shard, options.out, *match, **settings)
            print(f"shard {shard}, {deals} of {options.deals} deals of each pair: {options.out}")
            return 0
        tournament = play_tournament(options.agents, *match, folder=options.out, **settings)
    found = standings(tournament)
    if options.json:
        print(json.dumps(found.to_dict()))
    else:
        from german_whist.cli.terminal.result_tables import print_forfeits
        from german_whist.cli.terminal.standings_table import print_standings

        print_standings(found)
        print_forfeits([tournament])
    if options.out is not None:
        _write(found, Path(options.out), quiet=options.json)
    return 0


def _write(standings: Standings, folder: Path, quiet: bool) -> None:
    from german_whist.arena.tournament.standings import game_text, write_report

    paths = write_report(standings, folder)
    try:
        from german_whist.cli.terminal.standings_picture import draw_standings
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("matplotlib"):
            raise
        note = '; no picture: pip install "german-whist[train]" brings matplotlib'
    else:
        draw_standings(standings, folder / PICTURE, game_text(standings))
        paths.append(folder / PICTURE)
        note = ""
    if not quiet:
        print(f"report: {', '.join(map(str, paths))}{note}")
