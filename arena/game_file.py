"""Files of games, JSON lines: results, shards and recordings of matches, and putting them together.

A *section* holds games of one match:

- the header: ``format``; ``first`` and ``second``, the agents; their versions, ``first_version`` and
  ``second_version``; ``rules``; ``seed``; ``endgame``; ``match``, the match format, ``null`` for single deals;
  ``start`` and ``count``, the deals (or matches) of the whole match; ``shard``, such as ``"1/3"``, ``null`` for none;
- a line for each game, the two of a deal one after the other: ``deal`` (or ``match``), its index; ``seat`` of the first
  agent (in a match, in its first deal) and its ``margin``; in a match its ``outcome`` (1, 0, −1) and the ``length`` in
  deals; ``forfeits``, if any; ``actions`` and ``result`` as in a recording, if it was recorded;
- ``sha256``, a digest of these lines, so that a changed or lost one is noticed.

Sections follow each other, so files are put together by concatenation. A recording that stands alone
(:mod:`german_whist.arena.recording`) may stand before, between and after them.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import groupby, islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.arena.agent_version import agent_version
from german_whist.arena.games import Forfeit, GameBlock, LostGame, Shard, parse_shard
from german_whist.arena.match import MatchResult, SeriesResult, games_result
from german_whist.arena.recording import MAX_LINE, DealResult, Recording, parse_actions
from german_whist.arena.strict_json import check_object, read_json
from german_whist.envs.engine.endgame_hook import PLAYED, check_endgame
from german_whist.envs.engine.match_format import MAX_DEALS as MAX_LENGTH
from german_whist.envs.engine.match_format import MatchFormat, check_match_number, match_format_of
from german_whist.envs.engine.rules import Rules, rules_from_dict
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.utils.checks import check_seed, is_whole_number, whole_number
from german_whist.envs.utils.files import temporary_path
from german_whist.envs.utils.specs import count_text, must_be, printable

FORMAT = "german-whist games 1"
MAX_BYTES = 256 << 20  # of a file whose results are read
MAX_DEALS = 1_000_000  # of a match whose results are read, so that all of them fit a file; for a series, matches

_TEXTS = ("first", "second", "first_version", "second_version", "endgame")
_HEADER = ("format", *_TEXTS, "rules", "seed", "match", "start", "count", "shard")
_DEAL = ("deal", "seat", "margin")
_MATCH = ("match", "seat", "margin", "outcome", "length")
_RECORDED = ("actions", "result")
_ENCODER = json.JSONEncoder(separators=(",", ":"))  # made once: it takes longer than a line
_MAX_COUNT = 1 << 52
_MAX_SHOWN = 8  # missing shards or ranges of deals in an error


class MatchConfig(NamedTuple):
    """Everything that the games of two agents depend on, but the deals.

    Attributes:
        first: specification of the first agent.
        second: specification of the second agent.
        first_version: version of the first agent.
        second_version: version of the second agent.
        rules: the rules.
        seed: seed of the deals and of the agents' randomness.
        endgame: ``"played"`` or ``"exact"``.
        match: the match format of a series; ``None`` for single deals.
    """

    first: str
    second: str
    first_version: str
    second_version: str
    rules: Rules
    seed: int
    endgame: str
    match: MatchFormat | None = None

    @property
    def unit(self) -> str:
        """What is played: ``"deals"`` or ``"matches"``."""
        return "deals" if self.match is None else "matches"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data, ready for JSON."""
        match = None if self.match is None else str(self.match)
        return {**self._asdict(), "rules": self.rules.to_dict(), "match": match}


def match_config(
    first: str,
    second: str,
    rules: str | Rules = "classic",
    seed: int = 0,
    endgame: str = PLAYED,
    match: str | MatchFormat | None = None,
) -> MatchConfig:
    """Return what the games of two agents depend on, with the versions of today.

    Raises:
        ValueError: when the rules, seed, endgame or match format are not allowed, or a checkpoint cannot be read.
    """
    return MatchConfig(
        first,
        second,
        agent_version(first),
        agent_version(second),
        rules_named(rules),
        check_seed(seed),
        check_endgame(endgame),
        None if match is None else match_format_of(match),
    )


def result_of(config: MatchConfig, played: GameBlock) -> MatchResult | SeriesResult:
    """Return the result of games as ``play_match`` or, for a series, ``play_series`` returns it."""
    names = (config.first, config.second)
    return games_result(played, names, config.rules, config.seed, config.endgame, config.match)


