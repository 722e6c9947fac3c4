"""The stream of mirrored games: two agents play deals, or matches of several deals, each twice with the seats swapped.

Mirroring cancels most of the luck of the deal. All measurements (contests, sequential tests, tournaments) read what
:class:`MirroredGames` yields and differ only in what they compute and when they stop. A *deal* is the cards, a *game*
is a deal with the agents in their seats, and a *match* is several deals up to a target, such as ``first_to:25``.

With ``endgame="exact"`` a deal is cut off where its endgame begins and gets the tricks of perfect play. Margin and
winner are those of a game that both agents finish as ``NAME+exact``; recorded games are played to the end by such
agents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.asking import check_device, play
from german_whist.agents.base import Agent, AgentLike, agent_name
from german_whist.agents.endgame.exact_agent import ExactEndgame, with_exact_endgame
from german_whist.agents.external_agents import own_line
from german_whist.agents.registry import as_spec, make_agent
from german_whist.evaluation.recording import Recording, deal_results
from german_whist.game.agent_rng import AgentRng
from german_whist.game.endgame_setting import EXACT, PLAYED, Endgame, check_endgame
from german_whist.game.match_format import MatchFormat
from german_whist.game.rules import Rules
from german_whist.game.scoring import Reward
from german_whist.game.utils.checks import SEED_LIMIT, check_int, check_seed
from german_whist.simulator.batch import Score
from german_whist.simulator.endgame import endgame_hook_of
from german_whist.simulator.episodes import Episodes

DEFAULT_BATCH = 2048
DEVICE_BATCH = 2**18  # deals at once on a device, which needs many to be used well
MAX_TASKS = 32  # tasks for an executor: in batches of 16 deals, a deal takes a network three times as long as in 256

Progress = Callable[[int], None]


class GameResults(NamedTuple):
    """Finished games, one row per deal (or match). In column 0 the first agent has seat 0, in column 1 seat 1.

    Attributes:
        outcomes: the first agent's results, 1, 0 or −1, int64[n, 2].
        margins: the first agent's margins, or in matches its final score minus the other's, float64[n, 2].
        lengths: number of deals played in each game, int64[n, 2].
        recordings: if asked for, both games of every deal in order.
    """

    outcomes: npt.NDArray[np.int64]
    margins: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.int64]
    recordings: tuple[Recording, ...] = ()


def joined(blocks: Sequence[GameResults]) -> GameResults:
    """Join blocks, of which there must be at least one; recordings are left out."""
    outcomes, margins, lengths = (np.concatenate(column) for column in zip(*(one[:3] for one in blocks), strict=True))
    return GameResults(outcomes, margins, lengths)


class Players(NamedTuple):
    """The two agents of a contest.

    Attributes:
        given: specifications or objects that the agents were made of; workers get these and make their own agents.
        agents: the agents.
        names: the agents' names in results and errors.
    """

    given: tuple[AgentLike, AgentLike]
    agents: tuple[Agent, Agent]
    names: tuple[str, str]


def two_players(first: AgentLike, second: AgentLike, rules: Rules) -> Players:
    """Make two agents for a new contest.

    Raises:
        ValueError: when one is not an agent, or plays another game.
    """
    given = (as_spec(first), as_spec(second))
    agents = (make_agent(given[0], rules), make_agent(given[1], rules))
    one, other = result_names(given, agents)
    return Players(given, agents, (one, other))


def result_names(given: Sequence[AgentLike], agents: Sequence[Agent]) -> list[str]:
    """Return the agents' names in results: specifications where different ones share a name."""
    names = [agent_name(agent) for agent in agents]
    specs: dict[str, set[AgentLike]] = {}
    for name, spec in zip(names, given, strict=True):
        specs.setdefault(name, set()).add(spec if isinstance(spec, str) else name)
    pairs = zip(names, given, strict=True)
    return [spec if isinstance(spec, str) and len(specs[name]) > 1 else name for name, spec in pairs]


