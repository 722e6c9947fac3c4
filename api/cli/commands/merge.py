"""``german-whist merge``: the shards of matches, put together."""

from __future__ import annotations

import argparse
from itertools import combinations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from german_whist.arena.parts.match_part import MatchPart


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "merge",
        help="put the shards of a match together",
        description="Put together what german-whist evaluate --shard wrote. The result is that of one run, bit for "
        "bit; what is missing is listed.",
        epilog="example: german-whist merge part*.json",
    )
    parser.add_argument("parts", nargs="+", metavar="FILE", help="files of evaluate --shard K/N --out FILE")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Merge, and print the results as ``evaluate`` does."""
    from german_whist.arena.parts.match_part import merge_parts, read_parts
    from german_whist.arena.parts.play import result_of
    from german_whist.cli.results import (
        print_cross_table,
        print_forfeits,
        print_results,
        print_results_json,
    )

    wholes = merge_parts(part for path in options.parts for part in read_parts(path))
    specs = list(dict.fromkeys(spec for one in wholes for spec in (one.meeting.first, one.meeting.second)))
    results = {(specs.index(one.meeting.first), specs.index(one.meeting.second)): result_of(one) for one in wholes}
    if len(results) < len(wholes):
        raise ValueError(
            "merge: the files hold several matches of one pair, with other rules, seeds or numbers of deals: merge "
            "those of one match at a time"
        )
    if options.json:
        print_results_json(specs, results)
    elif len(specs) > 2 and list(results) == list(combinations(range(len(specs)), 2)):
        print_cross_table(specs, results, _title(wholes))
    else:
        print_results(list(results.values()), _title(wholes))
    if not options.json:
        print_forfeits(list(results.values()))
    return 0


def _title(wholes: list[MatchPart]) -> str:
    from german_whist.envs.engine.rules import rules_from_dict
    from german_whist.envs.text.rules_text import rules_spec

    meeting, match = wholes[0].meeting, wholes[0].match
    title = f"German Whist, {rules_spec(rules_from_dict(meeting.rules_fields))}" + (f", {match}" if match else "")
    return title + (", exact endgame" if meeting.endgame == "exact" else "")