class Header(NamedTuple):
    """What a section holds.

    Attributes:
        config: who played what.
        whole: the deals, or matches, of the whole match.
        shard: which of them the section has; ``None`` where that is not said.
    """

    config: MatchConfig
    whole: range
    shard: Shard | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the first line of the section as plain data."""
        shard = None if self.shard is None else str(self.shard)
        whole = {"start": self.whole.start, "count": len(self.whole)}
        return {"format": FORMAT, **self.config.to_dict(), **whole, "shard": shard}

    @classmethod
    def from_fields(cls, given: Any) -> Header:
        """Return what the first line of a section says.

        Raises:
            ValueError: when it is no header.
        """
        fields = check_object(given, "header", _HEADER, _HEADER)
        if fields["format"] != FORMAT:
            raise ValueError(f"header: format {fields['format']!r:.60} is not {FORMAT!r}")
        try:
            config = MatchConfig(
                **{key: _text(fields, key) for key in _TEXTS},
                rules=rules_from_dict(check_object(fields["rules"], "rules")),
                seed=check_seed(fields["seed"]),
                match=None if fields["match"] is None else match_format_of(_text(fields, "match")),
            )
            check_endgame(config.endgame)
            start, count = check_seed(fields["start"], "start"), whole_number("count", fields["count"], 1, _MAX_COUNT)
            last = start + count - 1
            if config.match is None:
                check_seed(last, "last deal")
            else:
                check_match_number(last, "last match")
            shard = None if fields["shard"] is None else parse_shard(_text(fields, "shard"))
            if shard is not None:
                shard.of(range(count), config.unit)
        except (ValueError, TypeError) as error:
            raise ValueError(f"header: {error}") from None
        return cls(config, range(start, start + count), shard)


def _text(fields: dict[str, Any], key: str) -> str:
    if not isinstance(fields[key], str):
        raise ValueError(f"{key} {fields[key]!r:.60} is not text")
    return str(fields[key])


# Writing


@contextmanager
def _writing(path: str | Path) -> Iterator[IO[str]]:
    """Yield a new file, which appears once it is complete.

    Raises:
        ValueError: when it cannot be written.
    """
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"{path}: cannot be written: it is a folder")
    is_stream = target.exists() and not target.is_file()  # as a pipe or /dev/null, which stays what it is
    temporary = target if is_stream else temporary_path(target)
    try:
        file = temporary.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise ValueError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        with file:
            yield file
            if not is_stream:
                file.flush()
                os.fsync(file.fileno())  # without it a power failure could leave an empty file under the new name
        if not is_stream:
            os.replace(temporary, target)
    except OSError as error:
        if error.errno is None:  # not of the file: a worker that was lost while the games were played
            raise
        raise ValueError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        if not is_stream:
            temporary.unlink(missing_ok=True)


@contextmanager
def writing_recordings(path: str | Path) -> Iterator[Callable[[Recording], None]]:
    """Yield a function that adds a recording, which stands alone, to a new file; it appears once all are written.

    Raises:
        ValueError: when the file cannot be written.
    """
    with _writing(path) as file:
        yield lambda recording: print(recording.to_line(), file=file)


WriteGames = Callable[[Header, Iterable[GameBlock]], Iterator[GameBlock]]


@contextmanager
def writing_games(path: str | Path) -> Iterator[WriteGames]:
    """Yield a function that passes on blocks of games and writes them as a section of a new file.

    The file appears once all are written.

    Raises:
        ValueError: when the file cannot be written.
    """
    with _writing(path) as file:

        def write(header: Header, blocks: Iterable[GameBlock]) -> Iterator[GameBlock]:
            digest = hashlib.sha256()

            def put(fields: dict[str, Any]) -> None:
                line = _ENCODER.encode(fields)
                digest.update(line.encode() + b"\n")
                print(line, file=file)

            put(header.to_dict())
            for block in blocks:
                for fields in _game_fields(header.config, block):
                    put(fields)
                yield block
            put({"sha256": digest.hexdigest()})

        yield write


def write_games(path: str | Path, header: Header, played: GameBlock) -> None:
    """Write games to a file of their own; it appears once it is complete.

    Raises:
        ValueError: when it cannot be written.
    """
    with writing_games(path) as write:
        for _ in write(header, [played]):
            pass


def _game_fields(config: MatchConfig, block: GameBlock) -> Iterator[dict[str, Any]]:
    """Yield the lines of a block's games as plain data."""
    lost: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for one in block.lost:
        lost.setdefault((one.number, one.seat), []).append(one.forfeit._asdict())
    recordings = iter(block.recordings)
    for number, *pairs in zip(*(column.tolist() for column in block[:4]), strict=True):
        for seat, (outcome, margin, length) in enumerate(zip(*pairs, strict=True)):
            if config.match is None:
                fields = {"deal": number, "seat": seat, "margin": int(margin)}
            else:
                fields = {"match": number, "seat": seat, "margin": margin, "outcome": outcome, "length": length}
            if (number, seat) in lost:
                fields["forfeits"] = lost[number, seat]
            recording = next(recordings, None)
            if recording is not None:
                fields |= {"actions": recording.actions_text, "result": asdict(recording.result)}
            yield fields


