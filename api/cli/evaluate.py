"""``german-whist evaluate``: agents against each other on mirrored deals."""

from __future__ import annotations

import argparse
import json
from itertools import combinations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from german_whist.agents.base import Agent
    from german_whist.arena.match import MatchResult, Record
    from german_whist.arena.series import SeriesResult


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
        "--endgame", default="played", metavar="HOW", help="played, or exact: both sides play it out perfectly"
    )
    parser.add_argument("--record", metavar="FILE", help="write every game played, one line of JSON each")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def whole_number(text: str) -> int:
    """Return the whole number that a word stands for."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def run(options: argparse.Namespace) -> int:
    """Play the matches and print them."""
    from german_whist.agents.registry import make_agent
    from german_whist.envs.rules import rules

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
    from german_whist.cli.tables import print_cross_table, print_results

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
    from rich.progress import track

    from german_whist.arena.match import play_match
    from german_whist.arena.series import play_series

    def play(first: Agent, second: Agent) -> MatchResult | SeriesResult:
        if options.match is None:
            return play_match(first, second, options.deals, options.seed, game, record=record, endgame=options.endgame)
        matches = options.deals if options.matches is None else options.matches
        return play_series(first, second, options.match, matches, options.seed, game, endgame=options.endgame)

    pairs = list(combinations(range(len(agents)), 2))
    errors = Console(stderr=True)
    # A single short match needs no bar; `track` draws one only in a terminal and takes it away.
    shown = track(pairs, "matches", console=errors, transient=True, disable=not errors.is_terminal)
    return {(i, j): play(agents[i], agents[j]) for i, j in shown}


def _labels(specs: list[str], agents: list[Agent]) -> list[str]:
    """Return short names for a table; numbered where two agents would share one."""
    names = [str(getattr(agent, "name", spec)) for spec, agent in zip(specs, agents, strict=True)]
    return [name if names.count(name) == 1 else f"{name} #{i + 1}" for i, name in enumerate(names)]
