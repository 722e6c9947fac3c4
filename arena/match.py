"""A match between two agents: mirrored deals, so that luck cancels."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Agent
from german_whist.agents.registry import make_agent
from german_whist.arena.endgame_mode import match_ending, with_exact_endgames
from german_whist.arena.recording import Recording, results
from german_whist.arena.statistics import mean_interval
from german_whist.arena.turns import play_turn
from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.simulator.batch import DealBatch

DEFAULT_BATCH = 2048

Record = Callable[[Recording], None]
Progress = Callable[[int], None]


@dataclass(frozen=True)
class MatchResult:
    """How the first agent did against the second.

    Attributes:
        first: name of the first agent.
        second: name of the second agent.
        rules: fields of the rules.
        seed: seed of the deals and of the agents' randomness.
        deals: number of deals, each played twice with the seats swapped.
        wins: games (two a deal) that the first agent won.
        draws: games drawn.
        losses: games lost.
        win_rate: wins and half the draws, as a share of all games.
        interval: its 95 % confidence interval, paired over deals.
        margin: counted tricks, the first agent's minus the second's, mean of all games.
        margin_interval: its 95 % confidence interval, paired over deals.
        endgame: ``"played"`` or ``"exact"``.
    """

    first: str
    second: str
    rules: dict[str, Any]
    seed: int
    deals: int
    wins: int
    draws: int
    losses: int
    win_rate: float
    interval: tuple[float, float]
    margin: float
    margin_interval: tuple[float, float]
    endgame: str = PLAYED

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON: the ends of an unbounded interval are ``None``."""
        fields = asdict(self)
        for name in ("interval", "margin_interval"):
            fields[name] = tuple(end if math.isfinite(end) else None for end in fields[name])
        return fields


def play_match(
    first: str | Agent,
    second: str | Agent,
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "classic",
    *,
    batch_size: int = DEFAULT_BATCH,
    record: Record | None = None,
    progress: Progress | None = None,
    endgame: str = PLAYED,
) -> MatchResult:
    """Play every deal twice with the seats swapped and return how the first agent did.

    The result depends on the agents, the rules, the seed and the number of deals, not on the batch size.

    Args:
        first: an agent, or its specification string.
        second: the same, for its opponent.
        deals: deals 0 … deals - 1 of the seed are played.
        seed: 0 to 2**64 - 1.
        rules: the game.
        batch_size: deals played together; memory grows with it.
        record: called with a recording of every game, in the order of the deals, the game in which the first agent
            has seat 0 before its mirror image.
        progress: called after each batch with the number of deals that were in it.
        endgame: ``"played"``, or ``"exact"``: both agents play it out perfectly, as ``NAME+exact`` does.

    Raises:
        ValueError: when a name or a number is not allowed, or an agent does not return one legal action a
            view; the message names the agent.
    """
    agents = (make_agent(first), make_agent(second))
    names = (agent_label(first, agents[0]), agent_label(second, agents[1]))
    game = rules_named(rules)
    margins = match_margins(
        agents, names, deals, seed, game, batch_size=batch_size, record=record, progress=progress, endgame=endgame
    )
    return result_of(margins, names, game, seed, endgame)


def match_margins(
    agents: tuple[Agent, Agent],
    names: tuple[str, str],
    deals: int,
    seed: int,
    game: Rules,
    *,
    batch_size: int = DEFAULT_BATCH,
    record: Record | None = None,
    progress: Progress | None = None,
    endgame: str = PLAYED,
) -> npt.NDArray[np.float64]:
    """Play a match as :func:`play_match` does and return the first agent's margin of every game, float64[deals, 2].

    Column 0 is the game in which the first agent has seat 0, column 1 the one with the seats swapped.

    Raises:
        ValueError: as ``play_match``.
    """
    for name, number in (("deals", deals), ("batch_size", batch_size)):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
            raise ValueError(f"{name} {number!r} is not allowed: a whole number from 1")
    ending = match_ending(endgame, game)
    players = (agents, names)
    if ending != PLAYED and record is not None:  # a recording has every card
        players, ending = with_exact_endgames(agents, names), PLAYED
    parts = []
    for start in range(0, deals, batch_size):
        parts.append(play_mirrored(*players, game, seed, start, min(batch_size, deals - start), record, ending))
        if progress is not None:
            progress(len(parts[-1]))
    return np.concatenate(parts)