def deal_range(first_deal: int, deals: int, limit: int = SEED_LIMIT) -> range:
    """Return the deals, or matches, ``first_deal … first_deal + deals − 1``, all below ``limit``.

    Raises:
        ValueError: when a number is out of range.
    """
    first, number = check_int("first_deal", first_deal, 0, limit - 1), check_int("deals", deals, 1)
    return range(first, check_int("last deal", first + number - 1, 0, limit - 1) + 1)


@dataclass(frozen=True, kw_only=True)
class MirroredGames:
    """Deals, or matches, that two agents play twice with the seats swapped.

    The games depend on the agents, the rules, the seed and the deals, not on how many are played together.

    Attributes:
        rules: the rules.
        seed: seed of the deals and of the agents' randomness, 0 to 2**64 − 1.
        match: the match format; ``None`` for single deals.
        endgame: ``"played"`` or ``"exact"``.
        record: whether single deals are recorded.
        score: house rules that decide who wins a deal, and by how much; ``None`` for those of the game.
        device: ``None``, or the device on which single deals are played in tensors; nothing is recorded there.
    """

    rules: Rules
    seed: int
    match: MatchFormat | None = None
    endgame: Endgame = PLAYED
    record: bool = False
    score: Score | None = None
    device: Any = None

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            ValueError: when one is not allowed.
        """
        if self.match is not None and self.record:
            raise ValueError("matches are not recorded, single deals are: leave out match or record")
        if self.device is not None and (self.match is not None or self.record):
            raise ValueError("device plays single deals without recording them: leave out match and record")
        if self.score is not None and not callable(self.score):
            raise ValueError(f"score must be a function of a batch of finished deals, got {self.score!r}")
        if self.score is not None and self.match is not None:
            raise ValueError(f"score scores deals, not matches: leave out match, got {str(self.match)!r}")
        endgame_hook_of(check_endgame(self.endgame), self.rules)
        check_seed(self.seed)

    def play(
        self,
        players: Players,
        numbers: range,
        *,
        batch_size: int | None = None,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Iterator[GameResults]:
        """Play, and yield the games in blocks, in order. To end a contest early, stop iterating.

        Args:
            players: the two agents.
            numbers: indices of the deals, or of the matches (``german_whist.game.match_format`` defines the deals of
                a match).
            batch_size: largest number of deals, or matches, played together; memory grows with it.
            executor: plays the blocks; by default this thread.
            progress: called during play with the number of deals, or matches, played since the last call, at least 1.
                In this thread, a batch advances all its deals together, and tricks count as fractions of deals.

        Yields:
            Blocks of finished games.

        Raises:
            ValueError: when an argument is not allowed, or an agent does not return one legal action per decision; the
                message names the agent.
        """
        if self.device is not None and executor is not None:
            raise ValueError("device plays in this process: leave out executor")
        for agent in players.agents:
            check_device(agent, self.device)
        if batch_size is None:
            batch_size = DEFAULT_BATCH if self.device is None else DEVICE_BATCH
        size = check_int("batch_size", batch_size, 1)
        if executor is not None:
            size = min(size, -(-len(numbers) // MAX_TASKS))
        parts = [numbers[start : start + size] for start in range(0, len(numbers), size)]
        if executor is None:
            yield from (self._play(players, part, progress) for part in parts)
            return
        for block in executor.map(partial(self._play_in_worker, players.given), parts):
            if progress is not None:
                progress(len(block.margins))
            yield block

    def _play_in_worker(self, given: tuple[AgentLike, AgentLike], numbers: range) -> GameResults:
        try:
            return self._play(two_players(*given, self.rules), numbers)
        except (Exception, SystemExit) as error:
            line = own_line(error)  # a traceback does not leave its process
            if line is not None:
                error.add_note(line)
            raise

    def _play(self, players: Players, numbers: range, progress: Progress | None = None) -> GameResults:
        """Play one block; the first agent has seat 0 in the first half of the rows and seat 1 in the second half."""
        agents, names, endgame = self._with_endgame(players)
        size, reported = len(numbers), 0
        history = self.record or any(agent.uses_histories for agent in agents)
        episodes = Episodes(self.rules, 2 * size, self.match, history=history, endgame=endgame, device=self.device)
        backend = episodes.backend
        indices = np.uint64(numbers.start) + np.arange(size, dtype=np.uint64)
        second_half = np.repeat(np.array([0, 1], np.uint64), size)
        seeds, deals, games = (
            backend.deal_bits(deal_bits, (2 * size,))
            for deal_bits in (np.full(2 * size, self.seed, np.uint64), np.tile(indices, 2), second_half)
        )
        episodes.start(episodes.every_row, seeds, deals)

        def agent_rng(number: int, rows: Any) -> AgentRng:
            """Return an agent's own random numbers in each game of a deal."""
            return episodes.agent_rng(rows, number, 2 * episodes.indices[rows] + games[rows])

        for _ in play(episodes, agents, backend.array(second_half.astype(np.int8)), agent_rng):
            if progress is not None and (played := _games_played(episodes) // 2) > reported:
                progress(played - reported)
                reported = played
        every_row = np.arange(2 * size)
        kinds: tuple[Reward | Score, ...] = ("win", "margin") if self.score is None else (self.score,)
        returns = [
            backend.numpy(episodes.returns(kind, episodes.every_row))[every_row, second_half.astype(np.int64)]
            for kind in kinds
        ]
        outcomes, margins = np.sign(returns[0]), returns[-1]
        by_deal = [column.reshape(2, size).T for column in (outcomes, margins, backend.numpy(episodes.deals))]
        recordings = _recordings(episodes, names, numbers) if self.record else ()
        return GameResults(by_deal[0].astype(np.int64), by_deal[1].astype(np.float64), by_deal[2], tuple(recordings))

    def _with_endgame(self, players: Players) -> tuple[tuple[Agent, Agent], tuple[str, str], Endgame]:
        """Return the agents that play, their names, and how the endgame is played, with the same results."""
        (first, second), names = players.agents, players.names
        if self.record and self.endgame == EXACT:  # a recording needs every card
            one, other = (
                name if isinstance(agent, ExactEndgame) else f"{name}+{EXACT}"
                for agent, name in zip(players.agents, names, strict=True)
            )
            return (with_exact_endgame(first), with_exact_endgame(second)), (one, other), PLAYED
        endgame = self.endgame
        if self.device is not None:
            if isinstance(first, ExactEndgame) and isinstance(second, ExactEndgame):
                with suppress(ValueError):  # rules whose endgame the solver cannot finish are played card by card
                    endgame_hook_of(EXACT, self.rules)
                    endgame = EXACT  # the same margins, with one look-up or solution per deal instead of one per card
            if endgame == EXACT:
                first, second = (agent.agent if isinstance(agent, ExactEndgame) else agent for agent in (first, second))
        return (first, second), names, endgame


def _games_played(episodes: Episodes) -> int:
    """Return the number of games played so far; tricks count as fractions of single deals."""
    if episodes.match is not None:
        return int(episodes.over.sum())
    rules, backend = episodes.rules, episodes.backend
    tricks, done = (backend.numpy(episodes.batch.states[field]) for field in ("tricks", "done"))
    return int(np.where(done, 1.0, tricks.sum(axis=(1, 2)) / (rules.hand + rules.stock // 2)).sum())


def _recordings(episodes: Episodes, names: tuple[str, str], numbers: range) -> Iterator[Recording]:
    """Yield recordings of both games of each deal."""
    batch, (first, second) = episodes.batch, names
    assert batch.log is not None  # recorded games keep histories
    results, dealers = deal_results(batch), batch.states["dealer"].tolist()
    actions, counts = batch.log.actions.tolist(), batch.log.counts.tolist()
    for column, deal in enumerate(numbers):
        address = (int(episodes.seeds[column]), deal)
        for row, seats in ((column, (first, second)), (column + len(numbers), (second, first))):
            played = tuple(actions[row][: counts[row]])
            yield Recording(batch.rules, dealers[row], seats, played, results[row], address)
