"""``german-whist evaluate``: agents play each other on mirrored deals."""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from typing import Any

from german_whist.cli.options import add_agents, add_json_option, add_match_options, add_worker_options, chosen_executor
from german_whist.cli.terminal import print_report, progress_bar


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "evaluate",
        help="play an agent against others",
        description="Play an agent against others on mirrored deals: every deal is played twice, with the seats "
        "swapped. The first agent plays each of the others; german-whist arena plays all pairs.",
        epilog="example: german-whist evaluate runs/mine random greedy heuristic",
    )
    add_agents(parser, "the agent and its opponents")
    parser.add_argument(
        "--deals",
        type=int,
        metavar="N",
        help="mirrored deals per opponent, or matches (default 1000); with --sprt, at most so many (default 100000)",
    )
    parser.add_argument(
        "--sprt",
        nargs=2,
        type=float,
        metavar=("ELO0", "ELO1"),
        help="play a sequential test of two agents: stop once it is decided whether the first is stronger by at most "
        "ELO0 or by at least ELO1, in normalised Elo, with error rates of 0.05",
    )
    parser.add_argument("--match", metavar="MATCH", help="play matches: first_to:25 (points) or best_of:3 (deals won)")
    add_match_options(parser)
    parser.add_argument(
        "--first-deal",
        type=int,
        metavar="N",
        help="play deals N, N + 1, …, to continue a match or to split it (default 0)",
    )
    parser.add_argument("--record", metavar="FILE", help="write every game to this file as JSON lines")
    add_worker_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play the matches and print the results."""
    from german_whist.agents.registry import as_spec, make_agent
    from german_whist.evaluation.match import game_title, play_match, results_table
    from german_whist.evaluation.recording import writing_recordings
    from german_whist.game.rules import rules

    if len(options.agents) < 2:
        raise ValueError(f"evaluate: the number of agents must be at least 2, got {len(options.agents)}")
    if options.sprt is not None:
        for other in ("match", "record", "first_deal"):
            if getattr(options, other) is not None:
                raise ValueError(f"evaluate: --sprt and --{other.replace('_', '-')} cannot be combined")
        return _play_sprt(options)
    deals, game = 1000 if options.deals is None else options.deals, rules(options.rules)
    agent, *opponents = [as_spec(spec) for spec in options.agents]
    for spec in opponents:
        make_agent(spec, game)  # refuse a wrong name before the first match
    with (
        chosen_executor(options) as executor,
        nullcontext() if options.record is None else writing_recordings(options.record) as record,
        progress_bar("deals" if options.match is None else "matches", len(opponents) * deals) as progress,
    ):
        how: dict[str, Any] = {"seed": options.seed, "rules": game, "endgame": options.endgame, "match": options.match}
        how |= {"first_deal": options.first_deal or 0, "record": record, "executor": executor, "progress": progress}
        results = [play_match(agent, opponent, deals=deals, **how) for opponent in opponents]
    if options.json:
        print(json.dumps({"matches": [result.to_dict() for result in results]}))
    else:
        print_report([results_table(results, game_title(results[0].rules, options.endgame))])
    return 0


def _play_sprt(options: argparse.Namespace) -> int:
    """Play until the sequential test has decided, and print its result."""
    from german_whist.evaluation.sprt import DEFAULT_DEALS, play_sprt

    if len(options.agents) != 2:
        raise ValueError(f"evaluate: --sprt compares 2 agents, got {len(options.agents)}")
    elo0, elo1 = options.sprt
    deals = DEFAULT_DEALS if options.deals is None else options.deals
    with chosen_executor(options) as executor, progress_bar("deals", deals) as progress:
        result = play_sprt(
            *options.agents,
            elo0=elo0,
            elo1=elo1,
            seed=options.seed,
            rules=options.rules,
            max_deals=deals,
            endgame=options.endgame,
            progress=progress,
            executor=executor,
        )
    if options.json:
        print(json.dumps(result.to_dict()))
    else:
        print_report(result.report())
    return 0
