"""The one stream of games: two agents play deals, or matches of several deals, each twice with the seats swapped.

Mirroring cancels most of the luck of the deal. Matches, series, sequential tests and tournaments only fold or stop what
:func:`games` yields. A *deal* is its cards, a *game* a deal with seats, and a *match* several deals
to a target, such as ``first_to:25``.

With ``endgame="exact"`` a deal is cut off where its endgame begins and gets the tricks of perfect play; margin and
winner are those of a game that both agents finish as ``NAME+exact``. Recorded games are played out by such agents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.endgame.exact_agent import ExactEndgame, solves_endgame
from german_whist.agents.registry import AgentLike, as_spec, make_agent
from german_whist.envs.agent import Agent, agent_name, ask, for_match, uses_games
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.endgame_hook import EXACT, PLAYED, EndgameHook, check_endgame
from german_whist.envs.engine.match_format import MAX_DEALS, MatchFormat, check_match_number, first_deals
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.utils.checks import check_seed, whole_number
from german_whist.envs.utils.specs import printable
from german_whist.evaluation.executors import InlineExecutor, run_tasks
from german_whist.evaluation.recording import Recording, deal_results
from german_whist.solver.exact_endgame import ExactEndgameHook

DEFAULT_BATCH = 2048
MAX_TASKS = 64  # for an executor at a time: enough to keep machines busy, few enough that batches stay large

Lost = dict[int, tuple[int, str]]
Progress = Callable[[int], None]


class Forfeit(NamedTuple):
    """A game that an agent lost without playing it to the end.

    Attributes:
        agent: name of the agent.
        deal: index of the deal.
        seat: the agent's seat.
        reason: why, such as a time limit, a crash or an illegal card.
    """

    agent: str
    deal: int
    seat: int
    reason: str


class LostGame(NamedTuple):
    """A forfeit, and in which game of a block it was.

    Attributes:
        number: the deal or match.
        seat: seat of the first agent in it; in a match, in its first deal.
        forfeit: who lost it, and why.
    """

    number: int
    seat: int
    forfeit: Forfeit


class GameBlock(NamedTuple):
    """Finished games, a row for each deal (or match). Column 0: the first agent has seat 0; column 1: it has seat 1.

    Attributes:
        numbers: indices of the deals, or matches, uint64[n].
        outcomes: the first agent's results (1, 0, −1), int64[n, 2].
        margins: its margins, or in matches its final scores minus the other's, float64[n, 2].
        lengths: the deals played in each game, int64[n, 2].
        lost: games, or in matches deals, that an agent lost without playing them to the end, as if by the largest
            margin.
        recordings: if asked for, both games of every deal in their order; ``None`` for a lost one.
    """

    numbers: npt.NDArray[np.uint64]
    outcomes: npt.NDArray[np.int64]
    margins: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.int64]
    lost: tuple[LostGame, ...] = ()
    recordings: tuple[Recording | None, ...] = ()

    @classmethod
    def of_deals(cls, margins: npt.NDArray[Any], first_deal: int = 0, lost: Iterable[LostGame] = ()) -> GameBlock:
        """Return games of consecutive single deals from the first agent's margins, [n, 2]."""
        outcomes = np.sign(margins).astype(np.int64)
        numbers = np.uint64(first_deal) + np.arange(len(margins), dtype=np.uint64)
        return cls(numbers, outcomes, margins.astype(np.float64), np.ones_like(outcomes), tuple(lost))

    @property
    def forfeits(self) -> list[Forfeit]:
        """What the agents lost without playing it to the end."""
        return [one.forfeit for one in self.lost]


def joined(blocks: Iterable[GameBlock]) -> GameBlock:
    """Return blocks, of which there is at least one, as one."""
    given = list(blocks)
    return GameBlock(
        np.concatenate([block.numbers for block in given]),
        np.concatenate([block.outcomes for block in given]),
        np.concatenate([block.margins for block in given]),
        np.concatenate([block.lengths for block in given]),
        tuple(one for block in given for one in block.lost),
        tuple(one for block in given for one in block.recordings),
    )


