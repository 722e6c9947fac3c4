"""``play_tournament``: every pair of several agents on the same mirrored deals."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.registry import as_spec, make_agent
from german_whist.arena.game_file import (
    MAX_DEALS,
    GameTable,
    Header,
    MatchConfig,
    gathered,
    match_config,
    read_sections,
    write_games,
    writing_games,
)
from german_whist.arena.games import DEFAULT_BATCH, Forfeit, GameBlock, Progress, Shard, deal_range, games, two_players
from german_whist.arena.match import sorted_forfeits
from german_whist.envs.engine.endgame_hook import PLAYED
from german_whist.envs.engine.rules import Rules
from german_whist.envs.utils.checks import whole_number
from german_whist.envs.utils.specs import integers, must_be, short_repr

PAIRS_FOLDER = "pairs"
_CHUNK = 512  # deals between two writes, at least
_MAX_NAME = 24  # characters of an agent's specification in a file's name
_DIGITS = 12

Margins = npt.NDArray[np.int64]


class ResultStore:
    """Games of matches in a folder, found by agents, their versions, rules, seed and endgame.

    Every file (:mod:`german_whist.arena.game_file`) is complete at all times. Shards of a match lie beside its main
    file, so machines that share the folder (or whose files are copied into one) need not talk to each other.
    """

    def __init__(self, folder: str | Path) -> None:
        """Use a folder; it is made when something is written."""
        self.folder = Path(folder)

    def load(self, config: MatchConfig, deals: int) -> GameTable:
        """Return what is known of deals 0 … n − 1, where n is ``deals``, or more if more are stored.

        Raises:
            ValueError: when there are more deals than are stored, or a file is damaged; the message names it.
        """
        whole_number("deals", deals, 1, MAX_DEALS)
        sections = []
        for path in sorted(self.folder.glob(f"{_key(config)}*.jsonl")):
            for section in read_sections(path):
                if section.header.config == config:
                    sections.append(section)
                    if section.header.whole.stop > MAX_DEALS:
                        last = section.header.whole.stop - 1
                        raise ValueError(f"{path}: deal {last} is beyond the {MAX_DEALS} that are stored")
        size = max([deals, *(section.header.whole.stop for section in sections)])
        return gathered(range(size), sections)

    def save(self, config: MatchConfig, known: GameTable) -> None:
        """Write what is known of a match, replacing its main file.

        Raises:
            ValueError: when it cannot be written.
        """
        write_games(self.path(config), Header(config, known.whole), known.played())

    def path(self, config: MatchConfig, end: str = "") -> Path:
        """Return the file of a match, or of a shard of it, in the folder, which is made."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / f"{_key(config)}{end}.jsonl"


def _key(config: MatchConfig) -> str:
    digest = hashlib.sha256(json.dumps(config.to_dict()).encode()).hexdigest()[:_DIGITS]
    names = [re.sub(r"[^A-Za-z0-9]+", "_", spec)[:_MAX_NAME].strip("_") for spec in (config.first, config.second)]
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
    agents: Sequence[str | os.PathLike[str]],
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
        agents: specification strings (see ``make_agent``) or paths of checkpoints, at least two, each once.
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
            folder is to keep more than 1,000,000 deals of a pair.
    """
    names = _names(agents, rules)
    configs = _configs(names, deals, seed, rules, endgame)
    store = None if folder is None else ResultStore(Path(folder) / PAIRS_FOLDER)
    margins: dict[tuple[int, int], Margins] = {}
    forfeits: list[Forfeit] = []
    versions: dict[str, str] = {}
    for (i, j), config in configs.items():
        played = _known_games(config, deals, store, progress, executor).played(range(deals))
        found = played.margins.astype(np.int64)
        margins[i, j] = found if config.first == names[i] else -found[:, ::-1]
        forfeits += sorted_forfeits(played.forfeits)
        versions |= {config.first: config.first_version, config.second: config.second_version}
    return Tournament(
        names,
        tuple(versions[spec] for spec in names),
        int(deals),
        config.seed,
        config.rules,
        config.endgame,
        margins,
        tuple(forfeits),
    )


def play_tournament_shard(
    agents: Sequence[str | os.PathLike[str]],
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
    store, whole = ResultStore(Path(folder) / PAIRS_FOLDER), deal_range(0, deals)
    own = shard.of(whole)
    for config in _configs(_names(agents, rules), deals, seed, rules, endgame).values():
        if store.load(config, deals).missing(own):
            with writing_games(store.path(config, f".{deals}.{shard.number}-of-{shard.count}")) as write:
                played = _games(config, [own], progress=progress, executor=executor)
                for _ in write(Header(config, whole, shard), played):
                    pass
        elif progress is not None:
            progress(len(own))


def _names(agents: Sequence[str | os.PathLike[str]], rules: str | Rules) -> tuple[str, ...]:
    """Return the specifications of a tournament's agents.

    Raises:
        ValueError: if there are fewer than two, one is given twice, or is no name of an agent of this game.
    """
    if len(agents) < 2:
        raise ValueError(must_be("the number of agents", integers(2), len(agents)))
    names: list[str] = []
    for agent in agents:
        spec = as_spec(agent)
        if not isinstance(spec, str):
            raise ValueError(must_be("an agent of a tournament", "given by name", spec))
        if spec in names:
            raise ValueError(f"agent {short_repr(spec)} is given twice")
        make_agent(spec, rules)
        names.append(spec)
    return tuple(names)


def _configs(
    agents: Sequence[str], deals: int, seed: int, rules: str | Rules, endgame: str
) -> dict[tuple[int, int], MatchConfig]:
    """Return what every pair i < j plays, its agents in alphabetical order.

    So results do not depend on the order in which the agents are given.
    """
    deal_range(0, deals)
    configs = {}
    for i, j in combinations(range(len(agents)), 2):
        first, second = sorted((agents[i], agents[j]))
        configs[i, j] = match_config(first, second, rules, seed, endgame)
    return configs


def _known_games(
    config: MatchConfig, deals: int, store: ResultStore | None, progress: Progress | None, executor: Executor | None
) -> GameTable:
    """Return the games of a pair's deals 0 … deals − 1: those in the store, and the others played."""
    whole = range(deals)
    known = GameTable(whole) if store is None else store.load(config, deals)
    missing = known.missing(whole)
    found = deals - sum(map(len, missing))
    if progress is not None and found:
        progress(found)
    if not missing:
        return known
    unsaved, batch_size = 0, DEFAULT_BATCH if store is None else _CHUNK
    try:
        for block in _games(config, missing, batch_size=batch_size, progress=progress, executor=executor):
            known.add(block)
            unsaved += len(block.numbers)
            # The file is written anew each time, so the more there is, the less often.
            if store is not None and unsaved >= max(_CHUNK, int(known.is_played.sum()) // 8):
                store.save(config, known)
                unsaved = 0
    finally:
        if store is not None and unsaved:
            store.save(config, known)
    return known


def _games(config: MatchConfig, ranges: Sequence[range], **how: Any) -> Iterator[GameBlock]:
    players = two_players(config.first, config.second, config.rules)
    return games(players, config.rules, config.seed, ranges, endgame=config.endgame, **how)
