"""Mirrored deals: each deal is played twice in one batch with the seats swapped, which cancels most of its luck."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Agent
from german_whist.arena.match_result import Forfeit
from german_whist.arena.recording import Recording, deal_results
from german_whist.arena.turns import GameMemories, Lost, play_turn
from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.opponent import uses_history
from german_whist.envs.simulator.batch import DealBatch

Record = Callable[[Recording], None]
Progress = Callable[[int], None]
Watch = Callable[[DealBatch, Any, npt.NDArray[np.int64]], None]


def play_mirrored_deals(
    agents: tuple[Agent, Agent],
    names: tuple[str, str],
    rules: Rules,
    seed: int,
    start: int,
    size: int,
    record: Record | None = None,
    endgame: str | EndgameHook = PLAYED,
    progress: Progress | None = None,
    watch: Watch | None = None,
    forfeits: list[Forfeit] | None = None,
) -> npt.NDArray[np.float64]:
    """Play deals ``start … start + size − 1`` twice and return the first agent's margins, float64[size, 2].

    Column 0 is the game in which the first agent has seat 0, column 1 the one with the seats swapped. Both run in one
    batch, so that each agent acts once a step. ``record`` is called as ``play_match`` says and needs deals that are
    played to the end. ``endgame`` is that of the batch, ``progress`` that of ``play_match``. ``watch`` is called after
    every step with the batch, the states before the step, and the actions; rows are the games with the first agent in
    seat 0, then those with the seats swapped. A game that an agent forfeits is lost by the largest margin, not
    recorded, and added to ``forfeits``.
    """
    indices = np.tile(np.uint64(start) + np.arange(size, dtype=np.uint64), 2)
    batch = DealBatch(rules, 2 * size, seed, history=any(map(uses_history, agents)), endgame=endgame)
    batch.deal_rows(np.arange(2 * size), indices)
    swapped = np.repeat(np.array([0, 1], np.int8), size)  # seat of the first agent
    history: list[npt.NDArray[np.int8]] = []  # the actions of every step, −1 where a deal was finished
    steps = np.zeros(2 * size, np.int64)
    reported = 0
    lost: Lost = {}
    memories = GameMemories(agents, names, seed, indices, swapped)
    while not batch.done.all():
        finished = batch.done.copy()
        before = None if watch is None else batch.states.copy()
        actions = play_turn(memories, names, batch, indices, swapped, steps, lost)
        if before is not None:
            before["done"][list(lost)] = True  # a forfeited game has no action
        if record is not None:
            history.append(np.where(finished, -1, actions).astype(np.int8))
        steps += 1
        if watch is not None:
            watch(batch, before, actions)
        if progress is not None:
            reported = report(progress, reported, _deals_played(batch))
    if record is not None:
        _record(record, batch, np.stack(history, axis=1), names, range(start, start + size), lost)
    margins = batch.returns("margin")
    first: npt.NDArray[np.float64] = margins[np.arange(2 * size), swapped].astype(np.float64)
    for row, (which, reason) in sorted(lost.items()):
        first[row] = (2 * which - 1) * reward_limit(rules.game, "margin")
        if forfeits is not None:
            forfeits.append(Forfeit(names[which], start + row % size, int(swapped[row]) ^ which, reason))
    paired: npt.NDArray[np.float64] = first.reshape(2, size).T
    return paired


def _deals_played(batch: DealBatch) -> int:
    """Return how many of the deals of a mirrored batch are played, their tricks counted as shares of deals."""
    rules = batch.rules
    tricks = batch.states["tricks"].sum(axis=(1, 2)) / (rules.hand + rules.stock // 2)
    return int(np.where(batch.done, 1.0, tricks).sum() / 2)


def report(progress: Progress, reported: int, played: int) -> int:
    """Report what was played since the last report, if anything, and return what is reported now."""
    if played > reported:
        progress(played - reported)
    return played


def _record(
    record: Record,
    batch: DealBatch,
    history: npt.NDArray[np.int8],
    names: tuple[str, str],
    indices: range,
    lost: Lost,
) -> None:
    """Pass a recording of every game that was played to its end to ``record``; ``history`` is int8[games, steps]."""
    outcomes = deal_results(batch)
    dealers = batch.states["dealer"].tolist()
    played = history.tolist()
    for place, index in enumerate(indices):
        for row, seats in ((place, names), (place + len(indices), names[::-1])):
            if row in lost:
                continue
            actions = tuple(action for action in played[row] if action >= 0)
            record(Recording(batch.rules, dealers[row], seats, actions, outcomes[row], deal=(batch.seed, index)))
