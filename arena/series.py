"""``play_series``: whole matches of several deals between two agents, each played twice with seats swapped."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.arena.executors import run_tasks
from german_whist.arena.match import (
    DEFAULT_BATCH,
    MAX_TASKS,
    Progress,
    batch_endgame,
    check_counts,
    report,
    two_agents,
)
from german_whist.arena.match_result import Forfeit, SeriesResult, result_fields
from german_whist.arena.turns import Lost, play_turn
from german_whist.envs.agent import Agent, uses_games
from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook, check_endgame
from german_whist.envs.engine.match_format import (
    MAX_DEALS,
    MatchFormat,
    check_match_number,
    first_deals,
    match_format_of,
)
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.checks import check_seed


class SeriesGames(NamedTuple):
    """Mirrored matches, one row each. Column 0: the first agent has seat 0 at first; column 1: the seats are swapped.

    Attributes:
        outcomes: the first agent's results (1, 0, −1), int64[matches, 2].
        margins: its final scores minus the other's, float64[matches, 2].
        lengths: deals played, int64[matches, 2].
        forfeits: deals that an agent lost without playing them to the end, as if by the largest margin.
    """

    outcomes: npt.NDArray[np.int64]
    margins: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.int64]
    forfeits: tuple[Forfeit, ...] = ()


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
    executor: Executor | None = None,
) -> SeriesResult:
    """Play every match twice on the same deals with the seats swapped and return the first agent's result.

    The result depends on the agents, the rules, the match format, the seed and the number of matches, not on the batch
    size.

    Args:
        first: an agent object or a specification string (see ``make_agent``).
        second: its opponent, likewise.
        match: the match format: ``"first_to:25"`` (points) or ``"best_of:3"`` (deals won).
        matches: number of matches: matches 0 … matches − 1 of the seed (``german_whist.envs.engine.match_format`` says
            which deals these are).
        seed: seed of the deals and of the agents' randomness, 0 to 2**64 − 1.
        rules: a preset's name, with settings if wanted, or ``Rules``.
        batch_size: matches played together; memory grows with it.
        progress: called as matches end with their number; the numbers add up to ``matches``.
        endgame: ``"played"``, or ``"exact"``: both sides play it perfectly, as ``NAME+exact`` does.
        executor: a ``concurrent.futures.Executor`` whose workers play the matches; the result is the same. Agents are
            passed on as specification strings, or pickled.

    Returns:
        A :class:`SeriesResult`: ``win_rate`` (matches; draws count half) and ``margin`` (final scores) of the first
        agent, with 95 % confidence intervals of the means over matches, and ``deals_per_match``.

    Raises:
        ValueError: when a name or number is not allowed, or an agent does not return one legal action per view; the
            message names the agent. An agent that raises ``AgentForfeit`` loses the deal by the largest margin instead;
            ``result.forfeits`` lists these deals.
        ChildProcessError: when a worker of the executor ended abruptly.
    """
    rules, match_format, endgame = rules_named(rules), match_format_of(match), check_endgame(endgame)
    _, names = two_agents(first, second, rules)
    games = series_games(
        first,
        second,
        match_format,
        matches,
        seed,
        rules,
        batch_size=batch_size,
        progress=progress,
        endgame=endgame,
        executor=executor,
    )
    return series_result(games, names, rules, match_format, seed, endgame)


def series_games(
    first: str | Agent,
    second: str | Agent,
    match: MatchFormat,
    matches: int,
    seed: int,
    rules: Rules,
    *,
    first_match: int = 0,
    batch_size: int = DEFAULT_BATCH,
    progress: Progress | None = None,
    endgame: str = PLAYED,
    executor: Executor | None = None,
) -> SeriesGames:
    """Play matches ``first_match … first_match + matches − 1`` twice; the arguments are those of :func:`play_series`.

    Raises:
        ValueError: as ``play_series``.
        ChildProcessError: as ``play_series``.
    """
    check_counts(matches=matches, batch_size=batch_size)
    check_match_number(check_match_number(first_match, "first_match") + int(matches) - 1, "last match")
    check_seed(seed)
    if executor is None:
        agents, names = two_agents(first, second, rules)
        hook = batch_endgame(endgame, rules)
        parts = []
        for start in range(0, matches, batch_size):
            size = min(batch_size, matches - start)
            place = first_match + start
            parts.append(play_mirrored_matches(agents, names, rules, match, seed, place, size, hook, progress))
        return joined_games(parts)
    size = min(batch_size, -(-matches // MAX_TASKS))
    tasks = [
        (first, second, match, min(size, matches - start), seed, rules, endgame, first_match + start)
        for start in range(0, matches, size)
    ]
    parts = []
    for games in run_tasks(executor, _play_task, tasks):
        parts.append(games)
        if progress is not None:
            progress(len(games.margins))
    return joined_games(parts)


def _play_task(
    first: str | Agent,
    second: str | Agent,
    match: MatchFormat,
    matches: int,
    seed: int,
    rules: Rules,
    endgame: str,
    first_match: int,
) -> SeriesGames:
    """Play some matches of a series in a worker."""
    return series_games(first, second, match, matches, seed, rules, first_match=first_match, endgame=endgame)


def joined_games(parts: list[SeriesGames]) -> SeriesGames:
    """Return parts of a series, in order, as one."""
    outcomes, margins, lengths = (np.concatenate([part[column] for part in parts]) for column in range(3))
    return SeriesGames(outcomes, margins, lengths, tuple(one for part in parts for one in part.forfeits))


def series_result(
    games: SeriesGames, names: tuple[str, str], rules: Rules, match: MatchFormat, seed: int, endgame: str = PLAYED
) -> SeriesResult:
    """Return the result of a series from its games, as :func:`series_games` returns them."""
    result = SeriesResult(
        **result_fields(names, rules, seed, games.outcomes, games.margins, endgame),
        match=str(match),
        matches=len(games.margins),
        deals_per_match=float(games.lengths.mean()),
    )
    return result.with_forfeits(games.forfeits)


def play_mirrored_matches(
    agents: tuple[Agent, Agent],
    names: tuple[str, str],
    rules: Rules,
    match: MatchFormat,
    seed: int,
    start: int,
    size: int,
    endgame: str | EndgameHook = PLAYED,
    progress: Progress | None = None,
) -> SeriesGames:
    """Play matches ``start … start + size − 1`` twice.

    ``endgame`` is that of the batch, ``progress`` that of ``play_series``.
    """
    rows = np.arange(2 * size)
    indices = first_deals(np.tile(np.arange(start, start + size, dtype=np.uint64), 2))
    batch = DealBatch(rules, 2 * size, seed, history=any(map(uses_games, agents)), endgame=endgame)
    batch.deal_rows(rows, indices)
    swapped = np.repeat(np.array([0, 1], np.int8), size)  # seat of the first agent
    steps, deals = np.zeros(2 * size, np.int64), np.zeros(2 * size, np.int64)
    scores = np.zeros((2 * size, 2))
    winners = np.full(2 * size, -1)
    is_over = np.zeros(2 * size, np.bool_)
    reported = 0
    forfeits: list[Forfeit] = []
    largest = reward_limit(rules.game, match.deal_reward)
    while not is_over.all():
        lost: Lost = {}
        play_turn(agents, names, batch, indices, swapped, steps, lost)
        steps += 1
        ended = np.flatnonzero(batch.done & ~is_over)
        if not ended.size:
            continue
        after = scores[ended]
        returns = batch.returns(match.deal_reward)
        for row, (which, reason) in lost.items():
            seat = int(swapped[row]) ^ which
            returns[row, [seat, 1 - seat]] = -largest, largest
            forfeits.append(Forfeit(names[which], int(indices[row]), seat, reason))
        match.add_deals(after, returns[ended])
        scores[ended] = after
        deals[ended] += 1
        winners[ended] = match.winners(after)
        is_over[ended] = (winners[ended] >= 0) | (deals[ended] >= MAX_DEALS)
        again = ended[~is_over[ended]]
        indices[again] += np.uint64(1)
        steps[again] = 0
        batch.deal_rows(again, indices[again])
        if progress is not None:
            reported = report(progress, reported, int(is_over.sum()) // 2)
    outcomes = np.where(winners < 0, 0, np.where(winners == swapped, 1, -1))
    margins = scores[rows, swapped] - scores[rows, 1 - swapped]
    shape = (2, size)
    return SeriesGames(outcomes.reshape(shape).T, margins.reshape(shape).T, deals.reshape(shape).T, tuple(forfeits))
