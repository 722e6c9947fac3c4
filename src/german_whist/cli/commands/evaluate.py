"""``german-whist evaluate``: agents play each other on mirrored deals."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from itertools import combinations
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import add_match_options, add_worker_options, chosen_executor
from german_whist.cli.terminal import print_report, progress_bar

if TYPE_CHECKING:
    from german_whist.evaluation.match import MatchResult
    from german_whist.evaluation.report import Table


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "evaluate",
        help="play agents against each other",
        description="Play agents against each other on mirrored deals: every deal is played twice, with the seats "
        "swapped. Two agents give one result, more give a cross table.",
        epilog="example: german-whist evaluate runs/mine random greedy heuristic",
    )
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="two or more agents (see german-whist agents)")
    parser.add_argument(
        "--deals",
        type=int,
        metavar="N",
        help="mirrored deals per pair, or matches (default 1000); with --sprt, at most so many (default 100000)",
    )
    parser.add_argument(
        "--sprt",
        metavar="ELO0,ELO1",
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
    parser.add_argument("--record", metavar="FILE", help="write every game, with its cards, to this file as JSON lines")
    add_worker_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play the matches and print the results."""
    from german_whist.agents.registry import as_spec, make_agent
    from german_whist.envs.engine.rules import rules
    from german_whist.evaluation.games import result_names
    from german_whist.evaluation.match import play_match
    from german_whist.evaluation.recording import writing_recordings

    if len(options.agents) < 2:
        raise ValueError(f"evaluate: the number of agents must be at least 2, got {len(options.agents)}")
    if options.sprt is not None:
        for other in ("match", "record", "first_deal"):
            if getattr(options, other) is not None:
                raise ValueError(f"evaluate: --sprt and --{other.replace('_', '-')} cannot be combined")
        return _play_sprt(options)
    deals, game = 1000 if options.deals is None else options.deals, rules(options.rules)
    options.agents = [as_spec(spec) for spec in options.agents]
    agents = [make_agent(spec, game) for spec in options.agents]
    names, pairs = result_names(options.agents, agents), list(combinations(range(len(agents)), 2))
    results: dict[tuple[int, int], MatchResult] = {}
    with (
        chosen_executor(options) as executor,
        nullcontext() if options.record is None else writing_recordings(options.record) as record,
        progress_bar("deals" if options.match is None else "matches", len(pairs) * deals) as progress,
    ):
        how: dict[str, Any] = {"seed": options.seed, "rules": game, "endgame": options.endgame, "match": options.match}
        how |= {"first_deal": options.first_deal or 0, "record": record, "executor": executor, "progress": progress}
        for i, j in pairs:
            # Given as specifications, so that an agent begins each match as new.
            result = play_match(options.agents[i], options.agents[j], deals=deals, **how)
            results[i, j] = dataclasses.replace(result, first=names[i], second=names[j])
    if options.json:
        print(json.dumps({"matches": [result.to_dict() for result in results.values()]}))
    else:
        print_report(results[0, 1].report() if len(agents) == 2 else [_cross_table(names, results)])
    return 0


def _play_sprt(options: argparse.Namespace) -> int:
    """Play until the sequential test has decided, and print its result."""
    from german_whist.evaluation.sprt import DEFAULT_DEALS, play_sprt

    if len(options.agents) != 2:
        raise ValueError(f"evaluate: --sprt compares 2 agents, got {len(options.agents)}")
    try:
        elo0, elo1 = map(float, options.sprt.split(","))
    except ValueError:
        raise ValueError(f"--sprt must be ELO0,ELO1, such as 0,5, got {options.sprt!r}") from None
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


def _cross_table(names: Sequence[str], results: Mapping[tuple[int, int], MatchResult]) -> Table:
    """Return every agent (rows) against every other (columns), from the results of agents i and j for every i < j."""
    from german_whist.evaluation.match import game_title, result_note
    from german_whist.evaluation.report import Table
    from german_whist.evaluation.statistics import percent

    cells = [["—"] * len(names) for _ in names]
    for (i, j), result in results.items():
        low, high = result.interval
        cells[i][j] = percent(result.win_rate, (low, high))
        cells[j][i] = percent(1 - result.win_rate, (1 - high, 1 - low))
    any_result = results[0, 1]
    title = game_title(any_result.rules, any_result.endgame)
    won = "games" if any_result.match is None else "matches"
    columns = (f"{won} won by", *(f"vs {name}" for name in names))
    rows = [[name, *row] for name, row in zip(names, cells, strict=True)]
    return Table(title, columns, rows, [result_note(any_result)])
