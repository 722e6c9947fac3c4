"""``play_match``: single deals between two agents, each played twice with the seats swapped (mirrored).

Mirroring cancels most of the luck of the deal. A *match format* of several deals, such as ``first_to:25``, is played by
``series``.

With ``endgame="exact"`` a deal is cut off where its endgame begins and gets the tricks of perfect play; margin and
winner are those of a game that both agents finish as ``NAME+exact``. Recorded games are played out by such agents.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.endgame.exact_agent import ExactEndgame, solves_endgame
from german_whist.agents.registry import make_agent
from german_whist.arena.executors import run_tasks
from german_whist.arena.match_result import Forfeit, MatchResult, result_fields
from german_whist.arena.recording import Recording, deal_results
from german_whist.arena.turns import Lost, play_turn
from german_whist.envs.agent import Agent, agent_name, for_match, uses_games
from german_whist.envs.engine.endgame_hook import EXACT, PLAYED, EndgameHook, check_endgame
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.checks import check_seed, whole_number
from german_whist.solver.exact_endgame import ExactEndgameHook

DEFAULT_BATCH = 2048
MAX_TASKS = 64  # that an executor is given: enough to keep machines busy, few enough that batches stay large

Record = Callable[[Recording], None]
Progress = Callable[[int], None]
Watch = Callable[[DealBatch, Any, npt.NDArray[np.int64]], None]


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
    first_deal: int = 0,
    executor: Executor | None = None,
) -> MatchResult:
    """Play every deal twice with the seats swapped and return the first agent's result.

    The result depends on the agents, the rules, the seed and the deals, not on the batch size. A match can be played in
    parts: deals 0 … 499 and, with ``first_deal=500``, deals 500 … 999 have the ``margins`` of deals 0 … 999.

    Args:
        first: an agent object or a specification string (see ``make_agent``).
        second: its opponent, likewise.
        deals: number of deals: deals ``first_deal`` … ``first_deal + deals − 1`` of the seed, so 2 × deals games.
        seed: seed of the deals and of the agents' randomness, 0 to 2**64 − 1.
        rules: a preset's name, with settings if wanted (``"classic:hand=10,stock=32"``), or ``Rules``.
        batch_size: deals played together; memory grows with it.
        record: called with a ``Recording`` of every game in the order of the deals; first the game in which the first
            agent has seat 0, then its mirror image.
        progress: called during play with the number of deals played since the last call, at least 1; the numbers add
            up to ``deals``. A batch advances all its deals together, and its tricks count as shares of deals.
        endgame: ``"played"``, or ``"exact"``: both sides play it perfectly, as ``NAME+exact`` does.
        first_deal: index of the first deal.
        executor: a ``concurrent.futures.Executor`` whose workers play the deals, at most ``batch_size`` of them at a
            time; the result is the same. Agents are passed on as specification strings, or pickled.

    Returns:
        A :class:`MatchResult`: ``win_rate`` (draws count half) and ``margin`` (counted tricks per deal, in a low game
        with the sign reversed) of the first agent, with 95 % confidence intervals of the means over deals; and
        ``margins``, int64[deals, 2]: its margin in both games of every deal.

    Raises:
        ValueError: when a name or number is not allowed, or an agent does not return one legal action per view; the
            message names the agent. An agent that raises ``AgentForfeit`` loses those games by the largest margin
            instead; ``result.forfeits`` lists them.
        ChildProcessError: when a worker of the executor ended abruptly.
    """
    rules, endgame = rules_named(rules), check_endgame(endgame)
    agents, names = two_agents(first, second, rules)
    forfeits: list[Forfeit] = []
    if executor is None:
        margins = match_margins(
            agents,
            names,
            deals,
            seed,
            rules,
            batch_size=batch_size,
            record=record,
            progress=progress,
            endgame=endgame,
            first_deal=first_deal,
            forfeits=forfeits,
        )
    else:
        check_deals(deals, batch_size, first_deal)
        size = min(batch_size, -(-deals // MAX_TASKS))
        tasks = [
            (first, second, min(size, deals - start), seed, rules, endgame, first_deal + start, record is not None)
            for start in range(0, deals, size)
        ]
        margins = _margins_of_tasks(executor, tasks, record, progress, forfeits)
    return match_result(margins, names, rules, seed, endgame, first_deal).with_forfeits(forfeits)


def match_margins(
    agents: tuple[Agent, Agent],
    names: tuple[str, str],
    deals: int,
    seed: int,
    rules: Rules,
    *,
    batch_size: int = DEFAULT_BATCH,
    record: Record | None = None,
    progress: Progress | None = None,
    endgame: str = PLAYED,
    first_deal: int = 0,
    forfeits: list[Forfeit] | None = None,
) -> npt.NDArray[np.float64]:
    """Play a match as :func:`play_match` does and return the first agent's margin in every game, float64[deals, 2].

    Column 0 is the game in which the first agent has seat 0, column 1 the one with the seats swapped. Games that an
    agent forfeits are added to ``forfeits``.

    Raises:
        ValueError: as ``play_match``.
    """
    check_deals(deals, batch_size, first_deal)
    hook, players = batch_endgame(check_endgame(endgame), rules), (agents, names)
    if hook != PLAYED and record is not None:  # a recording needs every card
        players, hook = with_exact_endgames(agents, names), PLAYED
    parts = []
    for start in range(0, deals, batch_size):
        size = min(batch_size, deals - start)
        deals_from = first_deal + start
        parts.append(
            play_mirrored_deals(*players, rules, seed, deals_from, size, record, hook, progress, forfeits=forfeits)
        )
    return np.concatenate(parts)


def _margins_of_tasks(
    executor: Executor,
    tasks: list[tuple[Any, ...]],
    record: Record | None,
    progress: Progress | None,
    forfeits: list[Forfeit],
) -> npt.NDArray[np.float64]:
    parts = []
    for margins, recordings, forfeited in run_tasks(executor, _play_task, tasks):
        parts.append(margins)
        forfeits += forfeited
        if record is not None:
            for recording in recordings:
                record(recording)
        if progress is not None:
            progress(len(margins))
    return np.concatenate(parts)


def _play_task(
    first: str | Agent,
    second: str | Agent,
    deals: int,
    seed: int,
    rules: Rules,
    endgame: str,
    first_deal: int,
    with_recordings: bool,
) -> tuple[npt.NDArray[np.float64], list[Recording], list[Forfeit]]:
    """Play some deals of a match in a worker: their margins, float64[deals, 2], recordings if asked for, forfeits."""
    recordings: list[Recording] = []
    forfeits: list[Forfeit] = []
    record = recordings.append if with_recordings else None
    margins = match_margins(
        *two_agents(first, second, rules),
        deals,
        seed,
        rules,
        record=record,
        endgame=endgame,
        first_deal=first_deal,
        forfeits=forfeits,
    )
    return margins, recordings, forfeits


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
    batch = DealBatch(rules, 2 * size, seed, history=any(map(uses_games, agents)), endgame=endgame)
    batch.deal_rows(np.arange(2 * size), indices)
    swapped = np.repeat(np.array([0, 1], np.int8), size)  # seat of the first agent
    history: list[npt.NDArray[np.int8]] = []  # the actions of every step, −1 where a deal was finished
    steps = np.zeros(2 * size, np.int64)
    reported = 0
    lost: Lost = {}
    while not batch.done.all():
        finished = batch.done.copy()
        before = None if watch is None else batch.states.copy()
        actions = play_turn(agents, names, batch, indices, swapped, steps, lost)
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


def match_result(
    margins: npt.NDArray[np.float64],
    names: tuple[str, str],
    rules: Rules,
    seed: int,
    endgame: str = PLAYED,
    first_deal: int = 0,
) -> MatchResult:
    """Return the result of a match from its margins, float64[deals, 2], as :func:`match_margins` returns them."""
    fields = result_fields(names, rules, seed, np.sign(margins), margins, endgame, reward_limit(rules.game, "margin"))
    return MatchResult(**fields, deals=len(margins), first_deal=int(first_deal)).with_margins(margins)


def two_agents(first: str | Agent, second: str | Agent, rules: Rules) -> tuple[tuple[Agent, Agent], tuple[str, str]]:
    """Return two agents for a match, or a part of one, that begins, and what to call them."""
    agents = (for_match(make_agent(first, rules)), for_match(make_agent(second, rules)))
    return agents, (agent_label(first, agents[0]), agent_label(second, agents[1]))


def agent_label(spec: str | Agent, agent: Agent) -> str:
    """Return what to call an agent: its specification, its name, or its class."""
    return spec if isinstance(spec, str) else agent_name(agent)


def check_deals(deals: int, batch_size: int = DEFAULT_BATCH, first_deal: int = 0) -> None:
    """Refuse deals that do not exist.

    Raises:
        ValueError: naming the number.
    """
    check_counts(deals=deals, batch_size=batch_size)
    check_seed(check_seed(first_deal, "first_deal") + int(deals) - 1, "last deal")


def check_counts(**numbers: object) -> None:
    """Refuse numbers of deals and the like that are not whole numbers from 1.

    Raises:
        ValueError: naming the number.
    """
    for name, number in numbers.items():
        whole_number(name, number, 1)


def batch_endgame(endgame: str, rules: Rules) -> str | EndgameHook:
    """Return the ``endgame`` of the ``DealBatch`` that plays a match.

    Raises:
        ValueError: when the endgame of these rules cannot be solved.
    """
    if endgame == PLAYED:
        return PLAYED
    hook = ExactEndgameHook()
    hook.check(rules)
    return hook


def with_exact_endgames(
    agents: tuple[Agent, Agent], names: tuple[str, str]
) -> tuple[tuple[Agent, Agent], tuple[str, str]]:
    """Give both agents, and their names, an exact endgame unless they have one."""
    (one, one_name), (other, other_name) = map(_with_exact_endgame, agents, names)
    return (one, other), (one_name, other_name)


def _with_exact_endgame(agent: Agent, name: str) -> tuple[Agent, str]:
    return (agent, name) if solves_endgame(agent) else (ExactEndgame(agent), f"{name}+{EXACT}")
