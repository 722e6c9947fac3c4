"""Parts of matches, put together to whole matches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby, islice
from typing import Any

import numpy as np

from german_whist.arena.parallel.shards import parse_shard
from german_whist.arena.parts.match_part import MatchPart

_MOST_SHOWN = 8


def merge_parts(parts: Iterable[MatchPart]) -> list[MatchPart]:
    """Put parts together, in any order; the same part may be given twice.

    Returns:
        One part per match that holds all its deals, the matches in the order of their first parts.

    Raises:
        ValueError: when parts are missing (the message lists them), contradict each other, or were played by other
            versions of the agents.
    """
    given = list(parts)
    _check_versions(given)
    matches: dict[tuple[object, ...], list[MatchPart]] = {}
    for part in given:
        matches.setdefault((part.meeting, part.match, part.match_start, part.match_deals), []).append(part)
    return [_merged(one) for one in matches.values()]


def _check_versions(parts: list[MatchPart]) -> None:
    versions: dict[str, str] = {}
    for part in parts:
        meeting = part.meeting
        for spec, version in ((meeting.first, meeting.first_version), (meeting.second, meeting.second_version)):
            if versions.setdefault(spec, version) != version:
                raise ValueError(
                    f"the parts were played by different versions of {spec!r}, {versions[spec]} and {version}: play "
                    "them again with one version"
                )


def _merged(parts: list[MatchPart]) -> MatchPart:
    parts = sorted(parts, key=lambda part: (part.start, len(part.margins)))
    whole = parts[0]
    columns: dict[str, Any] = {
        name: np.zeros((whole.match_deals, 2), column.dtype) for name, column in whole.columns.items()
    }
    is_played = np.zeros(whole.match_deals, np.bool_)
    for part in parts:
        rows = slice(part.start - whole.match_start, part.deals.stop - whole.match_start)
        repeated = is_played[rows]
        for name, column in part.columns.items():
            if (columns[name][rows] != column)[repeated].any():
                raise ValueError(f"{_names(part)}: two parts give different {name} for the same deal")
            columns[name][rows] = column
        is_played[rows] = True
    if not is_played.all():
        raise ValueError(f"{_names(whole)}: missing {_missing(parts, is_played)}")
    forfeits = tuple(dict.fromkeys(one for part in parts for one in part.forfeits))
    return replace(whole, start=whole.match_start, shard="", forfeits=forfeits, **columns)


def _missing(parts: list[MatchPart], is_played: np.ndarray) -> str:
    """Return what is missing: shards if all parts are shards of the same cut, else ranges of deals."""
    whole = parts[0]
    shards = [parse_shard(part.shard) for part in parts if part.shard]
    counts = {shard.count for shard in shards}
    if len(shards) == len(parts) and len(counts) == 1:
        (count,) = counts
        there = {shard.number for shard in shards}
        lost = (f"{number}/{count}" for number in range(1, count + 1) if number not in there)
        return f"{_numbered('shard', count - len(there))} {_shown(lost, count - len(there))}"
    ranges, start = [], whole.match_start
    for played, run in groupby(is_played.tolist()):
        length = len(list(run))
        if not played:
            ranges.append(f"{start} to {start + length - 1}" if length > 1 else str(start))
        start += length
    return f"{'matches' if whole.match else 'deals'} {_shown(ranges, len(ranges))}"


def _shown(words: Iterable[str], count: int) -> str:
    """Return the first of so many words."""
    more = count - _MOST_SHOWN
    return ", ".join(islice(words, _MOST_SHOWN)) + (f" and {more} more" if more > 0 else "")


def _numbered(word: str, number: int) -> str:
    return word if number == 1 else f"{word}s"


def _names(part: MatchPart) -> str:
    return f"{part.meeting.first} against {part.meeting.second}"
