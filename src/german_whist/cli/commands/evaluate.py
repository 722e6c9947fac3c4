"""``german-whist evaluate``: agents play each other on mirrored deals."""

from __future__ import annotations

import argparse
import dataclasses
import json
from contextlib import nullcontext
from itertools import combinations
from typing import TYPE_CHECKING, Any

from german_whist.cli.options import add_match_options, add_worker_options, chosen_executor, parse_whole_number
from german_whist.cli.terminal import progress_bar
from german_whist.envs.utils.specs import must_be, short_repr

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from german_whist.envs.agent import Agent
    from german_whist.envs.engine.rules import Rules
    from german_whist.evaluation.match import MatchResult, SeriesResult


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "evaluate",
        help="play agents against each other",
        description="Play agents against each other on mirrored deals: every deal is played twice, with the seats "
        "swapped. Two agents give one result, more give a cross table.",
        epilog="example: german-whist evaluate checkpoint:runs/quickstart/final.safetensors random greedy heuristic",
    )
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="two or more agents (see german-whist agents)")
    parser.add_argument(
        "--deals",
        type=parse_whole_number,
        metavar="N",
        help="mirrored deals per pair (default 1000); with --sprt, at most so many (default 100000)",
    )
    parser.add_argument(
        "--sprt",
        metavar="ELO0,ELO1",
        help="play a sequential test of two agents: stop once it is decided whether the first is stronger by at most "
        "ELO0 or by at least ELO1, in normalised Elo, with error rates of 0.05",
    )
    parser.add_argument(
        "--match", metavar="MATCH", help="play whole matches: first_to:25 (points) or best_of:3 (deals won)"
    )
    parser.add_argument(
        "--matches",
        type=parse_whole_number,
        metavar="N",
        help="with --match, mirrored matches per pair (default: as --deals)",
    )
    add_match_options(parser)
    parser.add_argument(
        "--first-deal",
        type=parse_whole_number,
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

    if len(options.agents) < 2:
        raise ValueError(must_be("evaluate: the number of agents", "at least 2", len(options.agents)))
    if options.match is None and options.matches is not None:
        raise ValueError("evaluate: --matches needs --match")
    if options.match is not None and options.record is not None:
        raise ValueError("evaluate: --record cannot be combined with --match: it records single deals")
    if options.match is not None and options.first_deal is not None:
        raise ValueError("evaluate: --first-deal cannot be combined with --match: it numbers single deals")
    _check_options(options)
    if options.sprt is None and options.deals is None:
        options.deals = 1000
    game_rules = rules(options.rules)
    options.agents = [as_spec(spec) for spec in options.agents]
    agents = [make_agent(spec, game_rules) for spec in options.agents]
    with chosen_executor(options) as executor:
        if options.sprt is not None:
            return _play_sprt(options, game_rules, executor)
        results = _play(agents, options, game_rules, executor)
    from german_whist.cli.results import (
        agent_labels,
        print_cross_table,
        print_results,
        print_results_json,
    )

    if options.json:
        print_results_json(options.agents, results)
        return 0

    title = _title(options)
    if len(agents) == 2:
        print_results(list(results.values()), title)
    else:
        print_cross_table(agent_labels(options.agents, agents), results, title)
    return 0


def _check_options(options: argparse.Namespace) -> None:
    if options.sprt is None:
        return
    for option in ("match", "record", "first_deal"):
        if getattr(options, option) is not None:
            raise ValueError(f"evaluate: --{option.replace('_', '-')} cannot be combined with --sprt")
    if len(options.agents) != 2:
        raise ValueError(f"evaluate: --sprt compares 2 agents, {len(options.agents)} are given")


def _play_sprt(options: argparse.Namespace, rules: Any, executor: Executor | None) -> int:
    """Play until the sequential test has decided, and print its result."""
    from german_whist.cli.results import print_report
    from german_whist.evaluation.sprt import DEFAULT_DEALS, play_sprt

    first, second = options.agents
    elo0, elo1 = _parse_sprt_bounds(options.sprt)
    most = DEFAULT_DEALS if options.deals is None else options.deals
    with progress_bar("deals", most) as progress:
        result = play_sprt(
            first,
            second,
            elo0=elo0,
            elo1=elo1,
            seed=options.seed,
            rules=rules,
            max_deals=most,
            endgame=options.endgame,
            progress=progress,
            executor=executor,
        )
    if options.json:
        print(json.dumps(result.to_dict()))
    else:
        print_report(result.report())
    return 0


def _parse_sprt_bounds(text: str) -> tuple[float, float]:
    """Return the bounds of ``--sprt ELO0,ELO1``.

    Raises:
        ValueError: if the text has another form.
    """
    low, _, high = text.partition(",")
    try:
        return float(low), float(high)
    except ValueError:
        raise ValueError(f"--sprt {short_repr(text)} is not ELO0,ELO1, such as 0,5") from None


def _title(options: argparse.Namespace) -> str:
    title = f"German Whist, {options.rules}" + (f", {options.match}" if options.match else "")
    return title + (", exact endgame" if options.endgame == "exact" else "")


def _unit(options: argparse.Namespace) -> tuple[str, int]:
    """Return what is played, deals or matches, and how many of them."""
    if options.match is None:
        return "deals", options.deals
    return "matches", options.deals if options.matches is None else options.matches


def _play(
    agents: list[Agent], options: argparse.Namespace, rules: Rules, executor: Executor | None
) -> dict[tuple[int, int], MatchResult | SeriesResult]:
    from german_whist.cli.results import agent_labels
    from german_whist.evaluation.match import play_match, play_series
    from german_whist.evaluation.recording import writing_recordings

    unit, number = _unit(options)
    pairs = list(combinations(range(len(agents)), 2))
    labels = agent_labels(options.agents, agents)
    results: dict[tuple[int, int], MatchResult | SeriesResult] = {}
    with (
        nullcontext(None) if options.record is None else writing_recordings(options.record) as record,
        progress_bar(unit, len(pairs) * number) as progress,
    ):
        how = {"endgame": options.endgame, "executor": executor, "progress": progress}
        for i, j in pairs:
            # Given as specifications, so that a program that has failed against one agent starts afresh for the next.
            first, second = options.agents[i], options.agents[j]
            result: MatchResult | SeriesResult
            if options.match is not None:
                result = play_series(
                    first, second, options.match, matches=number, seed=options.seed, rules=rules, **how
                )
            else:
                start = options.first_deal or 0
                result = play_match(
                    first, second, deals=number, seed=options.seed, rules=rules, record=record, first_deal=start, **how
                )
            results[i, j] = dataclasses.replace(result, first=labels[i], second=labels[j])
    return results
