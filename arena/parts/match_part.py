"""Parts of matches: the margins of some of a match's deals, the file that keeps them, and whole matches from parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.arena.match_result import Forfeit
from german_whist.arena.parts.shards import parse_shard
from german_whist.arena.strict_json import check_object, read_json
from german_whist.envs.engine.endgame_hook import check_endgame
from german_whist.envs.engine.match_format import MAX_DEALS as MAX_MATCH
from german_whist.envs.engine.match_format import match_format_of
from german_whist.envs.engine.rules import rules_from_dict
from german_whist.envs.utils.checks import check_seed, is_whole_number, whole_number
from german_whist.envs.utils.files import read_limited, write_atomically

FORMAT = "german-whist match parts 1"
MAX_BYTES = 32 << 20  # of a file; JSON takes up to 20 times its size in memory
MAX_DEALS = 3_000_000  # of a match in parts, so that all of them fit a file; for a series, matches
_STATED = ("first", "second", "first_version", "second_version", "endgame")  # text fields
_FIELDS = (*_STATED, "rules", "seed", "match_start", "match_deals", "start", "margins", "shard")
_SERIES_FIELDS = ("match", "outcomes", "lengths")  # of a part of a series
_FORFEITS = "forfeits"  # left out where there are none
_MAX_SCORE = 10_000
_MAX_SHOWN = 8  # missing shards or ranges of deals in an error


class Meeting(NamedTuple):
    """Everything that a game of two agents depends on, but the deal.

    Attributes:
        first: specification of the first agent.
        second: specification of the second agent.
        first_version: version of the first agent.
        second_version: version of the second agent.
        rules: the rules, as JSON.
        seed: seed of the deals and of the agents' randomness.
        endgame: ``"played"`` or ``"exact"``.
    """

    first: str
    second: str
    first_version: str
    second_version: str
    rules: str
    seed: int
    endgame: str

    @property
    def rules_fields(self) -> dict[str, Any]:
        """The fields of the rules."""
        return dict(json.loads(self.rules))


@dataclass(frozen=True, eq=False)
class MatchPart:
    """The margins of some deals of a match; or, of a series, some matches of several deals.

    Attributes:
        meeting: who played what.
        match_start: index of the whole match's first deal.
        match_deals: number of deals of the whole match.
        start: index of the part's first deal.
        margins: the first agent's margins, int64[deals, 2], as in ``MatchResult.margins``.
        shard: which share of the match it is, such as ``"3/64"``; empty for none.
        match: the match format of a series, such as ``"first_to:25"``; empty for single deals. In a series, deals are
            matches, and margins are those of the final scores, float64[matches, 2].
        outcomes: in a series, the first agent's results, int64[matches, 2], as in ``SeriesGames``.
        lengths: in a series, the deals played, int64[matches, 2].
        forfeits: games that an agent lost without playing them to the end.
    """

    meeting: Meeting
    match_start: int
    match_deals: int
    start: int
    margins: npt.NDArray[Any]
    shard: str = ""
    match: str = ""
    outcomes: npt.NDArray[np.int64] | None = None
    lengths: npt.NDArray[np.int64] | None = None
    forfeits: tuple[Forfeit, ...] = ()

    @property
    def deals(self) -> range:
        """Indices of the part's deals."""
        return range(self.start, self.start + len(self.margins))

    @property
    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """What was played, by the name of the attribute: arrays of shape [deals, 2]."""
        columns = {"margins": self.margins, "outcomes": self.outcomes, "lengths": self.lengths}
        return {name: column for name, column in columns.items() if column is not None}

    def to_dict(self) -> dict[str, Any]:
        """Return the part as plain data, ready for JSON."""
        fields = {**self.meeting._asdict(), **asdict(self), "rules": self.meeting.rules_fields}
        del fields["meeting"], fields[_FORFEITS]
        if not self.match:
            for name in _SERIES_FIELDS:
                del fields[name]
        if self.forfeits:
            fields[_FORFEITS] = [one._asdict() for one in self.forfeits]
        return {**fields, **{name: column.tolist() for name, column in self.columns.items()}}


def rules_text(fields: Mapping[str, Any]) -> str:
    """Return the fields of rules as JSON, the same text for the same rules."""
    return json.dumps(rules_from_dict(dict(fields)).to_dict(), sort_keys=True)


def write_parts(path: str | Path, parts: Iterable[MatchPart]) -> None:
    """Write parts to a file; it appears once it is complete.

    Raises:
        OSError: when it cannot be written.
    """
    given = [part.to_dict() for part in parts]
    content = {"format": FORMAT, "parts": given, "sha256": _checksum(given)}
    write_atomically(path, json.dumps(content, separators=(",", ":")).encode())


