"""A part of a match between two agents: the margins of some of its deals, and the file that keeps them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.arena.endgame_mode import match_endgame
from german_whist.arena.parallel.shards import parse_shard
from german_whist.arena.strict_json import check_object, read_json
from german_whist.envs.engine.rules import rules_from_dict
from german_whist.envs.utils.atomic_file import write_atomically
from german_whist.envs.utils.checks import check_seed, is_whole_number, whole_number

FORMAT = "german-whist match parts 1"
_STATED = ("first", "second", "first_version", "second_version", "endgame")  # text fields
_FIELDS = (*_STATED, "rules", "seed", "match_start", "match_deals", "start", "margins", "shard")


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
    """The margins of some deals of a match.

    Attributes:
        meeting: who played what.
        match_start: index of the whole match's first deal.
        match_deals: number of deals of the whole match.
        start: index of the part's first deal.
        margins: the first agent's margins, int64[deals, 2], as in ``MatchResult.margins``.
        shard: which share of the match it is, such as ``"3/64"``; empty for none.
    """

    meeting: Meeting
    match_start: int
    match_deals: int
    start: int
    margins: npt.NDArray[np.int64]
    shard: str = ""

    @property
    def deals(self) -> range:
        """Indices of the part's deals."""
        return range(self.start, self.start + len(self.margins))

    def to_dict(self) -> dict[str, Any]:
        """Return the part as plain data, ready for JSON."""
        fields = {**self.meeting._asdict(), **asdict(self), "rules": self.meeting.rules_fields}
        del fields["meeting"]
        return {**fields, "margins": self.margins.tolist()}


def rules_text(fields: Mapping[str, Any]) -> str:
    """Return the fields of rules as JSON, the same text for the same rules."""
    return json.dumps(rules_from_dict(dict(fields)).to_dict(), sort_keys=True)


def write_parts(path: str | Path, parts: Iterable[MatchPart]) -> None:
    """Write parts to a file; it appears once it is complete.

    Raises:
        OSError: when it cannot be written.
    """
    content = {"format": FORMAT, "parts": [part.to_dict() for part in parts]}
    write_atomically(path, json.dumps(content, separators=(",", ":")).encode())


def read_parts(path: str | Path) -> list[MatchPart]:
    """Return the parts in a file.

    Raises:
        ValueError: when it cannot be read, or holds no parts; the message names the file.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not UTF-8 text") from None
    name = f"{path}: match parts"
    fields = check_object(read_json(text, name), name, ("format", "parts"), ("format", "parts"))
    if fields["format"] != FORMAT:
        raise ValueError(f"{name}: format {fields['format']!r:.60} is not {FORMAT!r}")
    if not isinstance(fields["parts"], list):
        raise ValueError(f"{name}: 'parts' is not a list")
    return [_part(given, f"{path}: part {number}") for number, given in enumerate(fields["parts"], 1)]


def _part(given: Any, name: str) -> MatchPart:
    fields = check_object(given, name, _FIELDS, _FIELDS)
    for key in (*_STATED, "shard"):
        if not isinstance(fields[key], str):
            raise ValueError(f"{name}: {key} {fields[key]!r:.60} is not text")
    try:
        meeting = Meeting(
            **{key: fields[key] for key in _STATED},
            rules=rules_text(check_object(fields["rules"], "rules")),
            seed=check_seed(fields["seed"]),
        )
        match_endgame(meeting.endgame)
        if fields["shard"]:
            parse_shard(fields["shard"])
        part = MatchPart(
            meeting,
            check_seed(fields["match_start"], "match_start"),
            whole_number("match_deals", fields["match_deals"], 1),
            check_seed(fields["start"], "start"),
            _margins(fields["margins"]),
            fields["shard"],
        )
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: {error}") from None
    if not part.match_start <= part.start <= part.deals.stop <= part.match_start + part.match_deals:
        raise ValueError(f"{name}: its deals are not deals of its match")
    return part


def _margins(given: Any) -> npt.NDArray[np.int64]:
    rows = given if isinstance(given, list) and given else [None]
    for row in rows:
        if not isinstance(row, list) or len(row) != 2 or not all(is_whole_number(one, -99, 99) for one in row):
            raise ValueError(f"margins: {row!r:.60} is not a pair of whole numbers")
    return np.array(rows, np.int64)