# Reading


class Section(NamedTuple):
    """Games in a file.

    Attributes:
        header: which games.
        played: the games.
        path: the file.
        line: the header's line, from 1.
        lines: the line of each deal's, or match's, first game, int64[n].
    """

    header: Header
    played: GameBlock
    path: str
    line: int
    lines: npt.NDArray[np.int64]


class _OpenSection:
    """A section while it is read."""

    def __init__(self, header: Header, path: str, line: int) -> None:
        count, unit = len(header.whole), header.config.unit
        if count > MAX_DEALS:
            raise ValueError(f"header: a match of {count} {unit} is not read: {MAX_DEALS} are the most")
        self.header, self.path, self.line = header, path, line
        self._unit = "deal" if header.config.match is None else "match"
        self._keys: tuple[str, ...] = _DEAL if header.config.match is None else _MATCH
        self._most, self._step = _margins(header.config.rules, header.config.match)
        self._numbers, self._lines = array("Q"), array("q")
        self._outcomes, self._margins, self._lengths = array("q"), array("d"), array("q")
        self._lost: list[LostGame] = []

    def add(self, given: Any, line: int) -> None:
        """Add the game in a line."""
        fields = check_object(given, "game", (*self._keys, "forfeits", *_RECORDED), self._keys)
        number, is_second = fields[self._unit], len(self._margins) % 2
        if not is_whole_number(number) or number not in self.header.whole:
            raise ValueError(f"game: {self._unit} {number!r:.60} is none of its match")
        last = self._numbers[-1] if self._numbers else -1
        if not is_whole_number(fields["seat"], is_second, is_second) or (is_second and number != last):
            which = f"second game of {self._unit} {last}" if is_second else f"first game of {self._unit} {number}"
            raise ValueError(f"game: the {which}, of seat {is_second}, is needed here")
        if not is_second and number <= last:
            raise ValueError(f"game: {self._unit} {number} is not in order: it is below {last}")
        margin = fields["margin"]
        if not self._is_margin(margin):
            kind = "an integer" if self.header.config.match is None else "a number"
            allowed = f"{kind} from -{self._most:g} to {self._most:g} in steps of {self._step:g}"
            raise ValueError(must_be("game: margin", allowed, margin))
        outcome, length = (margin > 0) - (margin < 0), 1
        if self.header.config.match is not None:
            length = whole_number("game: length", fields["length"], 1, MAX_LENGTH)
            is_drawn = whole_number("game: outcome", fields["outcome"], -1, 1) == 0 and length == MAX_LENGTH
            if fields["outcome"] != outcome and not is_drawn:
                raise ValueError(f"game: outcome {fields['outcome']} and margin {margin} do not agree")
            outcome = fields["outcome"]
        self._lost += [LostGame(number, is_second, one) for one in _forfeits(fields.get("forfeits", []))]
        if not is_second:
            self._numbers.append(number)
            self._lines.append(line)
        self._margins.append(margin)
        self._outcomes.append(outcome)
        self._lengths.append(length)

    def _is_margin(self, given: Any) -> bool:
        is_number = is_whole_number(given) or (isinstance(given, float) and self.header.config.match is not None)
        return is_number and abs(given) <= self._most and (given + self._most) % self._step == 0

    def closed(self) -> Section:
        """Return the section."""
        if len(self._margins) != 2 * len(self._numbers):
            raise ValueError(f"the second game of {self._unit} {self._numbers[-1]} is missing")
        outcomes, margins, lengths = (
            np.array(column).reshape(-1, 2) for column in (self._outcomes, self._margins, self._lengths)
        )
        played = GameBlock(np.array(self._numbers, np.uint64), outcomes, margins, lengths, tuple(self._lost))
        return Section(self.header, played, self.path, self.line, np.array(self._lines))


