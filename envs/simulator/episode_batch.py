"""Many episodes at once, one per row: single deals, or whole matches. Each row walks through deals of its own seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook
from german_whist.envs.engine.match_format import MATCH_LIMIT, MAX_DEALS, MatchFormat, first_deals
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.observation.vector import observe
from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.simulator.batch_kernels import step_legal
from german_whist.envs.simulator.reset_options import draw_seed
from german_whist.envs.utils.checks import SEED_LIMIT, check_seed, is_whole_number, whole_number
from german_whist.envs.utils.specs import must_be

Rows = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]
Seeds = int | Sequence[int | None] | None


def check_seat(seat: object) -> None:
    """Check the learner's seat.

    Raises:
        ValueError: if it is not 0, 1 or ``"alternate"``.
    """
    if not is_whole_number(seat, 0, 1) and seat != "alternate":
        raise ValueError(must_be("seat", "0, 1 or 'alternate'", seat))


def learner_seats(seat: int | str, indices: Words) -> Rows:
    """Return the learner's seat in each deal, int64 of the shape of ``indices``.

    The dealer alternates with every deal, so an alternating learner changes seats after every second one: four
    consecutive deals have it in each seat, once as dealer and once as non-dealer.

    Args:
        seat: 0, 1 or ``"alternate"``.
        indices: the indices of the deals, uint64.
    """
    if seat == "alternate":
        seats: Rows = (indices >> np.uint64(1) & np.uint64(1)).astype(np.int64)
        return seats
    return np.full(indices.shape, int(seat), np.int64)


class EpisodeIds(NamedTuple):
    """The current episode of each row.

    Attributes:
        seeds: uint64[size].
        numbers: index of the deal, or number of the match, uint64[size].
        strides: what a row's number grows by from one episode to the next, uint64[size]; 0 before the first.
    """

    seeds: Words
    numbers: Words
    strides: Words


class EpisodeBatch:
    """Simulates many episodes; a row that is over stays as it is until it is started again.

    Attributes:
        rules: the rules of every deal.
        match: what decides a match; ``None`` if episodes are single deals.
        batch: the current deals.
        current: the ids of the current episodes.
        indices: the index of each current deal, uint64[size].
        plies: actions played in each current deal, int64[size].
        over: whether each episode is over, bool[size].
    """

    def __init__(
        self,
        rules: str | Rules,
        size: int,
        match: MatchFormat | None,
        endgame: str | EndgameHook = PLAYED,
        history: bool = False,
    ) -> None:
        """Create the simulator; :meth:`start` starts episodes.

        Raises:
            ValueError: if the rules are unknown or do not allow this endgame, or the size is below 1.
        """
        self.batch = DealBatch(rules, size, history=history, endgame=endgame)
        self.rules = self.batch.rules
        self.match = match
        size = self.batch.size
        self.current = EpisodeIds(*(np.zeros(size, np.uint64) for _ in range(3)))
        self.indices = np.zeros(size, np.uint64)
        self.plies = np.zeros(size, np.int64)
        self.over = np.zeros(size, np.bool_)
        self._scores = np.zeros((size, 2))  # by seat, points or deals won
        self._winners = np.full(size, -1)  # of matches
        self._deals = np.zeros(size, np.int64)  # finished deals of each match
        self._dealers = np.full(size, -1)  # of the next deal of a match; −1 if its index says

    def episode_ids(self, rows: Rows, seed: Seeds, first: tuple[int, int] | None = None) -> EpisodeIds:
        """Return where a reset of some rows leads; nothing changes until :meth:`start`.

        Args:
            rows: the rows to reset.
            seed: one for all rows (row j starts with number j and goes on in steps of ``size``), one per row (each
                starts with number 0 and goes on in steps of 1; ``None`` goes on as before), or ``None``. Rows that
                never had a seed draw one together.
            first: the address of row 0's episode, if given; the other rows follow.

        Raises:
            ValueError: if a seed or a number is out of range, or the seeds are not one per row.
        """
        size = self.batch.size
        at = EpisodeIds(*(field.copy() for field in self.current))
        shared_rows = rows  # those that share a seed
        is_single = isinstance(seed, np.ndarray) and not seed.ndim
        if first is None and isinstance(seed, (list, tuple, np.ndarray)) and not is_single:
            if len(seed) != size:
                raise ValueError(must_be("the number of seeds", f"{size}, as num_envs", len(seed)))
            own = [None if one is None else check_seed(one) for one in seed]
            shared_rows = rows[[own[row] is None for row in rows]]
            for row in rows:
                if (given := own[row]) is not None:
                    at.seeds[row], at.numbers[row], at.strides[row] = given, 0, 1
        elif first is None and seed is not None:
            first = check_seed(seed), 0
        if first is None:
            self._advance(at, shared_rows[at.strides[shared_rows] > 0])
            shared_rows = shared_rows[at.strides[shared_rows] == 0]
            first = draw_seed(), 0
        if len(shared_rows):
            self._check_numbers(first[1] + size - 1)
            at.seeds[shared_rows], at.strides[shared_rows] = first[0], size
            at.numbers[shared_rows] = np.uint64(first[1]) + shared_rows.astype(np.uint64)
        return at

    def _check_numbers(self, largest: int) -> None:
        limit = SEED_LIMIT if self.match is None else MATCH_LIMIT
        whole_number("deal index" if self.match is None else "match number", largest, 0, limit - 1)

    def _advance(self, at: EpisodeIds, rows: Rows) -> None:
        """Move some rows on to their next episodes."""
        if len(rows):
            self._check_numbers(int(at.numbers[rows].max()) + int(at.strides[rows].max()))
            at.numbers[rows] += at.strides[rows]

    def start(self, rows: Rows, at: EpisodeIds, dealer: int | None = None, deck: list[int] | None = None) -> None:
        """Start the episodes at the given addresses in some rows, with another dealer or deck if given."""
        self.current = at
        numbers = at.numbers[rows]
        self._scores[rows], self._deals[rows], self._winners[rows] = 0.0, 0, -1
        self._dealers[rows] = -1 if dealer is None else dealer
        self.over[rows] = False
        self._deal(rows, numbers if self.match is None else first_deals(numbers), deck)

    def start_next(self, rows: Rows) -> None:
        """Start the next episodes in some rows."""
        self._advance(self.current, rows)
        self.start(rows, self.current)

    def _deal(self, rows: Rows, indices: Words, deck: list[int] | None = None) -> None:
        batch, dealers = self.batch, self._dealers[rows]
        self.indices[rows] = indices
        self.plies[rows] = 0
        batch.deal_rows(rows, indices, self.current.seeds[rows])
        if deck is not None:
            batch.deal_decks([deck] * len(rows), np.maximum(dealers, 0), rows)
        elif (chosen := rows[dealers >= 0]).size:
            decks = batch.states["deck"][chosen, : len(self.rules.cards)].tolist()
            batch.deal_decks(decks, self._dealers[chosen], chosen)

    def play(self, rows: Rows, actions: npt.NDArray[Any]) -> Bools:
        """Play an action in each of some rows and return where it was illegal, bool[len(rows)]; nothing moved there."""
        refused = np.empty(len(rows), np.bool_)
        step_legal(self.rules.game, self.batch.states, rows, actions.astype(np.int64), self.plies, refused)
        if self.batch.log is not None:
            self.batch.log.add(rows[~refused], actions[~refused].astype(np.int64))
        self.batch.finish_endgames(rows)
        finished = rows[self.batch.done[rows]]
        if self.match is None or not len(finished):
            self.over[finished] = True
        else:
            self._finish_deals(self.match, finished)
        return refused

    def _finish_deals(self, match: MatchFormat, rows: Rows) -> None:
        """Score finished deals of matches, and start the next one where the match goes on."""
        scores = self._scores[rows]
        match.add_deals(scores, self.batch.returns(match.deal_reward)[rows])
        self._scores[rows] = scores
        self._deals[rows] += 1
        self._winners[rows] = match.winners(scores)
        over = (self._winners[rows] >= 0) | (self._deals[rows] >= MAX_DEALS)
        self.over[rows[over]] = True
        going_on = rows[~over]
        if len(going_on):
            dealers = self._dealers[going_on]
            self._dealers[going_on] = np.where(dealers < 0, -1, 1 - dealers)
            self._deal(going_on, self.indices[going_on] + np.uint64(1))

    def returns(self, reward: str, rows: Rows, seats: Rows) -> npt.NDArray[np.float64]:
        """Return what seats get for finished episodes, one per row, float64[len(rows)]."""
        if self.match is None:
            paid: npt.NDArray[np.float64] = self.batch.returns(reward)[rows, seats].astype(np.float64)
            return paid
        if reward == "win":
            winners = self._winners[rows]
            return np.where(winners < 0, 0.0, np.where(winners == seats, 1.0, -1.0))
        difference: npt.NDArray[np.float64] = self._scores[rows, seats] - self._scores[rows, 1 - seats]
        return difference

    def reward_limit(self, reward: str) -> float:
        """Return the largest reward that an episode can pay, which is also the penalty for an illegal action."""
        if self.match is None:
            return reward_limit(self.rules.game, reward)
        return self.match.reward_limit(self.rules, reward)

    def observe(self, rows: Rows, seats: Rows) -> npt.NDArray[np.int8]:
        """Return a seat's observation in each of some rows, int8[len(rows), n_obs], with the scores of a match."""
        seen = observe(self.batch.views(rows, seats), self.rules)
        if self.match is None:
            return seen
        scores = np.stack([self._scores[rows, seats], self._scores[rows, 1 - seats]], axis=1)
        return np.concatenate([seen, self.match.feature_rows(self.rules, scores)], axis=1)