def read_parts(path: str | Path) -> list[MatchPart]:
    """Return the parts in a file.

    Raises:
        ValueError: when it cannot be read, is too large, holds no parts, or its checksum is missing or wrong; the
            message names the file.
    """
    try:
        text = read_limited(path, MAX_BYTES).decode("utf-8")
    except FileNotFoundError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not UTF-8 text") from None
    name = f"{path}: match parts"
    fields = check_object(read_json(text, name), name, ("format", "parts", "sha256"), ("format", "parts", "sha256"))
    if fields["format"] != FORMAT:
        raise ValueError(f"{name}: format {fields['format']!r:.60} is not {FORMAT!r}")
    if not isinstance(fields["parts"], list):
        raise ValueError(f"{name}: 'parts' is not a list")
    parts = [_part(given, f"{path}: part {number}") for number, given in enumerate(fields["parts"], 1)]
    if fields["sha256"] != _checksum(fields["parts"]):
        raise ValueError(f"{path} is damaged: its checksum is wrong")
    return parts


def _checksum(parts: list[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()


def _part(given: Any, name: str) -> MatchPart:
    in_series = isinstance(given, dict) and "match" in given
    allowed = (*_FIELDS, *_SERIES_FIELDS) if in_series else _FIELDS
    fields = check_object(given, name, (*allowed, _FORFEITS), allowed)
    for key in (*_STATED, "shard", *(["match"] if in_series else [])):
        if not isinstance(fields[key], str):
            raise ValueError(f"{name}: {key} {fields[key]!r:.60} is not text")
    try:
        meeting = Meeting(
            **{key: fields[key] for key in _STATED},
            rules=rules_text(check_object(fields["rules"], "rules")),
            seed=check_seed(fields["seed"]),
        )
        check_endgame(meeting.endgame)
        deals = whole_number("match_deals", fields["match_deals"], 1, MAX_DEALS)
        if fields["shard"] and parse_shard(fields["shard"]).count > deals:
            raise ValueError(f"shard {fields['shard']}: its match has {deals} deals")
        part = MatchPart(
            meeting,
            check_seed(fields["match_start"], "match_start"),
            deals,
            check_seed(fields["start"], "start"),
            _pairs(fields, "margins", _MAX_SCORE) if in_series else _pairs(fields, "margins", 99, whole=True),
            fields["shard"],
            forfeits=_forfeits(fields.get(_FORFEITS, [])),
            **(_series_fields(fields) if in_series else {}),
        )
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: {error}") from None
    if not part.match_start <= part.start <= part.deals.stop <= part.match_start + part.match_deals:
        raise ValueError(f"{name}: its deals are not deals of its match")
    if len({len(column) for column in part.columns.values()}) > 1:
        raise ValueError(f"{name}: {', '.join(part.columns)} are not of the same length")
    return part


def _series_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "match": str(match_format_of(fields["match"])),
        "outcomes": _pairs(fields, "outcomes", 1, whole=True),
        "lengths": _pairs(fields, "lengths", MAX_MATCH, whole=True, lowest=1),
    }


def _forfeits(given: Any) -> tuple[Forfeit, ...]:
    if not isinstance(given, list):
        raise ValueError(f"forfeits: {given!r:.60} is not a list")
    forfeits = [Forfeit(**check_object(one, "forfeit", Forfeit._fields, Forfeit._fields)) for one in given]
    for one in forfeits:
        if not isinstance(one.agent, str) or not isinstance(one.reason, str):
            raise ValueError(f"forfeits: agent {one.agent!r:.60} or reason {one.reason!r:.60} is not text")
        check_seed(one.deal, "deal")
        whole_number("seat", one.seat, 0, 1)
    return tuple(forfeits)


def _pairs(
    fields: Mapping[str, Any], name: str, largest: int, *, whole: bool = False, lowest: int | None = None
) -> npt.NDArray[Any]:
    """Return a field of pairs of numbers, int64[n, 2] or float64[n, 2]."""
    given, least = fields[name], -largest if lowest is None else lowest
    rows = given if isinstance(given, list) and given else [None]
    for row in rows:
        if not isinstance(row, list) or len(row) != 2 or not all(_is_number(one, least, largest, whole) for one in row):
            raise ValueError(f"{name}: {row!r:.60} is not a pair of {'whole ' if whole else ''}numbers")
    return np.array(rows, np.int64 if whole else np.float64)


def _is_number(given: object, least: int, largest: int, whole: bool) -> bool:
    if whole:
        return is_whole_number(given, least, largest)
    return isinstance(given, (int, float)) and not isinstance(given, bool) and least <= given <= largest


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
    more = count - _MAX_SHOWN
    return ", ".join(islice(words, _MAX_SHOWN)) + (f" and {more} more" if more > 0 else "")


def _numbered(word: str, number: int) -> str:
    return word if number == 1 else f"{word}s"


def _names(part: MatchPart) -> str:
    return f"{part.meeting.first} against {part.meeting.second}"
