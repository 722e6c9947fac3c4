"""``play_tournament``: every pair of several agents on the same mirrored deals."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import combinations, groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.registry import make_agent
from german_whist.arena.games import Progress, check_counts
from german_whist.arena.match_result import Forfeit
from german_whist.arena.parts.match_part import MAX_DEALS, MatchPart, Meeting, read_parts, write_parts
from german_whist.arena.parts.play import match_meeting, play_part, play_shard
from german_whist.arena.parts.shards import Shard
from german_whist.envs.engine.endgame_hook import PLAYED
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.utils.checks import whole_number
from german_whist.envs.utils.specs import short_repr

PAIRS_FOLDER = "pairs"
_CHUNK = 512  # deals between two writes
_MAX_NAME = 24  # characters of an agent's specification in a file's name
_DIGITS = 12

Margins = npt.NDArray[np.int64]
Played = npt.NDArray[np.bool_]


class StoredResults(NamedTuple):
    """What is known of a meeting's deals 0 … n − 1.

    Attributes:
        margins: int64[n, 2].
        is_played: which deals are known, bool[n].
        forfeits: games that an agent lost without playing them to the end.
    """

    margins: Margins
    is_played: Played
    forfeits: list[Forfeit]


class ResultStore:
    """Margins of meetings in a folder: agents, their versions, rules, seed and endgame are the key.

    Every file is complete at all times. Shards of a meeting lie beside its main file, so machines that share the folder
    (or whose files are copied into one) need not talk to each other.
    """

    def __init__(self, folder: str | Path) -> None:
        """Use a folder; it is made when something is written."""
        self.folder = Path(folder)

    def load(self, meeting: Meeting, deals: int) -> StoredResults:
        """Return what is known of a meeting.

        Args:
            meeting: who played what.
            deals: the smallest number of deals; more if more are stored.

        Raises:
            ValueError: when there are more deals than are stored, or a file is damaged; the message names it.
        """
        whole_number("deals", deals, 1, MAX_DEALS)
        parts = []
        for path in sorted(self.folder.glob(f"{_key(meeting)}*.json")):
            for part in read_parts(path):
                if part.match:
                    raise ValueError(f"{path}: a part of a series, {part.match}, where deals are stored")
                if part.deals.stop > MAX_DEALS:
                    raise ValueError(f"{path}: deal {part.deals.stop - 1} is beyond the {MAX_DEALS} that are stored")
                if part.meeting == meeting:
                    parts.append(part)
        size = max([deals, *(part.deals.stop for part in parts)])
        margins, is_played = np.zeros((size, 2), np.int64), np.zeros(size, np.bool_)
        for part in parts:
            margins[part.start : part.deals.stop] = part.margins
            is_played[part.start : part.deals.stop] = True
        forfeits = list(dict.fromkeys(one for part in parts for one in part.forfeits))
        return StoredResults(margins, is_played, forfeits)

    def save(self, meeting: Meeting, stored: StoredResults) -> None:
        """Write what is known of a meeting, replacing its main file.

        Raises:
            OSError: when it cannot be written.
        """
        parts = []
        for run in runs_of(stored.is_played, True):
            margins = stored.margins[run.start : run.stop]
            forfeits = tuple(one for one in stored.forfeits if one.deal in run)
            parts.append(MatchPart(meeting, run.start, len(run), run.start, margins, forfeits=forfeits))
        self._write(_key(meeting), parts)

    def save_shard(self, part: MatchPart) -> None:
        """Write a shard of a meeting in a file of its own.

        Raises:
            OSError: when it cannot be written.
        """
        name = f"{_key(part.meeting)}.{part.match_deals}.{part.shard.replace('/', '-of-')}"
        self._write(name, [part])

    def _write(self, name: str, parts: list[MatchPart]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_parts(self.folder / f"{name}.json", parts)


def runs_of(marks: Played, value: bool) -> list[range]:
    """Return the ranges of indices at which an array has a value."""
    found, start = [], 0
    for mark, run in groupby(marks.tolist()):
        length = len(list(run))
        if mark == value:
            found.append(range(start, start + length))
        start += length
    return found


def _key(meeting: Meeting) -> str:
    digest = hashlib.sha256(json.dumps(meeting).encode()).hexdigest()[:_DIGITS]
    names = [re.sub(r"[^A-Za-z0-9]+", "_", spec)[:_MAX_NAME].strip("_") for spec in (meeting.first, meeting.second)]
    return "-".join([*names, digest])


@dataclass(frozen=True, eq=False)
class Tournament:
    """Results of every pair of several agents.

    Attributes:
        agents: their specifications.
        versions: their versions.
        deals: mirrored deals of each pair, the same ones for all: deals 0 … deals − 1 of the seed.
        seed: seed of the deals and of the agents' randomness.
        rules: the rules.
        endgame: ``"played"`` or ``"exact"``.
        margins: for every i < j, agent i's margins against agent j, int64[deals, 2]: in the game in which agent i has
            seat 0, and in the other.
        forfeits: games that an agent lost without playing them to the end.
    """

    agents: tuple[str, ...]
    versions: tuple[str, ...]
    deals: int
    seed: int
    rules: Rules
    endgame: str
    margins: dict[tuple[int, int], Margins]
    forfeits: tuple[Forfeit, ...] = ()


def play_tournament(
    agents: Sequence[str],
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "classic",
    *,
    endgame: str = PLAYED,
    folder: str | Path | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Tournament:
    """Play every pair of agents on the same mirrored deals.

    Args:
        agents: specification strings (see ``make_agent``), at least two, each once.
        deals: mirrored deals of each pair.
        seed: seed of the deals and of the agents' randomness.
        rules: a preset's name, with settings if wanted, or ``Rules``.
        endgame: ``"played"`` or ``"exact"``, as in ``play_match``.
        folder: where to keep results. What is there already, of the same agents in the same versions, is not played
            again; what is played is written as it comes.
        progress: called with the number of deals played or found since the last call; the numbers add up to ``deals``
            times the number of pairs.
        executor: as in ``play_match``.

    Raises:
        ValueError: when a name or number is not allowed, an agent is given twice, a stored result is damaged, or a
            folder is to keep more than 3,000,000 deals of a pair.
    """
    meetings = _meetings(agents, deals, seed, rules, endgame)
    store = None if folder is None else ResultStore(Path(folder) / PAIRS_FOLDER)
    margins, forfeits = {}, []
    for (i, j), meeting in meetings.items():
        found = _pair_results(meeting, deals, store, progress, executor)
        margins[i, j] = _oriented(found.margins, meeting, agents[i])
        forfeits += sorted((one for one in found.forfeits if one.deal < deals), key=lambda one: (one.deal, one.seat))
    any_meeting = next(iter(meetings.values()))
    versions = {
        spec: version
        for one in meetings.values()
        for spec, version in ((one.first, one.first_version), (one.second, one.second_version))
    }
    return Tournament(
        tuple(agents),
        tuple(versions[spec] for spec in agents),
        int(deals),
        any_meeting.seed,
        rules_named(rules),
        any_meeting.endgame,
        margins,
        tuple(forfeits),
    )


def play_tournament_shard(
    agents: Sequence[str],
    shard: Shard,
    folder: str | Path,
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "classic",
    *,
    endgame: str = PLAYED,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> None:
    """Play one shard of every pair's deals and keep it in a folder, where ``play_tournament`` finds it.

    The arguments are those of :func:`play_tournament`. Shards that are there already are not played again.

    Raises:
        ValueError: as ``play_tournament``, or when there are fewer deals than shards.
    """
    store = ResultStore(Path(folder) / PAIRS_FOLDER)
    share = shard.deals(deals)
    for meeting in _meetings(agents, deals, seed, rules, endgame).values():
        is_played = store.load(meeting, deals).is_played
        if is_played[share.start : share.stop].all():
            if progress is not None:
                progress(len(share))
        else:
            store.save_shard(play_shard(meeting, 0, deals, shard, progress=progress, executor=executor))


def _meetings(
    agents: Sequence[str], deals: int, seed: int, rules: str | Rules, endgame: str
) -> dict[tuple[int, int], Meeting]:
    """Return the meeting of every pair i < j. The agents of a meeting are in alphabetical order.

    So results do not depend on the order in which the agents are given.
    """
    check_counts(deals=deals)
    if len(agents) < 2:
        raise ValueError(f"{len(agents)} agent given, at least 2 are needed")
    for spec in agents:
        if not isinstance(spec, str):
            raise ValueError(f"{short_repr(spec)} is not allowed: agents of a tournament are given by name")
        if list(agents).count(spec) > 1:
            raise ValueError(f"agent {short_repr(spec)} is given twice")
        make_agent(spec, rules)
    meetings = {}
    for i, j in combinations(range(len(agents)), 2):
        first, second = sorted((agents[i], agents[j]))
        meetings[i, j] = match_meeting(first, second, rules, seed, endgame)
    return meetings


def _pair_results(
    meeting: Meeting, deals: int, store: ResultStore | None, progress: Progress | None, executor: Executor | None
) -> StoredResults:
    """Return the results of a pair's deals 0 … deals − 1, those in the store as they are."""
    if store is None:
        part = play_part(meeting, 0, deals, progress=progress, executor=executor)
        return StoredResults(part.margins, np.ones(deals, np.bool_), list(part.forfeits))
    stored = store.load(meeting, deals)
    margins, is_played, forfeits = stored
    if progress is not None and is_played[:deals].any():
        progress(int(is_played[:deals].sum()))
    for run in runs_of(is_played[:deals], False):
        for start in range(run.start, run.stop, _CHUNK):
            size = min(_CHUNK, run.stop - start)
            part = play_part(meeting, start, size, progress=progress, executor=executor)
            margins[start : start + size] = part.margins
            is_played[start : start + size] = True
            forfeits += part.forfeits
            store.save(meeting, stored)
    return StoredResults(margins[:deals], is_played[:deals], forfeits)


def _oriented(margins: Margins, meeting: Meeting, first: str) -> Margins:
    """Return the margins from the side of agent ``first``."""
    return margins if meeting.first == first else -margins[:, ::-1]
