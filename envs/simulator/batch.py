"""A batch of deals, stepped together; a single deal is a batch of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.endgame_cutoff import finish_endgames
from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook, endgame_hook_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.state import STATE
from german_whist.envs.observation.action_log import ActionLog
from german_whist.envs.observation.vector import observation_high
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch_checks import illegal_row_error, read_decks
from german_whist.envs.simulator.batch_kernels import deal_decks, deal_rows, step_all_or_none
from german_whist.envs.simulator.batch_reader import BatchReader
from german_whist.envs.simulator.batch_state import BatchState, restore_rows, save_rows
from german_whist.envs.utils.checks import check_seed, deal_indices, numbers_between, whole_number, whole_numbers


class DealBatch(BatchReader):
    """Deals ``first … first + size - 1`` of a seed, stepped together by compiled kernels.

    Seat ``i % 2`` deals deal ``i``, so the dealer alternates from deal to deal. Deals stay in their rows: a finished
    deal ignores further actions until its row is dealt again.

    Example:
        >>> batch = german_whist.DealBatch("classic", size=4096, seed=0)
        >>> while not batch.done.all():
        ...     observations, masks = batch.observe(), batch.action_mask()  # of the seats to act
        ...     batch.step(masks.argmax(axis=1))  # each plays its lowest legal card
        >>> batch.returns("margin").shape
        (4096, 2)

    Attributes:
        rules: the rules of every deal.
        size: number of deals.
        seed: the seed of the deals.
        states: ``STATE`` array of shape (size,), the full states.
        num_actions: size of the action space.
        num_observations: length of an observation vector, n_obs.
        log: the actions of each deal with ``history=True``; otherwise ``None``.
        endgame_hook: what finishes deals whose endgame begins; ``None`` if the endgame is played.
    """

    def __init__(
        self,
        rules: str | Rules = "classic",
        size: int = 1,
        seed: int = 0,
        first: int = 0,
        *,
        history: bool = False,
        endgame: str | EndgameHook = PLAYED,
    ) -> None:
        """Deal the first deals.

        Args:
            rules: a preset's name, with settings if wanted (``"classic:counts=all"``), or ``Rules``.
            size: number of deals, at least 1.
            seed: seed of the deals, 0 to 2**64 - 1.
            first: index of the first deal.
            history: keep the actions played, which :meth:`history` needs.
            endgame: ``"played"``, or ``"exact"``: a deal is over after the last trick of the foreplay, and its returns
                are those of perfect play by both seats from there.

        Raises:
            ValueError: if the rules are unknown, the size is below 1, seed or first is out of range, or the rules do
                not allow this endgame.
        """
        self.size = whole_number("size", size, 1)
        self.rules = rules_named(rules)
        self.seed = check_seed(seed)
        self.states: np.ndarray[Any, Any] = np.zeros(self.size, STATE)
        self.num_actions = self.rules.num_actions
        self.num_observations = observation_high(self.rules).size
        self._cards = np.array(self.rules.cards, np.int8)
        self._scratch = np.zeros(1, VIEW)
        self._every_row = np.arange(self.size, dtype=np.int64)
        self.log = ActionLog(self.rules, self.size) if history else None
        self.endgame_hook = endgame_hook_of(endgame, self.rules)
        self.reset(first)

    def reset(self, first: int) -> None:
        """Deal the deals ``first … first + size - 1`` of the same seed, in place.

        Raises:
            ValueError: if an index is not from 0 to 2**64 - 1.
        """
        start = check_seed(first, "first deal")
        check_seed(start + self.size - 1, "last deal")
        self.deal_rows(self._every_row, np.uint64(start) + self._every_row.astype(np.uint64))

    def deal_rows(self, rows: npt.ArrayLike, indices: npt.ArrayLike, seeds: npt.ArrayLike | None = None) -> None:
        """Deal other deals into some rows, in place.

        Args:
            rows: the rows to deal into, int[k].
            indices: the index of the deal for each row, uint64[k].
            seeds: the seed of each of these deals, uint64[k]; the batch's own by default.

        Raises:
            ValueError: if a row is out of range, an index or a seed is negative, or their numbers differ.
        """
        which = numbers_between("rows", rows, 0, self.size - 1)
        deals = deal_indices(indices, which.shape)
        own = np.full(which.shape, self.seed, np.uint64) if seeds is None else deal_indices(seeds, which.shape, "seed")
        deal_rows(self.rules.game, self._cards, own, deals, which, self.states)
        if self.log is not None:
            self.log.clear(which)

    def deal_decks(
        self, decks: Sequence[str | Sequence[int]], dealers: npt.ArrayLike, rows: npt.ArrayLike | None = None
    ) -> None:
        """Deal given decks, one per row.

        Args:
            decks: one deck per row, as text (``"C2 SA …"``) or card numbers, in dealing order.
            dealers: the seat that deals in each row, int[size] (int[k] with ``rows``).
            rows: the rows to deal into, int[k]; all of them by default.

        Raises:
            ValueError: if a deck is not a permutation of this game's deck, or a dealer or a row is out of range.
        """
        which = self._rows(rows)
        orders, seats = read_decks(self.rules, len(which), decks, dealers)
        for row, deck in zip(which, orders, strict=True):
            self.states["deck"][row, : len(self.rules.cards)] = deck
        deal_decks(self.rules.game, which, seats, self.states)
        if self.log is not None:
            self.log.clear(which)

    def get_state(self, rows: npt.ArrayLike | None = None) -> BatchState:
        """Return a copy of some deals, with their histories if they are kept.

        Args:
            rows: the deals, int[k], in any order, repeated if wanted; all of them by default.

        Raises:
            ValueError: if a row is out of range.
        """
        return save_rows(self.rules, self.states, self.log, self._rows(rows))

    def set_state(self, state: BatchState, rows: npt.ArrayLike | None = None) -> None:
        """Put deals saved by :meth:`get_state`, of this or another batch, into some rows.

        Args:
            state: k deals.
            rows: where to put them, int[k], each once; all rows by default.

        Raises:
            ValueError: if the rules or the number of deals differ, a row is out of range, or this batch keeps
                histories and the state has none; then nothing has changed.
        """
        restore_rows(state, self.rules, self.states, self.log, self._rows(rows))

    def step(self, actions: npt.ArrayLike, rows: npt.ArrayLike | None = None) -> None:
        """Play one action in every deal, or in some; finished deals ignore theirs.

        Args:
            actions: the action of each deal's seat to act, int[size] (int[k] with ``rows``).
            rows: the deals to step, int[k], each once; all of them by default.

        Raises:
            ValueError: if an action is illegal or not a whole number, or their number is wrong; then no deal has moved.
        """
        which = self._rows(rows)
        chosen = whole_numbers("actions", actions, which.shape).astype(np.int64, copy=False)
        playing = None if self.log is None else ~self.done[which]
        refused = step_all_or_none(self.rules.game, self.states, which, chosen)
        if refused >= 0:
            row, legal = int(which[refused]), int(self.legal()[which[refused]])
            raise illegal_row_error(self.rules, row, int(chosen[refused]), int(self.turn[row]), legal)
        if self.log is not None and playing is not None:
            self.log.add(which[playing], chosen[playing])
        self.finish_endgames(which)

    def finish_endgames(self, rows: npt.NDArray[np.int64]) -> None:
        """Finish those of some deals whose endgame begins, unless it is played; :meth:`step` does so itself."""
        if self.endgame_hook is not None:
            finish_endgames(self.endgame_hook, self.rules, self.states, rows)
