"""``play_tournament``: every pair of several agents on the same mirrored deals."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt

from german_whist.agents.registry import make_agent
from german_whist.arena.match import check_deals
from german_whist.arena.match_result import Forfeit
from german_whist.arena.mirrored_deals import Progress
from german_whist.arena.parallel.shards import Shard
from german_whist.arena.parts.match_part import Meeting
from german_whist.arena.parts.play import match_meeting, play_part, play_shard
from german_whist.arena.tournament.store import ResultStore, StoredResults, runs_of
from german_whist.envs.engine.endgame_hook import PLAYED
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.utils.specs import shown

PAIRS_FOLDER = "pairs"
_CHUNK = 512  # deals between two writes

Margins = npt.NDArray[np.int64]


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
    check_deals(deals)
    if len(agents) < 2:
        raise ValueError(f"{len(agents)} agent given, at least 2 are needed")
    for spec in agents:
        if not isinstance(spec, str):
            raise ValueError(f"{shown(spec)} is not allowed: agents of a tournament are given by name")
        if list(agents).count(spec) > 1:
            raise ValueError(f"agent {shown(spec)} is given twice")
        make_agent(spec)
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