class Players(NamedTuple):
    """The two agents of a match that begins.

    Attributes:
        given: what they were made of; this is what goes to workers, who make their own.
        agents: the agents.
        names: what to call them.
    """

    given: tuple[str | Agent, str | Agent]
    agents: tuple[Agent, Agent]
    names: tuple[str, str]


def two_players(first: AgentLike, second: AgentLike, rules: Rules) -> Players:
    """Return two agents for a match that begins.

    Raises:
        ValueError: when one is no agent, or plays another game.
    """
    given = (as_spec(first), as_spec(second))
    agents = (for_match(make_agent(first, rules)), for_match(make_agent(second, rules)))
    return Players(given, agents, (agent_label(given[0], agents[0]), agent_label(given[1], agents[1])))


def agent_label(spec: str | Agent, agent: Agent) -> str:
    """Return what to call an agent: its specification, its name, or its class."""
    return spec if isinstance(spec, str) else agent_name(agent)


def deal_range(first_deal: int, deals: int) -> range:
    """Return the deals ``first_deal … first_deal + deals − 1``.

    Raises:
        ValueError: when there are no such deals.
    """
    first, number = check_seed(first_deal, "first_deal"), whole_number("deals", deals, 1)
    return range(first, check_seed(first + number - 1, "last deal") + 1)


def match_range(matches: int) -> range:
    """Return the matches ``0 … matches − 1``.

    Raises:
        ValueError: when there are no such matches.
    """
    return range(check_match_number(whole_number("matches", matches, 1) - 1, "last match") + 1)


