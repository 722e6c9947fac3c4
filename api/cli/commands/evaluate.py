"""``german-whist evaluate``: agents against each other on mirrored deals."""

from __future__ import annotations

import argparse
import json
from itertools import combinations
from typing import TYPE_CHECKING, Any

from german_whist.cli.terminal.numbers import whole_number

if TYPE_CHECKING:
    from german_whist.agents.bots.base import Agent
    from german_whist.arena.match import Record
    from german_whist.arena.match_result import MatchResult, SeriesResult


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "evaluate",
        help="play agents against each other",
        description="Play agents against each other on mirrored deals: two give a result, more a cross table.",
        epilog="example: german-whist evaluate checkpoint:runs/quickstart/final.safetensors random greedy heuristic",
    )
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="agents by name (see german-whist agents)")
    parser.add_argument("--deals", type=whole_number, default=1000, help="mirrored deals for each pair (default 1000)")
    parser.add_argument(
        "--match", metavar="TARGET", help="play whole matches: first_to:25 (points), best_of:3 (deals won)"
    )
    parser.add_argument(
        "--matches", type=whole_number, help="with --match, mirrored matches for each pair (default: --deals)"
    )
    parser.add_argument(
        "--seed", type=whole_number, default=0, help="seed of the deals and of random agents (default 0)"
    )
    parser.add_argument("--rules", default="classic", help="the game (default classic)")
    parser.add_argument(
        "--endgame", default="played", metavar="HOW", help="played by each as it is, or exact: by both perfectly"
    )
    parser.add_argument("--record", metavar="FILE", help="write every game played, one line of JSON each")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play the matches and print them."""
    from german_whist.agents.registry import make_agent
    from german_whist.envs.engine.rules import rules

    if len(options.agents) < 2:
        raise ValueError(f"evaluate: {len(options.agents)} agent given, at least 2 are needed")
    if options.match is None and options.matches is not None:
        raise ValueError("evaluate: --matches needs --match, which says what decides a match")
    if options.match is not None and options.record is not None:
        raise ValueError("evaluate: --record writes single deals: give it without --match")
    game = rules(options.rules)
    agents = [make_agent(spec) for spec in options.agents]
    if options.record is None:
        results = _play(agents, options, game)
    else:
        from german_whist.arena.recording_file import writing_recordings

        with writing_recordings(options.record) as record:
            results = _play(agents, options, game, record)
    if options.json:
        matches = [
            {**result.to_dict(), "first": options.agents[i], "second": options.agents[j]}
            for (i, j), result in results.items()
        ]
        print(json.dumps({"matches": matches}))
        return 0
    from german_whist.cli.terminal.result_tables import print_cross_table, print_results

    title = f"German Whist, {options.rules}" + (f", {options.match}" if options.match else "")
    title += ", exact endgame" if options.endgame == "exact" else ""
    if len(agents) == 2:
        print_results(list(results.values()), title)
    else:
        print_cross_table(_labels(options.agents, agents), results, title)
    return 0


def _play(
    agents: list[Agent], options: argparse.Namespace, game: Any, record: Record | None = None
) -> dict[tuple[int, int], MatchResult | SeriesResult]:
    from rich.console import Console
    from rich.progress import Progress

    from german_whist.arena.match import play_match
    from german_whist.arena.series import play_series

    pairs = list(combinations(range(len(agents)), 2))
    unit, number = "deals", options.deals
    if options.match is not None:
        unit, number = "matches", options.deals if options.matches is None else options.matches
    results: dict[tuple[int, int], MatchResult | SeriesResult] = {}
    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(unit, total=len(pairs) * number)

        def progress(played: int) -> None:
            bar.advance(task, played)

        for i, j in pairs:
            first, second = agents[i], agents[j]
            if options.match is None:
                results[i, j] = play_match(
                    first, second, number, options.seed, game, record=record, progress=progress, endgame=options.endgame
                )
            else:
                results[i, j] = play_series(
                    first,
                    second,
                    options.match,
                    number,
                    options.seed,
                    game,
                    progress=progress,
                    endgame=options.endgame,
                )
    return results


def _labels(specs: list[str], agents: list[Agent]) -> list[str]:
    """Return short names for a table; numbered where two agents would share one."""
    names = [str(getattr(agent, "name", spec)) for spec, agent in zip(specs, agents, strict=True)]
    return [name if names.count(name) == 1 else f"{name} #{i + 1}" for i, name in enumerate(names)]