def result_of(
    margins: npt.NDArray[np.float64], names: tuple[str, str], game: Rules, seed: int, endgame: str = PLAYED
) -> MatchResult:
    """Return the result of a match from its margins, float64[deals, 2], as :func:`match_margins` returns them."""
    scores = (np.sign(margins) + 1) / 2
    win_rate, interval = mean_interval(scores.mean(axis=1))
    margin, margin_interval = mean_interval(margins.mean(axis=1))
    return MatchResult(
        first=names[0],
        second=names[1],
        rules=game.to_dict(),
        seed=int(seed),
        deals=len(margins),
        wins=int((margins > 0).sum()),
        draws=int((margins == 0).sum()),
        losses=int((margins < 0).sum()),
        win_rate=win_rate,
        interval=interval,
        margin=margin,
        margin_interval=margin_interval,
        endgame=endgame,
    )


def agent_label(spec: str | Agent, agent: Agent) -> str:
    """Return what to call an agent: its specification, its name, or its class."""
    return spec if isinstance(spec, str) else str(getattr(agent, "name", type(agent).__name__))


def play_mirrored(
    agents: tuple[Agent, Agent],
    names: tuple[str, str],
    game: Rules,
    seed: int,
    start: int,
    size: int,
    record: Record | None = None,
    ending: str | EndgameHook = PLAYED,
) -> npt.NDArray[np.float64]:
    """Play deals ``start … start + size - 1`` twice and return the first agent's margins, float64[size, 2].

    Column 0 is the game in which the first agent has seat 0, column 1 the one with the seats swapped. Both run in one
    batch, so that each agent is asked once a step. ``record`` is called as ``play_match`` says; it needs deals that are
    played to the end. ``ending`` is the ``endgame`` of the batch.
    """
    indices = np.tile(np.arange(start, start + size, dtype=np.uint64), 2)
    batch = DealBatch(game, 2 * size, seed, endgame=ending)
    batch.deal_rows(np.arange(2 * size), indices)
    swapped = np.repeat(np.array([0, 1], np.int8), size)  # seat of the first agent
    history: list[npt.NDArray[np.int8]] = []  # the actions of every step, -1 where a deal was finished
    steps = np.zeros(2 * size, np.int64)
    while not batch.done.all():
        finished = batch.done.copy()
        actions = play_turn(agents, names, batch, indices, swapped, steps)
        if record is not None:
            history.append(np.where(finished, -1, actions).astype(np.int8))
        steps += 1
    if record is not None:
        _record(record, batch, np.stack(history, axis=1), names, range(start, start + size))
    margins = batch.returns("margin")
    first: npt.NDArray[np.float64] = margins[np.arange(2 * size), swapped].astype(np.float64)
    paired: npt.NDArray[np.float64] = first.reshape(2, size).T
    return paired


def _record(
    record: Record, batch: DealBatch, history: npt.NDArray[np.int8], names: tuple[str, str], indices: range
) -> None:
    """Hand out a recording of every game of finished mirrored deals; ``history`` is int8[games, steps]."""
    outcomes = results(batch)
    dealers = batch.states["dealer"].tolist()
    played = history.tolist()
    for place, index in enumerate(indices):
        for row, seats in ((place, names), (place + len(indices), names[::-1])):
            actions = tuple(action for action in played[row] if action >= 0)
            record(Recording(batch.rules, dealers[row], seats, actions, outcomes[row], deal=(batch.seed, index)))