def games(
    players: Players,
    rules: Rules,
    seed: int,
    numbers: range,
    *,
    match: MatchFormat | None = None,
    endgame: str = PLAYED,
    batch_size: int = DEFAULT_BATCH,
    executor: Executor | None = None,
    record: bool = False,
    progress: Progress | None = None,
) -> Iterator[GameBlock]:
    """Play deals, or matches, twice with the seats swapped and yield the games in blocks, in their order.

    The games depend on the agents, the rules, the seed and the deals, not on the blocks. Whoever has seen enough stops
    to iterate.

    Args:
        players: the two agents.
        rules: the rules.
        seed: seed of the deals and of the agents' randomness, 0 to 2**64 − 1.
        numbers: indices of the deals, or of the matches (``german_whist.envs.engine.match_format`` says which deals
            these are).
        match: the match format; ``None`` for single deals.
        endgame: ``"played"`` or ``"exact"``.
        batch_size: the most deals, or matches, that are played together; memory grows with it.
        executor: plays the blocks; by default this thread.
        record: whether single deals are recorded.
        progress: called during play with the number of deals, or matches, played since the last call, at least 1. In
            this thread, a batch advances all its deals together, and its tricks count as shares of deals.

    Raises:
        ValueError: when a number or the endgame is not allowed, or an agent does not return one legal action per view;
            the message names the agent.
        ChildProcessError: when a worker of the executor ended abruptly.
    """
    batch_size = whole_number("batch_size", batch_size, 1)
    batch_endgame(check_endgame(endgame), rules)
    executor = InlineExecutor() if executor is None else executor
    is_here = isinstance(executor, InlineExecutor)
    how = (rules, check_seed(seed), match, endgame, record)
    size = batch_size if is_here else min(batch_size, -(-len(numbers) // MAX_TASKS))
    parts = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    # Here, the agents of the whole match play on; they need not be made again, and go on counting their failures.
    tasks = [(players, part, *how, progress) if is_here else (players.given, part, *how) for part in parts]
    for block in run_tasks(executor, _play, tasks):
        if progress is not None and not is_here:
            progress(len(block.margins))
        yield block


def _play(
    players: Players | tuple[AgentLike, AgentLike],
    numbers: range,
    rules: Rules,
    seed: int,
    match: MatchFormat | None,
    endgame: str,
    record: bool,
    progress: Progress | None = None,
) -> GameBlock:
    """Play one block."""
    if not isinstance(players, Players):
        players = two_players(*players, rules)
    if match is not None:
        return _play_matches(players, numbers, rules, seed, match, endgame, progress)
    return _play_deals(players, numbers, rules, seed, endgame, record, progress)


class _Tables:
    """The games of a block in one batch: first those with the first agent in seat 0, then those with seats swapped."""

    def __init__(self, players: Players, rules: Rules, seed: int, deals: npt.NDArray[np.uint64], endgame: str) -> None:
        self.size, self.players, self.indices = len(deals), players, np.tile(deals, 2)
        has_history, hook = any(map(uses_games, players.agents)), batch_endgame(endgame, rules)
        self.batch = DealBatch(rules, 2 * self.size, seed, history=has_history, endgame=hook)
        self.rows = np.arange(2 * self.size)
        self.batch.deal_rows(self.rows, self.indices)
        self.swapped = np.repeat(np.array([0, 1], np.int8), self.size)  # seat of the first agent
        self.steps = np.zeros(2 * self.size, np.int64)

    def turn(self, lost: Lost) -> npt.NDArray[np.int64]:
        """Play one action in every unfinished deal and return the actions; ``lost`` is that of ``play_turn``."""
        _, agents, names = self.players
        actions = play_turn(agents, names, self.batch, self.indices, self.swapped, self.steps, lost)
        self.steps += 1
        return actions

    def lost_game(self, row: int, number: int, which: int, reason: str) -> LostGame:
        """Return what an agent (0 or 1) has lost in a row."""
        seat = int(self.swapped[row])
        return LostGame(number, seat, Forfeit(self.players.names[which], int(self.indices[row]), seat ^ which, reason))

    def paired(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return values of all rows as those of mirrored pairs, [size, 2]."""
        return values.reshape(2, self.size).T


def _play_deals(
    players: Players,
    numbers: range,
    rules: Rules,
    seed: int,
    endgame: str,
    record: bool,
    progress: Progress | None,
) -> GameBlock:
    if record and endgame == EXACT:  # a recording needs every card
        players, endgame = with_exact_endgames(players), PLAYED
    deals = np.uint64(numbers.start) + np.arange(len(numbers), dtype=np.uint64)
    tables = _Tables(players, rules, seed, deals, endgame)
    batch, size = tables.batch, tables.size
    history: list[npt.NDArray[np.int8]] = []  # the actions of every step, −1 where a deal was finished
    lost: Lost = {}
    reported = 0
    while not batch.done.all():
        finished = batch.done.copy()
        actions = tables.turn(lost)
        if record:
            history.append(np.where(finished, -1, actions).astype(np.int8))
        if progress is not None:
            reported = _report(progress, reported, _deals_played(batch))
    margins: npt.NDArray[np.float64] = batch.returns("margin")[tables.rows, tables.swapped].astype(np.float64)
    for row, (which, _) in lost.items():
        margins[row] = (2 * which - 1) * reward_limit(rules.game, "margin")
    lost_games = [tables.lost_game(row, numbers[row % size], *loss) for row, loss in sorted(lost.items())]
    return GameBlock.of_deals(tables.paired(margins), numbers.start, lost_games)._replace(
        recordings=tuple(_recordings(tables, history, numbers, lost)) if record else ()
    )


def _recordings(
    tables: _Tables, history: list[npt.NDArray[np.int8]], numbers: range, lost: Lost
) -> Iterator[Recording | None]:
    batch, (first, second) = tables.batch, map(printable, tables.players.names)
    results, dealers = deal_results(batch), batch.states["dealer"].tolist()
    played = np.stack(history, axis=1).tolist()
    for place, deal in enumerate(numbers):
        for row, seats in ((place, (first, second)), (place + len(numbers), (second, first))):
            actions = tuple(action for action in played[row] if action >= 0)
            address = (batch.seed, deal)
            is_lost = row in lost
            yield None if is_lost else Recording(batch.rules, dealers[row], seats, actions, results[row], address)


def _deals_played(batch: DealBatch) -> int:
    """Return how many of the deals of a mirrored batch are played, their tricks counted as shares of deals."""
    rules = batch.rules
    tricks = batch.states["tricks"].sum(axis=(1, 2)) / (rules.hand + rules.stock // 2)
    return int(np.where(batch.done, 1.0, tricks).sum() / 2)


def _play_matches(
    players: Players,
    numbers: range,
    rules: Rules,
    seed: int,
    match: MatchFormat,
    endgame: str,
    progress: Progress | None,
) -> GameBlock:
    indices = np.arange(numbers.start, numbers.stop, dtype=np.uint64)
    tables = _Tables(players, rules, seed, first_deals(indices), endgame)
    batch, size, swapped = tables.batch, tables.size, tables.swapped
    lengths = np.zeros(2 * size, np.int64)
    scores = np.zeros((2 * size, 2))
    winners = np.full(2 * size, -1)
    is_over = np.zeros(2 * size, np.bool_)
    lost_games: list[LostGame] = []
    largest = reward_limit(rules.game, match.deal_reward)
    reported = 0
    while not is_over.all():
        lost: Lost = {}
        tables.turn(lost)
        ended = np.flatnonzero(batch.done & ~is_over)
        if not ended.size:
            continue
        after = scores[ended]
        returns = batch.returns(match.deal_reward)
        for row, (which, reason) in lost.items():
            seat = int(swapped[row]) ^ which
            returns[row, [seat, 1 - seat]] = -largest, largest
            lost_games.append(tables.lost_game(row, numbers[row % size], which, reason))
        match.add_deals(after, returns[ended])
        scores[ended] = after
        lengths[ended] += 1
        winners[ended] = match.winners(after)
        is_over[ended] = (winners[ended] >= 0) | (lengths[ended] >= MAX_DEALS)
        again = ended[~is_over[ended]]
        tables.indices[again] += np.uint64(1)
        tables.steps[again] = 0
        batch.deal_rows(again, tables.indices[again])
        if progress is not None:
            reported = _report(progress, reported, int(is_over.sum()) // 2)
    outcomes = np.where(winners < 0, 0, np.where(winners == swapped, 1, -1))
    margins = scores[tables.rows, swapped] - scores[tables.rows, 1 - swapped]
    outcomes, margins, lengths = map(tables.paired, (outcomes, margins, lengths))
    return GameBlock(indices, outcomes, margins, lengths, tuple(lost_games))


def _report(progress: Progress, reported: int, played: int) -> int:
    """Report what was played since the last report, if anything, and return what is reported now."""
    if played > reported:
        progress(played - reported)
    return played


def play_turn(
    agents: tuple[Agent, Agent],
    names: tuple[str, str],
    batch: DealBatch,
    indices: npt.NDArray[np.uint64],
    swapped: npt.NDArray[np.int8],
    steps: npt.NDArray[np.int64],
    lost: Lost | None = None,
) -> npt.NDArray[np.int64]:
    """Play one action in every unfinished deal and return the actions, int64[size].

    Each agent acts once, for all the deals where it is to move.

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


def with_exact_endgames(players: Players) -> Players:
    """Give both agents, and their names, an exact endgame unless they have one."""
    solve = [solves_endgame(agent) for agent in players.agents]
    one, other = (agent if has else ExactEndgame(agent) for agent, has in zip(players.agents, solve, strict=True))
    first, second = (name if has else f"{name}+{EXACT}" for name, has in zip(players.names, solve, strict=True))
    return players._replace(agents=(one, other), names=(first, second))
