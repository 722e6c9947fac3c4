"""``german-whist merge``: the shards of matches, put together."""

from __future__ import annotations

import argparse
from itertools import combinations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from german_whist.arena.game_file import MatchConfig


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "merge",
        help="put the shards of a match together",
        description="Put together what german-whist evaluate --shard or --record wrote. The result is that of one run, "
        "bit for bit; what is missing is listed.",
        epilog="example: german-whist merge shard*.jsonl",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="files of evaluate --shard K/N --out FILE")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Merge, and print the results as ``evaluate`` does."""
    from german_whist.arena.game_file import merge, read_sections, result_of
    from german_whist.cli.results import (
        print_cross_table,
        print_forfeits,
        print_results,
        print_results_json,
    )

    matches = merge(section for path in options.files for section in read_sections(path))
    specs = list(dict.fromkeys(spec for config, _ in matches for spec in (config.first, config.second)))
    results = {
        (specs.index(config.first), specs.index(config.second)): result_of(config, played) for config, played in matches
    }
    if len(results) < len(matches):
        raise ValueError(
            "merge: the files hold several matches of one pair, with other rules, seeds or numbers of deals: merge "
            "those of one match at a time"
        )
    title = _title(matches[0][0])
    if options.json:
        print_results_json(specs, results)
    elif len(specs) > 2 and list(results) == list(combinations(range(len(specs)), 2)):
        print_cross_table(specs, results, title)
    else:
        print_results(list(results.values()), title)
    if not options.json:
        print_forfeits(list(results.values()))
    return 0


def _title(config: MatchConfig) -> str:
    from german_whist.envs.text.rules_text import rules_spec

    title = f"German Whist, {rules_spec(config.rules)}" + (f", {config.match}" if config.match else "")
    return title + (", exact endgame" if config.endgame == "exact" else "")
