"""``german-whist evaluate``: agents play each other on mirrored deals."""

from __future__ import annotations

import argparse
import json
from itertools import combinations
from typing import TYPE_CHECKING, Any

from german_whist.cli.terminal.argument_types import parse_whole_number

if TYPE_CHECKING:
    from german_whist.agents.bots.base import Agent
    from german_whist.arena.match import Record
    from german_whist.arena.match_result import MatchResult, SeriesResult


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "evaluate",
        help="play agents against each other",
        description="Play agents against each other on mirrored deals: every deal twice, with the seats swapped. Two "
        "agents give one result, more give a cross table.",
        epilog="example: german-whist evaluate checkpoint:runs/quickstart/final.safetensors random greedy heuristic",
    )
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="two or more agents (see german-whist agents)")
    parser.add_argument(
        "--deals", type=parse_whole_number, metavar="N", default=1000, help="mirrored deals per pair (default 1000)"
    )
    parser.add_argument(
        "--match", metavar="MATCH", help="play whole matches: first_to:25 (points) or best_of:3 (deals won)"
    )
    parser.add_argument(
        "--matches",
        type=parse_whole_number,
        metavar="N",
        help="with --match, mirrored matches per pair (default: --deals)",
    )
    parser.add_argument(
        "--seed",
        type=parse_whole_number,
        metavar="N",
        default=0,
        help="seed of the deals and of the agents' random choices (default 0)",
    )
    parser.add_argument("--rules", default="classic", help="the game, see german-whist rules (default classic)")
    parser.add_argument(
        "--endgame",
        default="played",
        metavar="HOW",
        help="played: by the agents themselves (default); exact: both sides play it perfectly",
    )
    parser.add_argument(
        "--first-deal",
        type=parse_whole_number,
        metavar="N",
        help="play deals N, N + 1, …: the next part of a match, or a share of it (default 0)",
    )
    parser.add_argument("--record", metavar="FILE", help="write every game to this file, one line of JSON each")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play the matches and print the results."""
    from german_whist.agents.registry import make_agent
    from german_whist.envs.engine.rules import rules

    if len(options.agents) < 2:
        raise ValueError(f"evaluate: {len(options.agents)} agent given, at least 2 are needed")
    if options.match is None and options.matches is not None:
        raise ValueError("evaluate: --matches needs --match")
    if options.match is not None and options.record is not None:
        raise ValueError("evaluate: --record cannot be combined with --match: it records single deals")
    if options.match is not None and options.first_deal is not None:
        raise ValueError("evaluate: --first-deal cannot be combined with --match: it numbers single deals")
    game_rules = rules(options.rules)
    agents = [make_agent(spec) for spec in options.agents]
    if options.record is None:
        results = _play(agents, options, game_rules)
    else:
        from german_whist.arena.recording_file import writing_recordings

        with writing_recordings(options.record) as record:
            results = _play(agents, options, game_rules, record)
    if options.json:
        matches = [
            {**result.to_dict(), "first": options.agents[i], "second": options.agents[j]}
            for (i, j), result in results.items()
        ]
        print(json.dumps({"matches": matches}))
        return 0
    from german_whist.cli.terminal.result_tables import print_cross_table, print_forfeits, print_results

    title = f"German Whist, {options.rules}" + (f", {options.match}" if options.match else "")
    title += ", exact endgame" if options.endgame == "exact" else ""
    if len(agents) == 2:
        print_results(list(results.values()), title)
    else:
        print_cross_table(_labels(options.agents, agents), results, title)
    print_forfeits(list(results.values()))
    return 0


def _play(
    agents: list[Agent], options: argparse.Namespace, rules: Any, record: Record | None = None
) -> dict[tuple[int, int], MatchResult | SeriesResult]:
    from rich.progress import Progress

    from german_whist.arena.match import play_match
    from german_whist.arena.series import play_series
    from german_whist.cli.terminal.progress_console import progress_console

    pairs = list(combinations(range(len(agents)), 2))
    unit, number = "deals", options.deals
    if options.match is not None:
        unit, number = "matches", options.deals if options.matches is None else options.matches
    results: dict[tuple[int, int], MatchResult | SeriesResult] = {}
    console = progress_console()
    with Progress(console=console, transient=True, disable=console.quiet) as bar:
        task = bar.add_task(unit, total=len(pairs) * number)

        def progress(played: int) -> None:
            bar.advance(task, played)

        for i, j in pairs:
            first, second = agents[i], agents[j]
            if options.match is None:
                results[i, j] = play_match(
                    first,
                    second,
                    number,
                    options.seed,
                    rules,
                    record=record,
                    progress=progress,
                    endgame=options.endgame,
                    first_deal=options.first_deal or 0,
                )
            else:
                results[i, j] = play_series(
                    first,
                    second,
                    options.match,
                    number,
                    options.seed,
                    rules,
                    progress=progress,
                    endgame=options.endgame,
                )
    return results


def _labels(specs: list[str], agents: list[Agent]) -> list[str]:
    """Return the names of the agents for a table, numbered where two agents share one."""
    names = [str(getattr(agent, "name", spec)) for spec, agent in zip(specs, agents, strict=True)]
    return [name if names.count(name) == 1 else f"{name} #{i + 1}" for i, name in enumerate(names)]