def _margins(rules: Rules, match: MatchFormat | None) -> tuple[float, float]:
    """Return the largest margin of a game and the step between two that are possible."""
    if match is not None:
        return match.largest_score(rules), 1 / match.score_unit(rules)
    return reward_limit(rules.game, "margin"), 1 if rules.race else 2  # without a race, every counted trick is played


def _forfeits(given: Any) -> Iterator[Forfeit]:
    if not isinstance(given, list):
        raise ValueError(f"game: forfeits {given!r:.60} are not a list")
    for one in given:
        forfeit = Forfeit(**check_object(one, "forfeit", Forfeit._fields, Forfeit._fields))
        if not isinstance(forfeit.agent, str) or not isinstance(forfeit.reason, str):
            raise ValueError(f"forfeit: agent {forfeit.agent!r:.60} or reason {forfeit.reason!r:.60} is not text")
        check_seed(forfeit.deal, "forfeit: deal")
        whole_number("forfeit: seat", forfeit.seat, 0, 1)
        yield forfeit


def read_sections(path: str | Path) -> list[Section]:
    """Return the games in a file; recordings that stand alone in it are none of a match, and left out.

    Raises:
        ValueError: when it cannot be read, is too large, holds no games, or a line is wrong, missing or changed; the
            message names the file and the line.
    """
    _check_size(path)
    found: list[Section] = []
    section, digest, number = None, hashlib.sha256(), 0
    for number, text in _lines(path, "games"):
        if not text.strip():
            continue
        try:  # a context manager would take as long as the rest
            fields = check_object(read_json(_decoded(text, "games"), "games"), "games")
            if "format" in fields:
                if section is not None:
                    raise ValueError("the games above it are cut off: their sha256 is missing")
                section, digest = _OpenSection(Header.from_fields(fields), str(path), number), hashlib.sha256()
            elif section is None:
                Recording.from_fields(fields)
            elif "sha256" in fields:
                if fields != {"sha256": digest.hexdigest()}:
                    raise ValueError("the games above it are damaged: their sha256 is another")
                found.append(section.closed())
                section = None
            else:
                section.add(fields, number)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        digest.update(text.rstrip(b"\r\n") + b"\n")
    if section is not None:
        raise ValueError(f"{path}, line {number}: the games are cut off: their sha256 is missing")
    if not found:
        raise ValueError(f"{path}: no games below a header")
    return found


def read_recordings(path: str | Path, *, verify: bool = True) -> Iterator[Recording]:
    """Yield the recordings of a file in order; empty lines are skipped.

    Args:
        path: the file, as ``german-whist evaluate --record FILE`` or ``play --record FILE`` writes it.
        verify: replay each recording and check its result.

    Yields:
        One :class:`Recording` per recorded game.

    Raises:
        ValueError: when the file cannot be read, or at a line that is truncated, not a recording, or (with ``verify``)
            cannot be replayed; the message names the file and the line, counted from 1.
    """
    reader = _RecordingReader()
    for number, text in _lines(path, "recording"):
        if not text.strip():
            continue
        with at_line(path, number):
            recording = reader.read(_decoded(text, "recording"))
            if recording is not None and verify:
                recording.replay()
        if recording is not None:
            yield recording


def read_recording(path: str | Path, line: int | None = None) -> tuple[int, Recording]:
    """Return a line, counted from 1, and the recording in it, without replaying it.

    Args:
        path: the file.
        line: the line; by default that of the first recorded game.

    Raises:
        ValueError: when the file cannot be read, has no such line, or the line is not a recording.
    """
    reader, last = _RecordingReader(), 0
    for last, text in _lines(path, "recording"):
        # Of other lines, those that begin and end a section matter.
        if line in (None, last) or b'"format"' in text or b'"sha256"' in text:
            with at_line(path, last):
                recording = reader.read(_decoded(text, "recording"))
                if recording is not None:
                    return last, recording
                if line == last:
                    raise ValueError("no recording: it is the header, the end, or a game without its actions")
    if line is None:
        raise ValueError(f"{path}: no recordings")
    raise ValueError(f"{path}: line {line} does not exist: the file has {count_text(last, 'line')}")


