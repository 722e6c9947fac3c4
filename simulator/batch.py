"""A batch of deals, stepped together, in NumPy arrays or in torch tensors. A single deal is a batch of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from german_whist.game.actions import illegal_row_error
from german_whist.game.agent_rng import RandomNumbers
from german_whist.game.cards import parse_decks
from german_whist.game.endgame_setting import PLAYED, Endgame
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.scoring import Reward, check_reward
from german_whist.game.state import STATE
from german_whist.game.utils.backend import Array, ArrayT, Device, Numbers, StructTensor, backend_of
from german_whist.game.utils.checks import check_int, check_seed
from german_whist.simulator.batch_kernels import (
    deal_decks,
    observe_seats_to_act,
    write_is_illegal,
    write_legal,
    write_margins,
    write_returns,
)
from german_whist.simulator.deals import Deals, MakeRng
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.endgame import EndgameHook, endgame_hook_of
from german_whist.simulator.observation.canonical import canonical_views
from german_whist.simulator.observation.history_kernels import relabel_histories
from german_whist.simulator.observation.vector import observation_high
from german_whist.simulator.observation.vector_kernels import write_masks, write_observations, write_view_masks
from german_whist.simulator.state_check import check_states

if TYPE_CHECKING:
    import torch

Int8s = npt.NDArray[np.int8]


class BatchState(NamedTuple):
    """Deals saved by ``DealBatch.get_state``. It can be pickled.

    Attributes:
        rules: the rules of the deals.
        states: ``STATE`` array of shape (k,), or ``StructTensor`` on a device; hidden cards included.
        actions: the actions played in each deal, int8[k, max_game_length]; ``None`` without ``history=True``.
        counts: number of actions of each deal, int64[k]; ``None`` without ``history=True``.
    """

    rules: Rules
    states: Any
    actions: Any
    counts: Any


Score: TypeAlias = "Callable[[DealBatch[Any]], Any]"
"""House rules: a function of a batch that returns both seats' returns of finished deals, float[size, 2]."""


