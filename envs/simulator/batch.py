"""Everything is a batch: many deals stepped together; a single deal is a batch of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.actions import action_text, actions_text
from german_whist.envs.engine.cards import parse_deck
from german_whist.envs.engine.dealing import shuffle
from german_whist.envs.engine.endgame_cutoff import finish_endgames
from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook, endgame_hook_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.scoring import check_reward, seat_return
from german_whist.envs.engine.state_kernels import STATE, deal, legal_actions, play
from german_whist.envs.observation.history import ActionLog
from german_whist.envs.observation.vector import observation_high, write_masks, write_observation, write_observations
from german_whist.envs.observation.views import VIEW, write_view, write_views
from german_whist.envs.utils.checks import check_seed, deal_indices, numbers_between, whole_numbers
from german_whist.envs.utils.jit import kernel


@kernel
def _deal_addresses(game, cards, seed, indices, rows, states):
    for i in range(rows.shape[0]):
        state = states[rows[i]]
        for position in range(cards.shape[0]):
            state.deck[position] = cards[position]
        shuffle(seed, indices[i], state.deck[: cards.shape[0]])
        deal(game[0], state, np.int64(indices[i] & np.uint64(1)))


@kernel
def _deal_decks(game, dealers, states):
    for i in range(states.shape[0]):
        deal(game[0], states[i], np.int64(dealers[i]))


@kernel
def _legal(states, out):
    for i in range(states.shape[0]):
        out[i] = legal_actions(states[i])


@kernel
def _step(game, states, rows, actions):
    for i in range(rows.shape[0]):
        state = states[rows[i]]
        if not state.done:
            action = actions[i]
            if action < 0 or action > 63 or not (legal_actions(state) >> np.uint64(action)) & np.uint64(1):
                return i
    for i in range(rows.shape[0]):
        if not states[rows[i]].done:
            play(game[0], states[rows[i]], actions[i])
    return -1


@kernel
def _observe(game, states, scratch, out):
    view = scratch[0]
    for i in range(states.shape[0]):
        write_view(game[0], states[i], np.int64(states[i].turn), view)
        write_observation(game[0], view, out[i])


@kernel
def _returns(game, states, reward, out):
    for i in range(states.shape[0]):
        value = seat_return(game[0], states[i], reward) if states[i].done else 0.0
        out[i, 0] = value
        out[i, 1] = 0.0 - value  # a draw pays 0, not −0


class DealBatch:
    """Deals ``first … first + size - 1`` of a seed, stepped together.

    Deal ``i`` is dealt by seat ``i % 2``: the dealer alternates from deal to deal.

    Attributes:
        rules: the rules of every deal.
        size: number of deals.
        states: ``STATE`` array of shape (size,), the whole truth.
        num_actions: size of the action space.
        num_observations: length of an observation vector, n_obs.
        log: what was played in each deal, when it is kept; otherwise ``None``.
        ending: what finishes deals whose endgame begins; ``None`` when the endgame is played.
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
            rules: a preset's name, with settings if wanted, or ``Rules``.
            size: number of deals.
            seed: their seed.
            first: index of the first.
            history: keep the actions played, which :meth:`history` needs.
            endgame: ``"played"``; or ``"solved"``: a deal is over with the last trick of the foreplay, the tricks of
                perfect play from there are written into its state, and returns follow from them.

        Raises:
            ValueError: when the rules are unknown, the size is below 1, seed or first is out of range, or there is no
                such endgame in these rules.
        """
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1:
            raise ValueError(f"size {size!r} is not allowed: a whole number from 1")
        self.rules = rules_named(rules)
        self.size = int(size)
        self.seed = check_seed(seed)
        self.states: np.ndarray[Any, Any] = np.zeros(self.size, STATE)
        self.num_actions = self.rules.num_actions
        self.num_observations = observation_high(self.rules).size
        self._game = self.rules.game
        self._cards = np.array(self.rules.cards, np.int8)
        self._scratch = np.zeros(1, VIEW)
        self._every_row = np.arange(self.size, dtype=np.int64)
        self.log = ActionLog(self.rules, self.size) if history else None
        self.ending = endgame_hook_of(endgame, self.rules)
        self.reset(first)

    def reset(self, first: int) -> None:
        """Deal the deals ``first … first + size - 1`` of the same seed, in place."""
        start = check_seed(first, "first deal")
        check_seed(start + self.size - 1, "last deal")
        self.deal_rows(self._every_row, np.uint64(start) + self._every_row.astype(np.uint64))

    def deal_rows(self, rows: npt.ArrayLike, indices: npt.ArrayLike) -> None:
        """Deal the given deals of the batch's seed into some rows, in place.

        Args:
            rows: the rows to deal into, int[k].
            indices: which deal each gets, uint64[k].

        Raises:
            ValueError: when a row is not of this batch, a deal is below 0, or there are not as many of both.
        """
        which = numbers_between("rows", rows, 0, self.size - 1)
        deals = deal_indices(indices, which.shape)
        _deal_addresses(self._game, self._cards, np.uint64(self.seed), deals, which, self.states)
        if self.log is not None:
            self.log.clear(which)

    def deal_decks(self, decks: Sequence[str | Sequence[int]], dealers: npt.ArrayLike) -> None:
        """Deal given decks, one a row, with the given dealers.

        Args:
            decks: one deck a row, as text or card numbers in dealing order.
            dealers: seats, int[size].

        Raises:
            ValueError: when a deck is not this game's deck, or a dealer is no seat.
        """
        seats = np.asarray(dealers)
        if seats.shape != (self.size,) or len(decks) != self.size or not np.isin(seats, (0, 1)).all():
            raise ValueError(f"{self.size} decks and as many dealers, each 0 or 1, are needed")
        orders = [parse_deck(deck, self.rules.cards) for deck in decks]
        self.states["deck"][:, : len(self.rules.cards)] = orders
        _deal_decks(self._game, seats.astype(np.int64), self.states)
        if self.log is not None:
            self.log.clear()

    @property
    def turn(self) -> npt.NDArray[np.int8]:
        """The seat to act, int8[size]; of no meaning where a deal is done. Copy what must outlast a step."""
        return self.states["turn"]

    @property
    def done(self) -> npt.NDArray[np.bool_]:
        """Whether a deal is finished, bool[size]. Copy what must outlast a step."""
        return self.states["done"]

    def legal(self) -> npt.NDArray[np.uint64]:
        """Return the legal actions of the seats to act as masks, uint64[size]; 0 where a deal is done."""
        out = np.empty(self.size, np.uint64)
        _legal(self.states, out)
        return out

    def action_mask(self, out: npt.NDArray[np.int8] | None = None) -> npt.NDArray[np.int8]:
        """Return the legal actions of the seats to act, int8[size, num_actions], into ``out`` when given.

        Raises:
            ValueError: when ``out`` has another shape.
        """
        masks = self._rows_of(self.num_actions, out)
        write_masks(self.legal(), masks)
        return masks

    def views(self, rows: npt.ArrayLike | None = None, seats: npt.ArrayLike | None = None) -> np.ndarray[Any, Any]:
        """Return what seats know.

        Args:
            rows: the deals to look at, int[k]; all of them by default.
            seats: whose view of each, int[k]; the seat to act by default.

        Returns:
            A ``VIEW`` array of shape (k,).

        Raises:
            ValueError: when a row is not of this batch, a seat is not 0 or 1, or there are not as many of both.
        """
        which = self._every_row if rows is None else numbers_between("rows", rows, 0, self.size - 1)
        if seats is None:
            whose = np.full(len(which), -1, np.int64)
        else:
            whose = numbers_between("seats", seats, 0, 1, which.shape)
        views = np.empty(len(which), VIEW)
        write_views(self._game, self.states, which, whose, views)
        return views

    def observe(
        self, out: npt.NDArray[np.int8] | None = None, seats: npt.ArrayLike | None = None
    ) -> npt.NDArray[np.int8]:
        """Return the observations of the seats to act (or of ``seats``), int8[size, n_obs], into ``out`` when given.

        Raises:
            ValueError: when ``out`` or ``seats`` has another shape, or a seat is not 0 or 1.
        """
        rows = self._rows_of(self.num_observations, out)
        if seats is None:
            _observe(self._game, self.states, self._scratch, rows)
        else:
            write_observations(self._game, self.views(seats=seats), rows)
        return rows

    def history(
        self, out: npt.NDArray[np.int8] | None = None, seats: npt.ArrayLike | None = None
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]:
        """Return what the seats to act (or ``seats``) saw happen, event by event, as ``envs.history`` describes it.

        Returns:
            Tokens int8[size, max_events, 4], in ``out`` when given, and lengths int16[size].

        Raises:
            ValueError: when the batch keeps no history, ``out`` or ``seats`` has another shape, or a seat is no seat.
        """
        if self.log is None:
            raise ValueError("history is not kept: make the batch with DealBatch(…, history=True)")
        whose = np.full(self.size, -1) if seats is None else numbers_between("seats", seats, 0, 1, (self.size,))
        return self.log.histories(self.states, whose.astype(np.int64), out)

    def step(self, actions: npt.ArrayLike, rows: npt.ArrayLike | None = None) -> None:
        """Play one action in every deal, or in some; finished deals are left alone.

        Args:
            actions: int[size] (int[k] with ``rows``), the action of the seat to act in each deal.
            rows: the deals to step, int[k], each once; all of them by default.

        Raises:
            ValueError: when an action is illegal, no whole number, or there is not one a row; then no deal has moved.
        """
        which = self._every_row if rows is None else numbers_between("rows", rows, 0, self.size - 1)
        chosen = whole_numbers("actions", actions, which.shape).astype(np.int64, copy=False)
        playing = None if self.log is None else ~self.done[which]
        refused = _step(self._game, self.states, which, chosen)
        if refused >= 0:
            action, wrong = int(chosen[refused]), int(which[refused])
            name = f" ({action_text(action, self.rules)})" if 0 <= action < self.num_actions else ""
            raise ValueError(
                f"action {action}{name} is illegal in row {wrong}: "
                f"seat {self.turn[wrong]} may play {actions_text(int(self.legal()[wrong]), self.rules)}"
            )
        if self.log is not None and playing is not None:
            self.log.add(which[playing], chosen[playing])
        self.finish_endgames(which)

    def finish_endgames(self, rows: npt.NDArray[np.int64]) -> None:
        """Finish those of some deals that have come to an endgame that is not played; :meth:`step` does it itself."""
        if self.ending is not None:
            finish_endgames(self.ending, self.rules, self.states, rows)

    def _rows_of(self, cells: int, out: npt.NDArray[np.int8] | None) -> npt.NDArray[np.int8]:
        if out is None:
            return np.empty((self.size, cells), np.int8)
        if out.shape != (self.size, cells):
            raise ValueError(f"out has shape {out.shape}: ({self.size}, {cells}) is needed")
        return out

    def returns(self, reward: str = "margin") -> npt.NDArray[np.float32]:
        """Return what each seat gets, float32[size, 2]; zeros while a deal is not finished.

        Args:
            reward: ``"margin"`` (counted tricks, own minus the opponent's), ``"win"`` (+1, 0, −1) or ``"points"`` (the
                rules' own scoring, paid by the loser).

        Raises:
            ValueError: when there is no such reward.
        """
        out = np.empty((self.size, 2), np.float32)
        _returns(self._game, self.states, check_reward(reward), out)
        return out