def parse_recordings(text: str) -> list[Recording]:
    """Return the recordings in the text of a file, in order.

    Raises:
        ValueError: at a line that is not a recording.
    """
    reader = _RecordingReader()
    found = (reader.read(line) for line in text.splitlines() if line.strip())
    return [recording for recording in found if recording is not None]


class _RecordingReader:
    """Reads recordings line by line: below a header, its games; elsewhere, those that stand alone."""

    def __init__(self) -> None:
        self._header: Header | None = None

    def read(self, line: str) -> Recording | None:
        """Return the recording in a line; ``None`` for a header, an end and a game without its actions."""
        if len(line) > MAX_LINE:
            raise ValueError(f"recording: the line has more than {MAX_LINE} characters")
        fields = read_json(line, "recording")
        is_object = isinstance(fields, dict)
        if is_object and "format" in fields:
            self._header = Header.from_fields(fields)
        elif self._header is None:
            return Recording.from_fields(fields)
        elif is_object and "sha256" in fields:
            self._header = None
        else:
            return _recorded_game(self._header, check_object(fields, "recording"))
        return None


def _recorded_game(header: Header, fields: dict[str, Any]) -> Recording | None:
    if header.config.match is not None or "actions" not in fields:
        return None
    check_object(fields, "recording", (*_DEAL, "forfeits", *_RECORDED), (*_DEAL, *_RECORDED))
    config, deal, seat = header.config, fields["deal"], whole_number("recording: seat", fields["seat"], 0, 1)
    check_seed(deal, "recording: deal")
    first, second = printable(config.first), printable(config.second)
    names = (second, first) if seat else (first, second)
    actions, result = parse_actions(fields["actions"], config.rules), DealResult.from_fields(fields["result"])
    if fields["margin"] != (-result.margin if seat else result.margin):
        raise ValueError(f"recording: margin {fields['margin']!r:.60} and result do not agree")
    return Recording(config.rules, deal % 2, names, actions, result, deal=(config.seed, deal))


@contextmanager
def at_line(path: str | Path, number: int) -> Iterator[None]:
    """Prefix every ``ValueError`` raised inside with the file and the line.

    Raises:
        ValueError: when one is raised inside.
    """
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}, line {number}: {error}") from None


def _lines(path: str | Path, name: str) -> Iterator[tuple[int, bytes]]:
    try:
        with Path(path).open("rb") as file:
            number = 0
            while line := file.readline(4 * MAX_LINE + 1):  # a character of UTF-8 has up to four bytes
                number += 1
                if len(line) > 4 * MAX_LINE:
                    raise ValueError(f"{path}, line {number}: {name}: the line has more than {MAX_LINE} characters")
                yield number, line
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None


def _decoded(text: bytes, name: str) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{name}: not UTF-8 text") from None


def _check_size(path: str | Path) -> None:
    try:
        about = os.stat(path)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    if not stat.S_ISREG(about.st_mode) and not stat.S_ISDIR(about.st_mode):
        raise ValueError(f"{path}: is not a file")
    if about.st_size > MAX_BYTES:
        raise ValueError(f"{path}: has {about.st_size} bytes, and at most {MAX_BYTES} are read")


# Putting together


