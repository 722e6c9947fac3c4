"""Whole matches between two agents, all in lockstep, each played twice with the seats swapped."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Agent
from german_whist.agents.registry import make_agent
from german_whist.arena.endgame_mode import match_ending
from german_whist.arena.match import Progress, agent_label
from german_whist.arena.statistics import mean_interval
from german_whist.arena.turns import play_turn
from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook
from german_whist.envs.engine.match_format import (
    MAX_DEALS,
    MatchFormat,
    check_match_number,
    first_deals,
    match_format_of,
)
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.checks import check_seed

DEFAULT_BATCH = 2048


@dataclass(frozen=True)
class SeriesResult:
    """How the first agent did against the second in whole matches.

    Attributes:
        first: name of the first agent.
        second: name of the second agent.
        rules: fields of the rules.
        match: what decides a match, as ``"first_to:25"``.
        seed: seed of the deals and of the agents' randomness.
        matches: number of matches, each played twice with the seats swapped.
        wins: matches (of twice as many) that the first agent won.
        draws: matches that nobody had won after as many deals as a match may take.
        losses: matches lost.
        win_rate: wins and half the draws, as a share of all.
        interval: its 95 % confidence interval, paired over the two of a kind.
        margin: final score, the first agent's minus the second's, mean of all.
        margin_interval: its 95 % confidence interval, paired over the two of a kind.
        deals_per_match: mean number of deals that a match took.
        endgame: ``"played"`` or ``"exact"``.
    """

    first: str
    second: str
    rules: dict[str, Any]
    match: str
    seed: int
    matches: int
    wins: int
    draws: int
    losses: int
    win_rate: float
    interval: tuple[float, float]
    margin: float
    margin_interval: tuple[float, float]
    deals_per_match: float
    endgame: str = PLAYED

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON: the ends of an unbounded interval are ``None``."""
        fields = asdict(self)
        for name in ("interval", "margin_interval"):
            fields[name] = tuple(end if math.isfinite(end) else None for end in fields[name])
        return fields


def play_series(
    first: str | Agent,
    second: str | Agent,
    match: str | MatchFormat = "first_to:25",
    matches: int = 1000,
    seed: int = 0,
    rules: str | Rules = "classic",
    *,
    batch_size: int = DEFAULT_BATCH,
    progress: Progress | None = None,
    endgame: str = PLAYED,
) -> SeriesResult:
    """Play every match twice on the same deals with the seats swapped and return how the first agent did.

    The result depends on the agents, the rules, the match, the seed and the number of matches, not on the batch size.

    Args:
        first: an agent, or its specification string.
        second: the same, for its opponent.
        match: what decides a match, as ``"first_to:25"`` (points) or ``"best_of:3"`` (deals won).
        matches: matches 0 … matches - 1 of the seed are played (see ``german_whist.envs.engine.match_format`` for their deals).
        seed: 0 to 2**64 - 1.
        rules: the game.
        batch_size: matches played together; memory grows with it.
        progress: called after each batch with the number of matches that were in it.
        endgame: ``"played"``, or ``"exact"``: both agents play it out perfectly, as ``NAME+exact`` does.

    Raises:
        ValueError: when a name or a number is not allowed, or an agent does not return one legal action a
            view; the message names the agent.
    """
    for name, number in (("matches", matches), ("batch_size", batch_size)):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
            raise ValueError(f"{name} {number!r} is not allowed: a whole number from 1")
    check_match_number(int(matches) - 1, "last match")
    check_seed(seed)
    agents = (make_agent(first), make_agent(second))
    names = (agent_label(first, agents[0]), agent_label(second, agents[1]))
    game, decided_by = rules_named(rules), match_format_of(match)
    ending = match_ending(endgame, game)
    parts = []
    for start in range(0, matches, batch_size):
        size = min(batch_size, matches - start)
        parts.append(play_mirrored_matches(agents, names, game, decided_by, seed, start, size, ending))
        if progress is not None:
            progress(size)
    outcomes, margins, deals = (np.concatenate(part) for part in zip(*parts, strict=True))  # each (matches, 2)
    win_rate, interval = mean_interval(((outcomes + 1) / 2).mean(axis=1))
    margin, margin_interval = mean_interval(margins.mean(axis=1))
    return SeriesResult(
        first=names[0],
        second=names[1],
        rules=game.to_dict(),
        match=str(decided_by),
        seed=int(seed),
        matches=int(matches),
        wins=int((outcomes > 0).sum()),
        draws=int((outcomes == 0).sum()),
        losses=int((outcomes < 0).sum()),
        win_rate=win_rate,
        interval=interval,
        margin=margin,
        margin_interval=margin_interval,
        deals_per_match=float(deals.mean()),
        endgame=endgame,
    )


def play_mirrored_matches(
    agents: tuple[Agent, Agent],
    names: tuple[str, str],
    game: Rules,
    match: MatchFormat,
    seed: int,
    start: int,
    size: int,
    ending: str | EndgameHook = PLAYED,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Play matches ``start … start + size - 1`` twice; ``ending`` is the ``endgame`` of the batch.

    Returns:
        For the match in which the first agent has seat 0 and the one with the seats swapped: the first agent's result
        (1, 0, −1), int64[size, 2]; its final score minus the other's, float64[size, 2]; deals played, int64[size, 2].
    """
    rows = np.arange(2 * size)
    indices = first_deals(np.tile(np.arange(start, start + size, dtype=np.uint64), 2))
    batch = DealBatch(game, 2 * size, seed, endgame=ending)
    batch.deal_rows(rows, indices)
    swapped = np.repeat(np.array([0, 1], np.int8), size)  # seat of the first agent
    steps, deals = np.zeros(2 * size, np.int64), np.zeros(2 * size, np.int64)
    scores = np.zeros((2 * size, 2))
    winners = np.full(2 * size, -1)
    is_over = np.zeros(2 * size, np.bool_)
    while not is_over.all():
        play_turn(agents, names, batch, indices, swapped, steps)
        steps += 1
        ended = np.flatnonzero(batch.done & ~is_over)
        if not ended.size:
            continue
        after = scores[ended]
        match.add_deals(after, batch.returns(match.deal_reward)[ended])
        scores[ended] = after
        deals[ended] += 1
        winners[ended] = match.winners(after)
        is_over[ended] = (winners[ended] >= 0) | (deals[ended] >= MAX_DEALS)
        again = ended[~is_over[ended]]
        indices[again] += np.uint64(1)
        steps[again] = 0
        batch.deal_rows(again, indices[again])
    outcomes = np.where(winners < 0, 0, np.where(winners == swapped, 1, -1))
    margins = scores[rows, swapped] - scores[rows, 1 - swapped]
    return outcomes.reshape(2, size).T, margins.reshape(2, size).T, deals.reshape(2, size).T