class DealBatch(Deals[ArrayT]):
    """A batch of deals, stepped together by compiled kernels: deals ``first … first + size - 1`` of a seed.

    Arrays are NumPy's, or with ``device=`` torch tensors on that device, with the same deals and states bit for bit;
    only the answer whether all actions are legal is copied to the host there.

    Each row holds one deal. In every deal one seat is to act, 0 or 1, and :meth:`step` plays one action for it. There
    is no autoreset: a finished deal ignores further actions until its row is dealt again. Seat ``i % 2`` deals deal
    ``i``, so the dealer alternates from deal to deal.

    Example:
        >>> batch = german_whist.DealBatch("classic", size=4096, seed=0)
        >>> while not batch.done.all():
        ...     observations, masks = batch.observe(), batch.action_mask()  # for the seats to act
        ...     batch.step(masks.argmax(axis=1))  # each seat plays its lowest legal card
        >>> batch.returns("margin").shape
        (4096, 2)

    Attributes:
        rules: the rules of every deal.
        size: number of deals.
        seed: the seed of the deals.
        device: the ``torch.device``; ``None`` for NumPy arrays.
        states: ``STATE`` array of shape (size,), the full states; ``StructTensor`` on a device.
        num_actions: size of the action space.
        num_observations: length of an observation vector, n_obs.
        log: the actions of each deal with ``history=True``; otherwise ``None``.
        endgame_hook: the ``EndgameHook`` that finishes deals whose endgame begins; ``None`` if endgames are played.
        canonical: whether observations, histories, masks and the actions of :meth:`step` are canonical.
    """

    @overload
    def __init__(
        self: DealBatch[npt.NDArray[Any]],
        rules: str | Rules = ...,
        size: int = ...,
        seed: int = ...,
        first: int = ...,
        *,
        history: bool = ...,
        endgame: Endgame | EndgameHook = ...,
        canonical: bool = ...,
        device: None = ...,
    ) -> None: ...
    @overload
    def __init__(
        self: DealBatch[torch.Tensor],
        rules: str | Rules = ...,
        size: int = ...,
        seed: int = ...,
        first: int = ...,
        *,
        history: bool = ...,
        endgame: Endgame | EndgameHook = ...,
        canonical: bool = ...,
        device: str | torch.device,
    ) -> None: ...
    def __init__(
        self,
        rules: str | Rules = "classic",
        size: int = 1,
        seed: int = 0,
        first: int = 0,
        *,
        history: bool = False,
        endgame: Endgame | EndgameHook = PLAYED,
        canonical: bool = False,
        device: Device = None,
    ) -> None:
        """Deal the first deals.

        Args:
            rules: a preset's name, optionally with settings (``"classic:counts=all"``), or ``Rules``.
            size: number of deals, at least 1.
            seed: seed of the deals, 0 to 2**64 - 1.
            first: index of the first deal.
            history: whether to keep the actions played, which :meth:`history` needs.
            endgame: ``"played"`` for the whole game, or ``"exact"``: deals end after the foreplay, the first stage, and
                their returns are those of perfect play by both seats from there. An ``EndgameHook`` works, too.
            canonical: whether to relabel suits so that equivalent positions look the same. :meth:`observe`,
                :meth:`action_mask` and :meth:`history` then show :func:`german_whist.canonical_views`, and :meth:`step`
                takes canonical actions. Everything else, such as :meth:`views` and :meth:`legal`, keeps the true cards.
            device: ``None`` for NumPy arrays; ``"cuda"`` or ``"cpu"`` for torch tensors on that device.

        Raises:
            ValueError: if the rules are unknown, ``size`` is below 1, ``seed`` or ``first`` is out of range, the rules
                do not allow this endgame, or there is no such device.
            ModuleNotFoundError: if torch or, for a GPU, numba-cuda is not installed.
        """
        played = get_rules(rules)
        super().__init__(
            played,
            check_int("size", size, 1),
            backend_of(device),
            history=history,
            endgame_hook=endgame_hook_of(endgame, played),
        )
        self.seed = check_seed(seed)
        self.device = self.backend.torch_device
        self.num_actions = played.num_actions
        self.num_observations = observation_high(played).size
        self.canonical = canonical
        self.reset(first)

    def reset(self, first: int) -> None:
        """Deal ``first … first + size - 1`` of the same seed into the rows.

        Raises:
            ValueError: if an index is not from 0 to 2**64 - 1.
        """
        start = check_seed(first, "first deal")
        check_seed(start + self.size - 1, "last deal")
        self.deal_rows(self.every_row, np.uint64(start) + np.arange(self.size, dtype=np.uint64))

    def deal_rows(
        self,
        rows: npt.ArrayLike,
        indices: npt.ArrayLike,
        seeds: npt.ArrayLike | None = None,
        dealers: npt.ArrayLike | None = None,
    ) -> None:
        """Deal other deals into some rows.

        Args:
            rows: the rows to deal into, int[k].
            indices: index of the deal for each row, uint64[k].
            seeds: seed of the deal for each row, uint64[k]; the batch's own by default.
            dealers: the seat that deals in each row, int[k]; by default seat 1 deals odd indices.

        Raises:
            ValueError: if a row or a dealer is out of range, on the host an index or a seed is negative, or the shapes
                differ.
        """
        which = self._rows_once(rows)
        shape = tuple(which.shape)
        deals = self.backend.deal_bits(indices, shape)
        own = self.backend.deal_bits(np.full(shape, self.seed, np.uint64) if seeds is None else seeds, shape, "seed")
        none = np.full(shape, -1)
        dealt_by = (
            self.backend.array(none) if dealers is None else self.backend.integers("dealers", dealers, 0, 1, shape)
        )
        self.deal(which, deals, own, dealt_by)

    def deal_decks(
        self, decks: Sequence[str | Sequence[int]], dealers: npt.ArrayLike, rows: npt.ArrayLike | None = None
    ) -> None:
        """Deal decks, one per row.

        Args:
            decks: one deck per row, as text (``"C2 SA …"``) or card numbers, in dealing order.
            dealers: the seat that deals in each row, int[size] (int[k] with ``rows``).
            rows: the rows to deal into, int[k]; all by default.

        Raises:
            ValueError: if a deck is not a permutation of this game's deck, or a dealer or a row is out of range.
        """
        which = self._rows_once(rows)
        orders, seats = parse_decks(self.rules.cards, len(which), decks, dealers)
        self.states["deck"][which, : len(self.rules.cards)] = self.backend.array(
            np.array(orders, np.int8).reshape(len(which), len(self.rules.cards))
        )
        self.backend.launch(deal_decks, len(which), self.rules.record, which, self.backend.array(seats), self.states)
        self.begin_games(which)

    def get_state(self, rows: npt.ArrayLike | None = None) -> BatchState:
        """Return a copy of some deals, with their actions if the batch keeps them.

        Args:
            rows: the deals, int[k], in any order, repeats allowed; all by default.

        Raises:
            ValueError: if a row is out of range.
        """
        which = self._rows(rows)
        if self.log is None:
            return BatchState(self.rules, self.states[which], None, None)
        return BatchState(self.rules, self.states[which], self.log.actions[which], self.log.counts[which])

    def set_state(self, state: BatchState, rows: npt.ArrayLike | None = None) -> None:
        """Put deals saved by :meth:`get_state` of this batch, or another on this device, into some rows.

        Args:
            state: k deals.
            rows: where to put them, int[k], no row twice; all rows by default.

        Raises:
            ValueError: if the rules, the device or the number of deals differ, a row is out of range, a state is
                impossible, or this batch keeps histories and the state has none. Nothing has changed then.
        """
        which = self._rows_once(rows)
        if state.rules != self.rules:
            raise ValueError(f"the state is of other rules: {state.rules} instead of {self.rules}")
        if isinstance(state.states, StructTensor) != isinstance(self.states, StructTensor):
            raise ValueError("the state is of a batch on another device")
        if state.states.dtype != STATE or len(state.states) != len(which):
            raise ValueError(
                f"the number of deals in the state must be {len(which)}, one per row, got {len(state.states)}"
            )
        check_states(self.rules, state.states.to_numpy() if isinstance(state.states, StructTensor) else state.states)
        if self.log is not None:
            if state.actions is None or state.counts is None:
                raise ValueError("the state has no history: get it from a batch made with history=True")
            longest = self.log.actions.shape[1]
            counts = self.backend.integers("counts of actions", state.counts, 0, longest, tuple(which.shape))
            self.log.actions[which] = self.backend.array(state.actions)
            self.log.counts[which] = counts
        self.states[which] = state.states
        self.forget_ids(which)
        self.finish_endgames(which)

    def step(self, actions: npt.ArrayLike, rows: npt.ArrayLike | None = None) -> None:
        """Play one action for the seat to act in every deal, or in some; finished deals ignore theirs.

        Args:
            actions: one action per deal, int[size] (int[k] with ``rows``).
            rows: the deals to step, int[k], no row twice; all by default.

        Raises:
            ValueError: if an action is illegal or not a whole number, or the shape is wrong. No deal has moved then.
        """
        which = self._rows_once(rows)
        given = self.backend.integers("actions", actions, None, None, tuple(which.shape))
        chosen = self.decoded(which, given) if self.canonical else given
        illegal = self.backend.empty(len(which), np.bool_)
        self.backend.launch(write_is_illegal, len(which), self.states, which, chosen, illegal)
        if bool(illegal.any()):
            first = int(self.backend.flatnonzero(illegal)[0])
            row = int(which[first])
            mask = self.action_mask(rows=[row])[0]
            legal = sum(1 << action for action in self.backend.flatnonzero(mask).tolist())
            raise illegal_row_error(self.rules, row, int(given[first]), int(self.turn[row]), legal)
        if self.log is not None:
            self.log.add(which, chosen, self.done[which])
        self.play(which, chosen)

    def _rows(self, rows: Numbers | None) -> Any:
        return self.every_row if rows is None else self.backend.integers("rows", rows, 0, self.size - 1)

    def _rows_once(self, rows: Numbers | None) -> Any:
        """Return rows to write into.

        Raises:
            ValueError: if a row is out of range or, on the host, given twice.
        """
        which = self._rows(rows)
        if rows is not None and self.device is None and len(which) > 1:
            counts = np.bincount(which, minlength=1)
            if counts.max() > 1:
                raise ValueError(f"rows must differ, got {int(counts.argmax())} {int(counts.max())} times")
        return which

    @property
    def turn(self) -> ArrayT:
        """The seat to act in each deal, int8[size]; in deals that were played out, the winner of the last trick.

        It shares the states' memory.
        """
        turn: ArrayT = self.states["turn"]
        return turn

    @property
    def done(self) -> ArrayT:
        """Whether each deal is finished, bool[size]. It shares the states' memory: copy it to keep it."""
        done: ArrayT = self.states["done"]
        return done

    def legal(self) -> ArrayT:
        """Return the legal actions of the seats to act, uint64[size] masks (int64 on a device); 0 in finished deals."""
        masks: ArrayT = self.backend.masks(self._legal())
        return masks

    def _legal(self) -> Any:
        out = self.backend.empty(self.size, np.uint64)
        self.backend.launch(write_legal, self.size, self.states, out)
        return out

    def action_mask(self, out: Array | None = None, rows: Numbers | None = None) -> ArrayT:
        """Return the action masks of the seats to act, int8[size, num_actions], 1 for legal actions.

        Args:
            out: an array to write into and return; a new one by default.
            rows: the deals, int[k]; all by default. With it, ``size`` here is k.

        Raises:
            ValueError: if ``out`` has another shape, or a row is out of range.
        """
        which = self._rows(rows)
        masks = self._out((len(which), self.num_actions), out)
        if self.canonical or rows is not None:
            self.backend.launch(write_view_masks, len(which), self._shown_views(rows), masks)
        else:
            self.backend.launch(write_masks, self.size, self._legal(), masks)
        return masks

    def views(self, rows: Numbers | None = None, seats: Numbers | None = None) -> np.ndarray[Any, Any]:
        """Return each deal's view of a seat, as agents receive it.

        Args:
            rows: the deals, int[k]; all by default.
            seats: the seat whose view to return for each deal, int[k]; the seat to act by default.

        Returns:
            A ``VIEW`` array of shape (k,), or ``StructTensor`` of ``VIEW`` on a device.

        Raises:
            ValueError: if a row is out of range, a seat is not 0 or 1, or the shapes differ.
        """
        which = self._rows(rows)
        views: Any = self.seen(which, self._seats(which, seats))
        found: np.ndarray[Any, Any] = views
        return found

    def decisions(self, rows: Numbers | None = None, rng: RandomNumbers | MakeRng | None = None) -> Decisions[ArrayT]:
        """Return the decisions of the seats to act, to be passed to an agent.

        In a canonical batch they are canonical, as the actions of :meth:`step` are.

        Example:
            >>> decisions = batch.decisions()
            >>> batch.step(agent.act(decisions), decisions.rows)

        Args:
            rows: the deals, int[k], of which finished ones are left out; all unfinished ones by default.
            rng: source of randomness for agents that draw random numbers: a ``numpy.random.Generator``, or a function
                that returns one for the rows of the decisions, int64[n].

        Raises:
            ValueError: if a row is out of range.
        """
        which = self._rows(rows)
        which = which[~self.done[which]]
        make = rng if rng is None or callable(rng) else lambda _: rng
        found = self.decisions_in(which, make)
        return found.canonical() if self.canonical else found

    def _seats(self, rows: Any, seats: Numbers | None) -> Any:
        """Return a seat for each of some rows, int64[k]; ``None`` stands for the seat to act."""
        if seats is None:
            return None
        return self.backend.integers("seats", seats, 0, 1, tuple(rows.shape))

    def _shown_views(self, rows: Numbers | None, seats: Numbers | None = None) -> np.ndarray[Any, Any]:
        """Return the views that observations are written from: :meth:`views`, or their canonical forms."""
        views = self.views(rows, seats)
        return canonical_views(views)[0] if self.canonical else views

    def observe(self, out: Array | None = None, seats: Numbers | None = None, rows: Numbers | None = None) -> ArrayT:
        """Return observation vectors, int8[size, n_obs], laid out as ``observation_layout`` describes.

        Args:
            out: an array to write into and return; a new one by default.
            seats: the seat whose observation to return for each deal, int[size]; the seat to act by default.
            rows: the deals, int[k]; all by default. With it, ``size`` here is k.

        Raises:
            ValueError: if ``out`` or ``seats`` has another shape, a seat is not 0 or 1, or a row is out of range.
        """
        which = self._rows(rows)
        seen = self._out((len(which), self.num_observations), out)
        if rows is None and seats is None and not self.canonical:
            self.backend.launch(observe_seats_to_act, self.size, self.rules.record, self.states, seen)
        else:
            self.backend.launch(write_observations, len(which), self.rules.record, self._shown_views(rows, seats), seen)
        return seen

    def _out(self, shape: tuple[int, ...], out: Any) -> ArrayT:
        """Return the array to write into, int8 of this shape: ``out``, or a new one."""
        if out is None:
            made: ArrayT = self.backend.empty(shape, np.int8)
            return made
        if tuple(out.shape) != shape:
            raise ValueError(f"out must have shape {shape}, got {tuple(out.shape)}")
        if self.device is not None and (str(out.dtype) != "torch.int8" or out.device != self.device):
            raise ValueError(f"out must be an int8 tensor on {self.device}, got {out.dtype} on {out.device}")
        given: ArrayT = out
        return given

    def history(
        self, out: Array | None = None, seats: Numbers | None = None, rows: Numbers | None = None
    ) -> tuple[ArrayT, ArrayT]:
        """Return event histories, one row per event, as a seat saw them.

        The columns are event, who, card and trick; the documentation's page on observations lists their values. In a
        canonical batch the whole history is relabeled as the seat's present view is, so it is not the last decision's
        with events added.

        Args:
            out: an array to write the tokens into and return; a new one by default.
            seats: the seat whose history to return for each deal, int[size]; the seat to act by default.
            rows: the deals, int[k]; all by default. With it, ``size`` here is k.

        Returns:
            Tokens int8[size, max_events, 4], and the number of events of each deal, int16[size].

        Raises:
            ValueError: if the batch was made without ``history=True``, a shape is wrong, or a seat or a row is out of
                range.
        """
        if self.log is None:
            raise ValueError("history is not kept: make the batch with DealBatch(..., history=True)")
        which = self._rows(rows)
        tokens = self._out((len(which), *self.log.shape[1:]), out)
        of = self._seats(which, seats)
        lengths: Any
        _, lengths = self.log.histories(self.states, which, self.seats_to_act(which) if of is None else of, tokens)
        if self.canonical:
            relabeling = canonical_views(self.views(rows, seats))[1]
            self.backend.launch(relabel_histories, len(which), relabeling, lengths, tokens)
        return tokens, lengths

    def returns(self, reward: Reward | Score = "margin") -> ArrayT:
        """Return both seats' returns, float32[size, 2]: zero-sum, and zeros in unfinished deals.

        Args:
            reward: ``"margin"`` (counted tricks, own minus the opponent's; negated in a low game), ``"win"`` (+1, 0,
                −1) or ``"points"`` (the rules' own scoring; the loser gets the negative). Or a function of this batch
                that returns both seats' returns, float[size, 2]; those of unfinished deals have no meaning then.

        Raises:
            ValueError: if there is no such reward, or the function's array has another shape.
        """
        out: ArrayT = self.backend.empty((self.size, 2), np.float32)
        if callable(reward):
            found: Any = reward(self)
            if np.shape(found) != (self.size, 2):
                raise ValueError(f"{reward} must return float[{self.size}, 2], got shape {np.shape(found)}")
            out[:] = found
            return out
        self.backend.launch(write_returns, self.size, self.rules.record, self.states, check_reward(reward), out)
        return out

    def margins(self) -> ArrayT:
        """Return both seats' margins so far, float32[size, 2]: ``returns("margin")`` if every deal ended here.

        Their change from one decision to the next is a dense reward that adds up to the final margin.
        """
        out: ArrayT = self.backend.empty((self.size, 2), np.float32)
        self.backend.launch(write_margins, self.size, self.rules.record, self.states, out)
        return out
