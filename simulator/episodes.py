"""Episodes: single deals or whole matches, one in each row of a batch, in NumPy arrays or in torch tensors.

Environments and contests between agents are built on these. They know which deal comes next in a row, the scores of a
match, when an episode is over, and what it pays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from german_whist.game.agent_rng import AgentRng
from german_whist.game.endgame_setting import PLAYED, Endgame
from german_whist.game.match_format import (
    MATCH_LIMIT,
    MAX_DEALS,
    MatchFormat,
    check_match_number,
    first_deals,
    match_format_of,
)
from german_whist.game.rules import Rules
from german_whist.game.scoring import Reward, reward_limit
from german_whist.game.utils.backend import Array, Device
from german_whist.game.utils.checks import SEED_LIMIT, check_seed
from german_whist.simulator.batch import DealBatch, Score
from german_whist.simulator.batch_kernels import step_legal
from german_whist.simulator.deals import MakeRng
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.endgame import EndgameHook
from german_whist.simulator.observation.full_state import full_states
from german_whist.simulator.reset_options import draw_seed, read_options

Int8s = npt.NDArray[np.int8]
Rows: TypeAlias = Array
Bools = npt.NDArray[np.bool_]
DealBits = npt.NDArray[np.uint64]
Seeds = int | Sequence[int | None] | None


class Episodes:
    """Many episodes, stepped together. A row whose episode is over stays as it is until it is started again.

    With ``device=``, for single deals, the arrays are tensors, and uint64 becomes int64, which holds the same bits.

    Attributes:
        rules: the rules of every deal.
        match: the match format; ``None`` if episodes are single deals.
        batch: the current deals.
        every_row: 0 … size − 1, int64[size].
        seeds: the seed of each row, uint64[size].
        numbers: each row's episode, as the index of its deal or the number of its match, uint64[size].
        episode_step: by how much a row's number grows from one episode to the next, uint64[size].
        indices: the index of each current deal, uint64[size].
        plies: actions played in each current deal, int64[size].
        scores: the scores of each match by seat, in points or deals won, float64[size, 2].
        deals: finished deals of each episode, int64[size].
        over: whether each episode is over, or has not begun, bool[size].
    """

    def __init__(
        self,
        rules: str | Rules,
        size: int,
        match: str | MatchFormat | None = None,
        *,
        history: bool = False,
        endgame: Endgame | EndgameHook = PLAYED,
        canonical: bool = False,
        device: Device = None,
    ) -> None:
        """Make room for episodes; :meth:`reset` or :meth:`start` deals.

        Even if observations and masks are canonical, :meth:`step` takes true actions.

        Raises:
            ValueError: if the rules or the match format are unknown, the rules do not allow this endgame, or the size
                is below 1.
        """
        self.match = None if match is None else match_format_of(match)
        self.batch: DealBatch[Any] = DealBatch(
            rules, size, history=history, endgame=endgame, canonical=canonical, device=device
        )
        self.rules, self.backend = self.batch.rules, self.batch.backend
        size, backend = self.batch.size, self.backend
        self.every_row: Any = self.batch.every_row
        self.seeds, self.numbers, self.episode_step, self.indices = (
            backend.deal_bits(np.zeros(size, np.uint64), (size,)) for _ in range(4)
        )
        self.plies, self.deals = backend.zeros(size, np.int64), backend.zeros(size, np.int64)
        self.scores = backend.zeros((size, 2), np.float64)
        self.over = backend.array(np.ones(size, np.bool_))
        self._last_number = np.uint64((SEED_LIMIT if self.match is None else MATCH_LIMIT) - 1)
        # Of the current deal, where the first dealer was given; otherwise −1.
        self._dealers = backend.array(np.full(size, -1))

    @property
    def is_dealt(self) -> Array:
        """Whether each row has been reset before, bool[size]."""
        dealt: Array = self.episode_step != 0
        return dealt

    def reset(self, seed: Seeds = None, options: Mapping[str, Any] | None = None, rows: Rows | None = None) -> None:
        """Start the next episodes, by the seed and the options of an environment's ``reset``.

        Args:
            seed: one seed for all rows (row j starts with number j and continues in steps of ``size``), one per row
                (each starts with number 0 and continues in steps of 1; ``None`` in it continues as before), or
                ``None``. Rows that never had a seed share a random one.
            options: see ``read_options``. An address is that of row 0, and the other rows follow. A deck given without
                a dealer is dealt by seat 0.
            rows: the rows to reset, int64[k]; all by default.

        Raises:
            ValueError: if a seed, a number or an option is not allowed, or the seeds are not one per row. The current
                episodes then continue.
        """
        backend = self.backend
        rows = self.every_row if rows is None else backend.array(rows)
        if seed is None and not options and self.is_dealt[rows].all():
            self.start_next(rows)
            return
        first, deck, dealer = read_options(options, self.rules.cards, match=self.match is not None)
        seeds, numbers, episode_step = (
            backend.numpy(deal_bits[rows]).view(np.uint64)
            for deal_bits in (self.seeds, self.numbers, self.episode_step)
        )
        is_list = isinstance(seed, (list, tuple)) or (isinstance(seed, np.ndarray) and seed.ndim > 0)
        own: list[int | None] = self._own_seeds(seed, backend.numpy(rows)) if is_list else [None] * len(rows)
        shared = None if seed is None or is_list else (check_seed(seed), 0)
        if first is None:
            first = shared
        else:
            own = [None] * len(rows)  # the option's address counts
        # Each row starts from its own seed, shares one with other rows, or goes on. Everything is computed on
        # copies first, so that an error leaves the current episodes alone.
        begins = np.array([one is not None for one in own])
        shares = ~begins & ((episode_step == 0) | (first is not None))
        goes_on = ~(begins | shares)
        if goes_on.any():
            numbers[goes_on] = self._next_numbers(numbers[goes_on], episode_step[goes_on])
        if begins.any():
            seeds[begins] = np.array([one for one in own if one is not None], np.uint64)
            numbers[begins], episode_step[begins] = 0, 1
        if shares.any():
            shared_seed, number = (draw_seed(), 0) if first is None else first
            self._check_number(number + self.batch.size - 1)
            seeds[shares], episode_step[shares] = shared_seed, self.batch.size
            numbers[shares] = np.uint64(number) + backend.numpy(rows)[shares].astype(np.uint64)
        seeds, numbers, self.episode_step[rows] = (
            backend.deal_bits(deal_bits, deal_bits.shape) for deal_bits in (seeds, numbers, episode_step)
        )
        self.start(rows, seeds, numbers, dealer, deck)

    def _own_seeds(self, seeds: Any, rows: Rows) -> list[int | None]:
        if len(seeds) != self.batch.size:
            raise ValueError(f"seeds must be {self.batch.size}, as many as num_envs, got {len(seeds)}")
        own = [None if one is None else check_seed(one) for one in seeds]
        return [own[row] for row in rows]

    def _check_number(self, largest: int) -> None:
        if self.match is None:
            check_seed(largest, "deal index")
        else:
            check_match_number(largest)

    def start_next(self, rows: Rows) -> None:
        """Start the next episodes in some rows, each of which was reset before.

        Raises:
            ValueError: if a row has used up the numbers of its seed. Nothing has changed then.
        """
        self.start(rows, self.seeds[rows], self._next_numbers(self.numbers[rows], self.episode_step[rows]))

    def _next_numbers(self, numbers: DealBits, episode_step: DealBits) -> DealBits:
        # On a device they begin again after 2**64 − 1: a check would wait for the device.
        if isinstance(numbers, np.ndarray) and (numbers > self._last_number - episode_step).any():
            self._check_number(int(numbers.max()) + int(episode_step.max()))
        return numbers + episode_step

    def start(
        self, rows: Rows, seeds: DealBits, numbers: DealBits, dealer: int | None = None, deck: list[int] | None = None
    ) -> None:
        """Start given episodes in some rows.

        Args:
            rows: the rows, int64[k].
            seeds: the seed of each episode, uint64[k].
            numbers: index of each deal, or number of each match, uint64[k].
            dealer: the seat that deals first; by default its parity follows from the numbers.
            deck: the cards in dealing order, instead of those of the deal.
        """
        self.seeds[rows], self.numbers[rows] = seeds, numbers
        self.scores[rows], self.deals[rows], self.over[rows] = 0.0, 0, False
        self._dealers[rows] = -1 if dealer is None else dealer
        self._deal(rows, numbers if self.match is None else first_deals(numbers))
        if deck is not None:
            self.batch.deal_decks([deck] * len(rows), np.full(len(rows), dealer or 0), rows)

    def _deal(self, rows: Rows, indices: DealBits) -> None:
        self.indices[rows], self.plies[rows] = indices, 0
        self.batch.deal(rows, indices, self.seeds[rows], self._dealers[rows])

    def step(self, rows: Array, actions: Array) -> Array:
        """Play an action in each of some rows and return which were illegal, bool[k]; those rows have not moved.

        A deal that ends is scored. Unless the episode ends with it, the next deal of the match starts at once.
        """
        self.batch.moves += 1
        illegal: Array = self.backend.empty(len(rows), np.bool_)
        self.backend.launch(
            step_legal, len(rows), self.rules.record, self.batch.states, rows, actions, self.plies, illegal
        )
        if self.batch.log is not None:
            self.batch.log.add(rows, actions, illegal)
        self.follow_up(rows)
        return illegal

    def follow_up(self, rows: Rows) -> None:
        """Cut endgames off, and score deals that have ended."""
        self.batch.finish_endgames(rows)
        finished = rows[self.batch.done[rows]]
        if len(finished):
            self.finish(finished)

    def finish(self, rows: Rows) -> None:
        """Score deals that have ended, and start the next deals of matches that go on."""
        self.deals[rows] += 1
        if self.match is None:
            self.over[rows] = True
            return
        scores = self.scores[rows] + np.maximum(self.batch.returns(self.match.deal_reward)[rows], 0)
        self.scores[rows] = scores
        self.over[rows] = (self.match.winners(scores) >= 0) | (self.deals[rows] >= MAX_DEALS)
        going_on = rows[~self.over[rows]]
        if len(going_on):
            dealers = self._dealers[going_on]
            self._dealers[going_on] = np.where(dealers < 0, -1, 1 - dealers)
            self._deal(going_on, self.indices[going_on] + np.uint64(1))

    def to_act(self, seats: Array | int, other: int) -> Array:
        """Return the rows in which a seat is to act, or with ``other=1`` the seat opposite, int64[k].

        Args:
            seats: the seat in each row, int[size], or one for all.
            other: 0 or 1.
        """
        rows: Array = self.backend.flatnonzero((self.batch.turn ^ seats == other) & ~self.over)
        return rows

    def decisions(self, rows: Rows, rng: MakeRng | None = None) -> Decisions:
        """Return the decisions of the seats to act in some rows, int64[k], whose episodes are not over.

        Args:
            rows: the rows.
            rng: makes the random numbers; by default :meth:`agent_rng`.
        """

        def describe(number: int) -> str:
            seed, deal = (int(self.backend.numpy(bits[rows])[number]) % 2**64 for bits in (self.seeds, self.indices))
            return f" in deal {deal} of seed {seed}"

        return self.batch.decisions_in(rows, rng or self.agent_rng, describe, has_deals=True)

    def agent_rng(self, rows: Rows, stream: int = 0, addresses: Array | None = None) -> AgentRng:
        """Return random numbers for agents: they depend on seed, address, number of actions played and stream alone.

        Args:
            rows: the rows, int64[k].
            stream: number of the agent's stream of random numbers; agents that play each other have one each.
            addresses: the address in each row, uint64[k]; by default the index of its deal.
        """
        given = (self.seeds[rows], self.indices[rows] if addresses is None else addresses)
        seeds, where = (self.backend.numpy(deal_bits).view(np.uint64) for deal_bits in given)
        return AgentRng(seeds, where, stream, self.backend.numpy(self.plies[rows]))

    def returns(self, reward: Reward | Score, rows: Rows) -> Array:
        """Return what both seats get for episodes that are over, float[k, 2].

        With ``"win"`` a match pays ±1, or 0 for a draw; otherwise it pays the difference of the scores.
        """
        if self.match is None:
            returns: Array = self.batch.returns(reward)[rows]
            return returns
        scores = self.scores[rows]
        first = scores[:, 0] - scores[:, 1]
        if reward == "win":
            first = np.where(self.match.winners(scores) < 0, 0.0, np.sign(first))
        return np.stack([first, 0.0 - first], axis=1)  # a draw pays 0, not −0

    def reward_limit(self, reward: Reward | Score) -> float:
        """Return the largest reward that an episode can pay, which is also the penalty for an illegal action.

        Raises:
            ValueError: if there is no such reward, or a function of deals should score a match.
        """
        limit = reward_limit(self.rules.record, reward)
        if self.match is None:
            return limit
        if callable(reward):
            raise ValueError(f"a function scores deals, not matches: leave out match, got {str(self.match)!r}")
        return self.match.reward_limit(self.rules, reward)

    def observe(self, rows: Rows | None, seats: Array | None) -> Array:
        """Return a seat's vector in each of some rows, int8[k, n_obs], with the scores of a match at its end."""
        return self._with_scores(self.batch.observe(seats=seats, rows=rows), rows, seats)

    def full_states(self) -> Int8s:
        """Return the full state vectors, int8[size, n_state], with the scores of a match at their end."""
        vectors = full_states(self.rules, self.batch.states)
        return self._with_scores(vectors, self.every_row, np.zeros_like(self.every_row))

    def _with_scores(self, vectors: Int8s, rows: Rows | None, seats: Rows | None) -> Int8s:
        return vectors if self.match is None else np.concatenate([vectors, self.score_features(rows, seats)], axis=1)

    def score_features(self, rows: Rows | None, seats: Rows | None) -> Int8s:
        """Return the scores of matches from a seat's side, and the score that wins (``MatchFormat.features``)."""
        assert self.match is not None  # single deals have no scores
        assert seats is not None  # matches give rows and seats
        scores = np.stack([self.scores[rows, seats], self.scores[rows, 1 - seats]], axis=1)
        return self.match.features(self.rules, scores)