class GameTable:
    """Games of a match as far as they are known: a row for each deal, or match, of a range."""

    def __init__(self, whole: range) -> None:
        """Know no game yet."""
        self.whole = whole
        self.is_played = np.zeros(len(whole), np.bool_)
        self._outcomes, self._lengths = (np.zeros((len(whole), 2), np.int64) for _ in range(2))
        self._margins = np.zeros((len(whole), 2))
        self._lost: dict[LostGame, None] = {}

    def add(self, played: GameBlock) -> npt.NDArray[np.int64]:
        """Add games of the range, and return which rows of theirs were known with other results, int64[k]."""
        rows = (played.numbers - np.uint64(self.whole.start)).astype(np.int64)
        differs = np.zeros(len(rows), np.bool_)
        for known, given in (
            (self._outcomes, played.outcomes),
            (self._margins, played.margins),
            (self._lengths, played.lengths),
        ):
            differs |= (known[rows] != given).any(axis=1)
            known[rows] = given
        contradictory = np.flatnonzero(differs & self.is_played[rows])
        self.is_played[rows] = True
        self._lost.update(dict.fromkeys(played.lost))
        return contradictory

    def played(self, within: range | None = None) -> GameBlock:
        """Return the games that are known, of a range if one is given."""
        rows = np.flatnonzero(self.is_played)
        if within is not None:
            rows = rows[(rows >= within.start - self.whole.start) & (rows < within.stop - self.whole.start)]
        lost = (one for one in self._lost if within is None or one.number in within)
        numbers = np.uint64(self.whole.start) + rows.astype(np.uint64)
        return GameBlock(numbers, self._outcomes[rows], self._margins[rows], self._lengths[rows], tuple(lost))

    def missing(self, within: range) -> list[range]:
        """Return the ranges within a range of which nothing is known."""
        found, start = [], within.start
        offset = self.whole.start
        for is_played, run in groupby(self.is_played[within.start - offset : within.stop - offset].tolist()):
            length = len(list(run))
            if not is_played:
                found.append(range(start, start + length))
            start += length
        return found


def merge(sections: Iterable[Section]) -> list[tuple[MatchConfig, GameBlock]]:
    """Put sections together, in any order; the same games may be given twice.

    Returns:
        All games of each match, the matches in the order of their first sections.

    Raises:
        ValueError: when games are missing (the message lists them), contradict each other, or were played by other
            versions of the agents; the message names the file and the line.
    """
    given = list(sections)
    versions: dict[str, tuple[str, Section]] = {}
    matches: dict[tuple[MatchConfig, range], list[Section]] = {}
    for section in given:
        config = section.header.config
        for spec, version in ((config.first, config.first_version), (config.second, config.second_version)):
            known, other = versions.setdefault(spec, (version, section))
            if known != version:
                raise ValueError(
                    f"{section.path}, line {section.line}: played by another version of {spec!r}, {version}, than "
                    f"{other.path}, {known}: play them again with one version"
                )
        matches.setdefault((config, section.header.whole), []).append(section)
    return [(config, _merged(whole, own)) for (config, whole), own in matches.items()]


def _merged(whole: range, sections: Sequence[Section]) -> GameBlock:
    table, config = gathered(whole, sections), sections[0].header.config
    missing = table.missing(whole)
    if missing:
        raise ValueError(f"{config.first} against {config.second}: missing {_missing(missing, sections)}")
    played = table.played()
    if config.match is None:
        return played
    # The two games of a match were played at the same time, the first agent's turn first.
    lost = sorted(played.lost, key=lambda one: (one.number, one.forfeit.agent != config.first))
    return played._replace(lost=tuple(lost))


def gathered(whole: range, sections: Iterable[Section]) -> GameTable:
    """Return the games of sections of one match.

    Raises:
        ValueError: when sections contradict each other; the message names the file and the line.
    """
    table = GameTable(whole)
    for section in sections:
        contradictory = table.add(section.played)
        if len(contradictory):
            config, row = section.header.config, contradictory[0]
            raise ValueError(
                f"{section.path}, line {section.lines[row]}: {config.first} against {config.second}: "
                f"{'deal' if config.match is None else 'match'} {section.played.numbers[row]} is given twice, with "
                "different results"
            )
    return table


def _missing(ranges: list[range], sections: Sequence[Section]) -> str:
    """Return what is missing: shards if all sections are shards of the same cut, else ranges of deals."""
    shards = [section.header.shard for section in sections if section.header.shard is not None]
    counts = {shard.count for shard in shards}
    there = {shard.number for shard in shards}
    if len(shards) == len(sections) and len(counts) == 1 and len(there) < (count := counts.pop()):
        lost = (f"{number}/{count}" for number in range(1, count + 1) if number not in there)
        return f"shard{'s' * (count - len(there) > 1)} {_shown(lost, count - len(there))}"
    words = (f"{one.start} to {one.stop - 1}" if len(one) > 1 else str(one.start) for one in ranges)
    return f"{sections[0].header.config.unit} {_shown(words, len(ranges))}"


def _shown(words: Iterable[str], count: int) -> str:
    """Return the first of so many words."""
    more = count - _MAX_SHOWN
    return ", ".join(islice(words, _MAX_SHOWN)) + (f" and {more} more" if more > 0 else "")
