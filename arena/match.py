"""``play_match``: single deals between two agents, each played twice with the seats swapped (mirrored).

Mirroring cancels most of the luck of the deal. A *match format* of several deals, such as ``first_to:25``, is played by
``series``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Agent
from german_whist.agents.registry import make_agent
from german_whist.arena.endgame_mode import batch_endgame, match_endgame, with_exact_endgames
from german_whist.arena.match_result import MatchResult, result_fields
from german_whist.arena.recording import Recording, deal_results
from german_whist.arena.turns import GameMemories, play_turn
from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.opponent import uses_history
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.checks import check_seed, whole_number

DEFAULT_BATCH = 2048

Record = Callable[[Recording], None]
Progress = Callable[[int], None]


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
        endgame: ``"played"``, or ``"exact"``: both sides play it perfectly, as ``NAME+exact`` does (``"solved"`` is an
            alias).
        first_deal: index of the first deal.

    Returns:
        A :class:`MatchResult`: ``win_rate`` (draws count half) and ``margin`` (counted tricks per deal, in a low game
        with the sign reversed) of the first agent, with 95 % confidence intervals of the means over deals; and
        ``margins``, int64[deals, 2]: its margin in both games of every deal.

    Raises:
        ValueError: when a name or number is not allowed, or an agent does not return one legal action per view; the
            message names the agent.
    """
    agents, names = two_agents(first, second)
    rules, endgame = rules_named(rules), match_endgame(endgame)
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
    )
    return match_result(margins, names, rules, seed, endgame, first_deal)


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
) -> npt.NDArray[np.float64]:
    """Play a match as :func:`play_match` does and return the first agent's margin in every game, float64[deals, 2].

    Column 0 is the game in which the first agent has seat 0, column 1 the one with the seats swapped.

    Raises:
        ValueError: as ``play_match``.
    """
    check_counts(deals=deals, batch_size=batch_size)
    check_seed(check_seed(first_deal, "first_deal") + int(deals) - 1, "last deal")
    hook, players = batch_endgame(match_endgame(endgame), rules), (agents, names)
    if hook != PLAYED and record is not None:  # a recording needs every card
        players, hook = with_exact_endgames(agents, names), PLAYED
    parts = []
    for start in range(0, deals, batch_size):
        size = min(batch_size, deals - start)
        parts.append(play_mirrored_deals(*players, rules, seed, first_deal + start, size, record, hook, progress))
    return np.concatenate(parts)


def match_result(
    margins: npt.NDArray[np.float64],
    names: tuple[str, str],
    rules: Rules,
    seed: int,
    endgame: str = PLAYED,
    first_deal: int = 0,
) -> MatchResult:
    """Return the result of a match from its margins, float64[deals, 2], as :func:`match_margins` returns them."""
    fields = result_fields(names, rules, seed, np.sign(margins), margins, endgame)
    return MatchResult(**fields, deals=len(margins), first_deal=int(first_deal)).with_margins(margins)


def two_agents(first: str | Agent, second: str | Agent) -> tuple[tuple[Agent, Agent], tuple[str, str]]:
    """Return two agents and what to call them."""
    agents = (make_agent(first), make_agent(second))
    return agents, (agent_label(first, agents[0]), agent_label(second, agents[1]))


def agent_label(spec: str | Agent, agent: Agent) -> str:
    """Return what to call an agent: its specification, its name, or its class."""
    return spec if isinstance(spec, str) else str(getattr(agent, "name", type(agent).__name__))


def check_counts(**numbers: object) -> None:
    """Refuse numbers of deals and the like that are not whole numbers from 1.

    Raises:
        ValueError: naming the number.
    """
    for name, number in numbers.items():
        whole_number(name, number, 1)


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
) -> npt.NDArray[np.float64]:
    """Play deals ``start … start + size − 1`` twice and return the first agent's margins, float64[size, 2].

    Column 0 is the game in which the first agent has seat 0, column 1 the one with the seats swapped. Both run in one
    batch, so that each agent acts once a step. ``record`` is called as ``play_match`` says and needs deals that are
    played to the end. ``endgame`` is that of the batch, ``progress`` that of ``play_match``.
    """
    indices = np.tile(np.uint64(start) + np.arange(size, dtype=np.uint64), 2)
    batch = DealBatch(rules, 2 * size, seed, history=any(map(uses_history, agents)), endgame=endgame)
    batch.deal_rows(np.arange(2 * size), indices)
    swapped = np.repeat(np.array([0, 1], np.int8), size)  # seat of the first agent
    history: list[npt.NDArray[np.int8]] = []  # the actions of every step, −1 where a deal was finished
    steps = np.zeros(2 * size, np.int64)
    reported = 0
    memories = GameMemories(agents, names, seed, indices, swapped)
    while not batch.done.all():
        finished = batch.done.copy()
        actions = play_turn(memories, names, batch, indices, swapped, steps)
        if record is not None:
            history.append(np.where(finished, -1, actions).astype(np.int8))
        steps += 1
        if progress is not None:
            reported = report(progress, reported, _deals_played(batch))
    if record is not None:
        _record(record, batch, np.stack(history, axis=1), names, range(start, start + size))
    margins = batch.returns("margin")
    first: npt.NDArray[np.float64] = margins[np.arange(2 * size), swapped].astype(np.float64)
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
    record: Record, batch: DealBatch, history: npt.NDArray[np.int8], names: tuple[str, str], indices: range
) -> None:
    """Pass a recording of every game of finished mirrored deals to ``record``; ``history`` is int8[games, steps]."""
    outcomes = deal_results(batch)
    dealers = batch.states["dealer"].tolist()
    played = history.tolist()
    for place, index in enumerate(indices):
        for row, seats in ((place, names), (place + len(indices), names[::-1])):
            actions = tuple(action for action in played[row] if action >= 0)
            record(Recording(batch.rules, dealers[row], seats, actions, outcomes[row], deal=(batch.seed, index)))
