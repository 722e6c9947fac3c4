"""The games of two agents: every deal, or match of several deals, is played twice with the seats swapped (mirrored).

:func:`play_games` yields them in order, in blocks. Matches, series, sequential tests, tournaments, shards and variance
reduction fold this one stream. Mirroring cancels most of the luck of the deal.

With ``endgame="exact"`` a deal is cut off where its endgame begins and gets the tricks of perfect play; margin and
winner are those of a game that both agents finish as ``NAME+exact``. Recorded games are played out by such agents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from german_whist.agents.endgame.exact_agent import ExactEndgame, solves_endgame
from german_whist.agents.registry import make_agent
from german_whist.arena.executors import InlineExecutor, run_tasks
from german_whist.arena.match_result import Forfeit
from german_whist.arena.recording import Recording, deal_results
from german_whist.envs.agent import Agent, agent_name, ask, for_match, uses_games
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.endgame_hook import EXACT, PLAYED, EndgameHook, check_endgame
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
from german_whist.envs.utils.checks import check_seed, whole_number
from german_whist.solver.exact_endgame import ExactEndgameHook

DEFAULT_BATCH = 2048
MAX_TASKS = 64  # that workers are given: enough to keep machines busy, few enough that batches stay large

Agents = tuple[Agent, Agent]
Names = tuple[str, str]
Progress = Callable[[int], None]
Lost = dict[int, tuple[int, str]]


@dataclass(frozen=True, eq=False)
class MatchConfig:
    """Who plays what: all that the games of two agents depend on, but the deals.

    Attributes:
        first: the first agent, an object or a specification string.
        second: its opponent, likewise.
        rules: the rules.
        seed: seed of the deals and of the agents' randomness.
        endgame: ``"played"`` or ``"exact"``.
        match: what decides a match of several deals; ``None`` for single deals.
    """

    first: str | Agent
    second: str | Agent
    rules: Rules
    seed: int
    endgame: str = PLAYED
    match: MatchFormat | None = None

    @classmethod
    def of(
        cls,
        first: str | Agent,
        second: str | Agent,
        rules: str | Rules = "classic",
        seed: int = 0,
        endgame: str = PLAYED,
        match: str | MatchFormat | None = None,
    ) -> MatchConfig:
        """Check the values; the agents are made when they are first needed.

        Raises:
            ValueError: when the rules, the seed, the endgame or the match format are not allowed.
        """
        played = None if match is None else match_format_of(match)
        return cls(first, second, rules_named(rules), check_seed(seed), check_endgame(endgame), played)

    @cached_property
    def agents(self) -> Agents:
        """The agents of this match, which begins: made for its game.

        Raises:
            ValueError: when there is no such agent, or it plays another game.
        """
        return for_match(make_agent(self.first, self.rules)), for_match(make_agent(self.second, self.rules))

    @property
    def names(self) -> Names:
        """What to call the agents: their specifications, their names, or their classes."""
        return agent_label(self.first, self.agents[0]), agent_label(self.second, self.agents[1])

    @property
    def unit(self) -> str:
        """What is played: ``"deals"`` or ``"matches"``."""
        return "deals" if self.match is None else "matches"

    def __getstate__(self) -> dict[str, Any]:
        """Leave the agents out: a worker makes its own from the specifications, or from the pickled objects."""
        return {name: value for name, value in self.__dict__.items() if name != "agents"}


class Watch(Protocol):
    """Follows the games of a block step by step."""

    def step(self, before: np.ndarray[Any, Any], actions: npt.NDArray[np.int64]) -> None:
        """Take note of a step.

        Args:
            before: the states before it, ``STATE`` array (2n,): the games with the first agent in seat 0, then those
                with the seats swapped. Games that are over, or forfeited in this step, are done.
            actions: int64[2n].
        """
        ...

    def result(self) -> npt.NDArray[np.float64]:
        """Return a number for each game, float64[2n]."""
        ...


@dataclass(frozen=True, eq=False)
class GameBlock:
    """Games of consecutive deals, or matches, each played twice: one a row.

    Column 0 is the game in which the first agent has seat 0 (at first, in a match), column 1 the one with the seats
    swapped.

    Attributes:
        start: index of the first deal, or number of the first match.
        margins: the first agent's margin, in a match of the final scores, float64[n, 2].
        outcomes: its results (1, 0, −1), int64[n, 2].
        lengths: deals played, int64[n, 2].
        forfeits: deals that an agent lost without playing them to the end, as if by the largest margin.
        recordings: the games that were played to the end, if they were asked for: both of a deal, then the next.
        watched: what the watch found, if there was one, float64[n, 2].
    """

    start: int
    margins: npt.NDArray[np.float64]
    outcomes: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    forfeits: tuple[Forfeit, ...] = ()
    recordings: list[Recording] = field(default_factory=list)
    watched: npt.NDArray[np.float64] | None = None

    def __len__(self) -> int:
        """Return the number of deals, or matches."""
        return len(self.margins)

    @classmethod
    def of_margins(cls, start: int, margins: npt.NDArray[Any], forfeits: tuple[Forfeit, ...] = ()) -> GameBlock:
        """Return single deals by the first agent's margins, [n, 2]."""
        outcomes = np.sign(margins).astype(np.int64)
        return cls(start, margins.astype(np.float64), outcomes, np.ones(margins.shape, np.int64), forfeits)

    @classmethod
    def joined(cls, blocks: Iterable[GameBlock]) -> GameBlock:
        """Return consecutive blocks as one."""
        parts = list(blocks)
        watched = [part.watched for part in parts if part.watched is not None]
        return cls(
            parts[0].start,
            np.concatenate([part.margins for part in parts]),
            np.concatenate([part.outcomes for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            tuple(one for part in parts for one in part.forfeits),
            [one for part in parts for one in part.recordings],
            np.concatenate(watched) if watched else None,
        )


def play_games(
    config: MatchConfig,
    start: int,
    count: int,
    *,
    batch_size: int = DEFAULT_BATCH,
    record: bool = False,
    watch: Callable[[DealBatch], Watch] | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Iterator[GameBlock]:
    """Play deals, or matches, ``start … start + count − 1`` twice, and yield the games in their order.

    They depend on the configuration and the numbers alone, not on the batch size or the executor.

    Args:
        config: who plays what.
        start: index of the first deal, or number of the first match.
        count: how many, at least 1.
        batch_size: deals or matches played together; memory grows with it.
        record: whether recordings are wanted, of single deals.
        watch: makes what follows the games of a block of single deals from their batch; workers have to unpickle it.
        progress: called during play with the number of deals, or matches, played since the last call, at least 1; the
            numbers add up to ``count``. A batch advances all its deals together, and its tricks count as shares.
        executor: a ``concurrent.futures.Executor`` whose workers play, at most ``batch_size`` at a time; this process
            by default. Agents are passed on as specification strings, or pickled.

    Raises:
        ValueError: when a number is not allowed, the endgame of these rules cannot be solved, or an agent does not
            return one legal action per view; the message names the agent. An agent that raises ``AgentForfeit`` loses
            those deals by the largest margin instead.
        ChildProcessError: when a worker of the executor ended abruptly.
    """
    check_counts(**{config.unit: count, "batch_size": batch_size})
    if config.match is None:
        check_seed(check_seed(start, "first_deal") + int(count) - 1, "last deal")
    else:
        check_match_number(check_match_number(start, "first_match") + int(count) - 1, "last match")
    start, count = int(start), int(count)
    inline = executor is None or isinstance(executor, InlineExecutor)
    size = batch_size if inline else min(batch_size, -(-count // MAX_TASKS))
    tasks = [
        (config, start + first, min(size, count - first), record, watch, progress if inline else None)
        for first in range(0, count, size)
    ]
    for block in run_tasks(executor or InlineExecutor(), _play_block, tasks):
        if progress is not None and not inline:
            progress(len(block))
        yield block


def _play_block(
    config: MatchConfig,
    start: int,
    size: int,
    record: bool,
    watch: Callable[[DealBatch], Watch] | None,
    progress: Progress | None,
) -> GameBlock:
    """Play deals, or matches, ``start … start + size − 1`` twice."""
    return _Block(config, start, size, record, watch).play(progress)


class _Block:
    """Mirrored games in one batch, in which each agent acts once a step."""

    def __init__(
        self,
        config: MatchConfig,
        start: int,
        size: int,
        record: bool,
        watch: Callable[[DealBatch], Watch] | None,
    ) -> None:
        self._agents, self._names, self._match = config.agents, config.names, config.match
        endgame = batch_endgame(config.endgame, config.rules)
        if endgame != PLAYED and record:  # a recording needs every card
            (self._agents, self._names), endgame = with_exact_endgames(self._agents, self._names), PLAYED
        self._start, self._size, self._rows = start, size, np.arange(2 * size)
        numbers = np.tile(np.uint64(start) + np.arange(size, dtype=np.uint64), 2)
        self._indices = numbers if self._match is None else first_deals(numbers)
        history = any(map(uses_games, self._agents))
        self._batch = DealBatch(config.rules, 2 * size, config.seed, history=history, endgame=endgame)
        self._batch.deal_rows(self._rows, self._indices)
        self._watch = None if watch is None else watch(self._batch)
        self._swapped = np.repeat(np.array([0, 1], np.int8), size)  # seat of the first agent
        self._steps = np.zeros(2 * size, np.int64)
        self._lengths = np.zeros(2 * size, np.int64)
        self._scores, self._winners = np.zeros((2 * size, 2)), np.full(2 * size, -1)
        self._over = np.zeros(2 * size, np.bool_)
        self._played: list[npt.NDArray[np.int8]] | None = [] if record else None  # by step; −1 where a deal was over
        self._forfeits: dict[int, list[Forfeit]] = {}  # by row

    def play(self, progress: Progress | None) -> GameBlock:
        """Play all games to their end."""
        reported = 0
        while not self._over.all():
            lost = self._step()
            ended = np.flatnonzero(self._batch.done & ~self._over)
            if ended.size:
                self._score(ended, lost)
            if progress is not None:
                played = _deals_played(self._batch) if self._match is None else int(self._over.sum()) // 2
                reported = report(progress, reported, played)
        return self._block()

    def _step(self) -> Lost:
        """Play one action in every game, and return which games are forfeited."""
        batch, watch = self._batch, self._watch
        lost: Lost = {}
        finished, before = batch.done.copy(), None if watch is None else batch.states.copy()
        actions = play_turn(self._agents, self._names, batch, self._indices, self._swapped, self._steps, lost)
        if watch is not None and before is not None:
            before["done"][list(lost)] = True  # a forfeited game has no action
            watch.step(before, actions)
        if self._played is not None:
            self._played.append(np.where(finished, -1, actions).astype(np.int8))
        self._steps += 1
        return lost

    def _score(self, ended: npt.NDArray[np.int64], lost: Lost) -> None:
        """Score deals that have ended; where a match goes on, deal the next one."""
        batch, match = self._batch, self._match
        reward = "margin" if match is None else match.deal_reward
        returns, limit = batch.returns(reward), reward_limit(batch.rules.game, reward)
        for row, (which, reason) in lost.items():
            seat = int(self._swapped[row]) ^ which
            returns[row, [seat, 1 - seat]] = -limit, limit
            forfeit = Forfeit(self._names[which], int(self._indices[row]), seat, reason)
            self._forfeits.setdefault(row, []).append(forfeit)
        self._lengths[ended] += 1
        if match is None:
            self._scores[ended], self._over[ended] = returns[ended], True
            return
        scores = self._scores[ended]
        match.add_deals(scores, returns[ended])
        self._scores[ended] = scores
        self._winners[ended] = match.winners(scores)
        self._over[ended] = (self._winners[ended] >= 0) | (self._lengths[ended] >= MAX_DEALS)
        again = ended[~self._over[ended]]
        self._indices[again] += np.uint64(1)
        self._steps[again] = 0
        batch.deal_rows(again, self._indices[again])

    def _block(self) -> GameBlock:
        margins = self._scores[self._rows, self._swapped]
        outcomes = np.sign(margins).astype(np.int64)
        if self._match is not None:
            margins = margins - self._scores[self._rows, 1 - self._swapped]
            outcomes = np.where(self._winners < 0, 0, np.where(self._winners == self._swapped, 1, -1))
        shape = (2, self._size)
        return GameBlock(
            self._start,
            margins.reshape(shape).T,
            outcomes.reshape(shape).T,
            self._lengths.reshape(shape).T,
            tuple(one for forfeits in self._forfeits.values() for one in forfeits),
            [] if self._played is None else self._recordings(np.stack(self._played, axis=1)),
            None if self._watch is None else self._watch.result().reshape(shape).T,
        )

    def _recordings(self, played: npt.NDArray[np.int8]) -> list[Recording]:
        """Return a recording of every game that was played to its end; ``played`` is int8[games, steps]."""
        batch, names, size = self._batch, self._names, self._size
        outcomes, dealers, actions = deal_results(batch), batch.states["dealer"].tolist(), played.tolist()
        return [
            Recording(
                batch.rules,
                dealers[row],
                seats,
                tuple(action for action in actions[row] if action >= 0),
                outcomes[row],
                deal=(batch.seed, self._start + place),
            )
            for place in range(size)
            for row, seats in ((place, names), (place + size, (names[1], names[0])))
            if row not in self._forfeits
        ]


def play_turn(
    agents: Agents,
    names: Names,
    batch: DealBatch,
    indices: npt.NDArray[np.uint64],
    swapped: npt.NDArray[np.int8],
    steps: npt.NDArray[np.int64],
    lost: Lost | None = None,
) -> npt.NDArray[np.int64]:
    """Play one action in every unfinished deal and return the actions, int64[size].

    Args:
        agents: the two agents.
        names: what to call them in errors.
        batch: the deals.
        indices: index of each deal, uint64[size].
        swapped: seat of the first agent in each deal, int8[size].
        steps: number of actions played so far in each deal, int64[size].
        lost: gets the row, agent (0 or 1) and reason of each deal that an agent loses instead of choosing an action;
            these deals are over. ``None``: that is an error.

    Raises:
        ValueError: when an agent does not return one legal action per view; the message names the agent.
    """
    actions = np.zeros(batch.size, np.int64)
    mover = batch.turn ^ swapped  # which agent is to act
    for which in (0, 1):
        rows = np.flatnonzero((mover == which) & ~batch.done)
        if len(rows):
            # Each agent has its own random stream in each game of a deal.
            streams = 2 * indices[rows] + swapped[rows].astype(np.uint64)
            rng = AgentRng(batch.seed, streams, stream=which, step=steps[rows])
            forfeits: dict[int, str] | None = None if lost is None else {}

            def where(row: int, rows: npt.NDArray[np.int64] = rows) -> str:
                return f" in deal {indices[rows[row]]} of seed {batch.seed}"

            actions[rows] = ask(agents[which], batch, rows, rng, names[which], where, forfeits)
            if lost is not None and forfeits:
                lost.update({int(rows[row]): (which, why) for row, why in forfeits.items()})
                batch.states["done"][rows[list(forfeits)]] = True
    batch.step(actions)
    return actions


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


def agent_label(spec: str | Agent, agent: Agent) -> str:
    """Return what to call an agent: its specification, its name, or its class."""
    return spec if isinstance(spec, str) else agent_name(agent)


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


def with_exact_endgames(agents: Agents, names: Names) -> tuple[Agents, Names]:
    """Give both agents, and their names, an exact endgame unless they have one."""
    (one, one_name), (other, other_name) = map(_with_exact_endgame, agents, names)
    return (one, other), (one_name, other_name)


def _with_exact_endgame(agent: Agent, name: str) -> tuple[Agent, str]:
    return (agent, name) if solves_endgame(agent) else (ExactEndgame(agent), f"{name}+{EXACT}")
