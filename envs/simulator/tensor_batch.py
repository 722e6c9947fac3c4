"""A batch of deals in tensors on a device: the methods of ``DealBatch`` with torch tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from german_whist.envs.engine.actions import illegal_row_error
from german_whist.envs.engine.cards import parse_decks
from german_whist.envs.engine.endgame_cutoff import write_begins_endgame
from german_whist.envs.engine.endgame_hook import PLAYED, EndgameHook, endgame_hook_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.engine.scoring import check_reward
from german_whist.envs.engine.state import ENDGAME, STATE
from german_whist.envs.observation.canonical import canonical_views_on, decode_actions_on
from german_whist.envs.observation.vector import observation_high
from german_whist.envs.observation.vector_kernels import write_masks, write_observations, write_view_masks
from german_whist.envs.observation.view_kernels import write_views
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch_kernels import (
    deal_decks,
    deal_rows,
    observe_seats_to_act,
    step_rows,
    write_is_refused,
    write_legal,
    write_margins,
    write_returns,
)
from german_whist.envs.simulator.state_check import check_states
from german_whist.envs.utils.checks import check_seed, whole_number
from german_whist.envs.utils.device import Device, Records
from german_whist.envs.utils.specs import integers, must_be

if TYPE_CHECKING:
    from torch import Tensor

_TRICKS: int = STATE.fields["tricks"][1]  # type: ignore[index] # offset in a record


class TensorBatchState(NamedTuple):
    """Deals saved by ``TensorBatch.get_state``.

    Attributes:
        rules: the rules of the deals.
        states: uint8[k, STATE.itemsize], the full states, hidden cards included.
    """

    rules: Rules
    states: Tensor


class TensorBatch:
    """A batch of deals in tensors on a device, stepped together: deals ``first … first + size - 1`` of a seed.

    ``DealBatch(…, device="cuda")`` makes it. The deals and states are those of a ``DealBatch`` of the same arguments,
    bit for bit. Arrays become tensors on the device, and card masks are int64. Only the answer whether all actions are
    legal is copied to the host. Histories are not kept.

    Example:
        >>> batch = german_whist.DealBatch("classic", size=65_536, seed=0, device="cuda")
        >>> while not batch.done.all():
        ...     observations, masks = batch.observe(), batch.action_mask()  # of the seats to act
        ...     batch.step(torch.multinomial(masks.float(), 1).squeeze(1))  # each plays a random legal card
        >>> batch.returns("margin").shape
        torch.Size([65536, 2])

    Attributes:
        rules: the rules of every deal.
        size: number of deals.
        seed: the seed of the deals.
        device: the ``torch.device``.
        states: the full states, ``Records`` of ``STATE``.
        num_actions: size of the action space.
        num_observations: length of an observation vector, n_obs.
        canonical: whether observations, masks and the actions of :meth:`step` are canonical.
    """

    def __init__(
        self,
        rules: str | Rules = "classic",
        size: int = 1,
        seed: int = 0,
        first: int = 0,
        *,
        endgame: str | EndgameHook = PLAYED,
        canonical: bool = False,
        device: Any = "cpu",
    ) -> None:
        """Deal the first deals; arguments and errors are those of ``DealBatch``.

        Raises:
            ValueError: as ``DealBatch``, or if there is no such device.
            ModuleNotFoundError: if torch or, for a GPU, numba-cuda is not installed.
        """
        self.size = whole_number("size", size, 1)
        self.rules = rules_named(rules)
        self.seed = check_seed(seed)
        self.num_actions = self.rules.num_actions
        self.num_observations = observation_high(self.rules).size
        self.endgame_hook = endgame_hook_of(endgame, self.rules)
        self.canonical = canonical
        self.on = Device(device)
        self.device = self.on.torch_device
        self.states = self.on.records(self.size, STATE)
        self._cards = np.array(self.rules.cards, np.int8)
        self._every_row = self._tensor(np.arange(self.size))
        self.reset(first)

    def _tensor(self, values: Any) -> Tensor:
        import torch

        return torch.as_tensor(values, device=self.device)

    def _integers(
        self, name: str, given: Any, low: int | None, high: int, shape: tuple[int, ...] | None = None
    ) -> Tensor:
        """Return whole numbers as int64[k] on the device, checked against a range unless ``low`` is ``None``.

        Kernels rely on it: they check no index.

        Raises:
            ValueError: if they are not whole numbers, have another shape, or one is out of range.
        """
        import torch

        values = self._tensor(given)
        if values.dtype == torch.bool or values.is_floating_point() or values.is_complex():
            raise ValueError(must_be(name, "integers", f"{values.dtype}"))
        if values.ndim != 1 or (shape is not None and tuple(values.shape) != shape):
            raise ValueError(f"{name} must have shape {shape or '(k,)'}, got {tuple(values.shape)}")
        values = values.to(torch.int64).contiguous()
        if low is not None:
            outside = (values < low) | (values > high)
            if bool(outside.any()):
                raise ValueError(must_be(name, integers(low, high), int(values[outside][0])))
        return values

    def _rows(self, rows: Any) -> Tensor:
        return self._every_row if rows is None else self._integers("rows", rows, 0, self.size - 1)

    def reset(self, first: int) -> None:
        """Deal ``first … first + size - 1`` of the same seed into the rows.

        Raises:
            ValueError: if an index is not from 0 to 2**64 - 1.
        """
        start = check_seed(first, "first deal")
        check_seed(start + self.size - 1, "last deal")
        self.deal_rows(self._every_row, np.uint64(start) + np.arange(self.size, dtype=np.uint64))

    def deal_rows(self, rows: Any, indices: Any, seeds: Any = None, dealers: Any = None) -> None:
        """Deal other deals into some rows.

        Args:
            rows: the rows to deal into, int[k].
            indices: index of the deal for each row, int64[k] or uint64[k]; a negative one stands for index + 2**64.
            seeds: seed of the deal for each row, in the same form; the batch's own by default.
            dealers: the seat that deals in each row, int[k]; by default seat 1 deals odd indices.

        Raises:
            ValueError: if a row or a dealer is out of range, or the shapes differ.
        """
        import torch

        which = self._rows(rows)
        shape = tuple(which.shape)
        deals = self._words("deal indices", indices, shape)
        own = np.full(shape, self.seed, np.uint64) if seeds is None else seeds
        seats = torch.full_like(which, -1) if dealers is None else self._integers("dealers", dealers, 0, 1, shape)
        keys = self._words("seeds", own, shape)
        self.on.run(deal_rows, len(which), self.rules.game, self._cards, keys, deals, seats, which, self.states)

    def _words(self, name: str, given: Any, shape: tuple[int, ...]) -> Tensor:
        """Return deal indices or seeds, uint64[k]."""
        import torch

        # torch does little with uint64, so the bits are checked and moved as int64.
        if isinstance(given, np.ndarray) and given.dtype == np.uint64:
            given = given.view(np.int64)
        elif isinstance(given, torch.Tensor) and given.dtype == torch.uint64:
            given = given.view(torch.int64)
        return self._integers(name, given, None, 0, shape).view(torch.uint64)

    def deal_decks(self, decks: Sequence[str | Sequence[int]], dealers: Any, rows: Any = None) -> None:
        """Deal given decks, one per row.

        Args:
            decks: one deck per row, as text (``"C2 SA …"``) or card numbers, in dealing order.
            dealers: the seat that deals in each row, int[size] (int[k] with ``rows``).
            rows: the rows to deal into, int[k]; all by default.

        Raises:
            ValueError: if a deck is not a permutation of this game's deck, or a dealer or a row is out of range.
        """
        which = self._rows(rows)
        orders, seats = parse_decks(self.rules.cards, len(which), decks, dealers)
        deck: int = STATE.fields["deck"][1]  # type: ignore[index]
        placed = self._tensor(np.array(orders, np.uint8))
        self.states.bytes[which, deck : deck + placed.shape[1]] = placed
        self.on.run(deal_decks, len(which), self.rules.game, which, self._tensor(seats), self.states)

    def get_state(self, rows: Any = None) -> TensorBatchState:
        """Return a copy of some deals.

        Args:
            rows: the deals, int[k], in any order, repeats allowed; all by default.

        Raises:
            ValueError: if a row is out of range.
        """
        return TensorBatchState(self.rules, self.states.bytes[self._rows(rows)])

    def set_state(self, state: TensorBatchState, rows: Any = None) -> None:
        """Put deals saved by :meth:`get_state` of this or another batch into some rows.

        Args:
            state: k deals.
            rows: where to put them, int[k], no row twice; all rows by default.

        Raises:
            ValueError: if the rules or the number of deals differ, a row is out of range, or a state is impossible.
                Nothing has changed then.
        """
        which = self._rows(rows)
        if state.rules != self.rules:
            raise ValueError(f"the state is of other rules: {state.rules} instead of {self.rules}")
        if state.states.shape != (len(which), STATE.itemsize):
            expected = f"{len(which)}, one per row"
            raise ValueError(must_be("the number of deals in the state", expected, len(state.states)))
        check_states(self.rules, np.ascontiguousarray(state.states.cpu()).view(STATE)[:, 0])
        self.states.bytes[which] = state.states.to(self.device)

    def step(self, actions: Any, rows: Any = None) -> None:
        """Play one action for the seat to act in every deal, or in some; finished deals ignore theirs.

        Args:
            actions: one action per deal, int[size] (int[k] with ``rows``).
            rows: the deals to step, int[k], no row twice; all by default.

        Raises:
            ValueError: if an action is illegal or not a whole number, or the shape is wrong. No deal has moved then.
        """
        import torch

        which = self._rows(rows)
        given = self._integers("actions", actions, None, 0, tuple(which.shape))
        chosen = self.decoded(given, which) if self.canonical else given
        refused = torch.empty(len(which), dtype=torch.bool, device=self.device)
        self.on.run(write_is_refused, len(which), self.states, which, chosen, refused)
        if bool(refused.any()):
            place = int(refused.nonzero()[0])
            row = int(which[place])
            legal = int(self.shown_views([row]).bytes.cpu().numpy().view(VIEW)["legal"][0, 0])
            raise illegal_row_error(self.rules, row, int(given[place]), int(self.turn[row]), legal)
        self.step_unchecked(which, chosen)

    def step_unchecked(self, rows: Tensor, actions: Tensor) -> None:
        """Step without checks: every action must be legal. Nothing is copied to the host."""
        self.on.run(step_rows, len(rows), self.rules.game, self.states, rows, actions)
        if self.endgame_hook is not None:
            self._finish_endgames(self.endgame_hook, rows)

    def _finish_endgames(self, hook: EndgameHook, rows: Tensor) -> None:
        import torch

        begins = torch.empty(len(rows), dtype=torch.bool, device=self.device)
        self.on.run(write_begins_endgame, len(rows), self.rules.game, self.states, rows, begins)
        begun = rows[begins]
        if len(begun):
            tricks = hook.finish_on(self.on, self.rules, Records(self.states.bytes[begun], STATE))
            first = _TRICKS + 2 * ENDGAME
            self.states.bytes[begun, first : first + 2] = tricks.view(torch.uint8)
            self.states.field("done")[begun] = True

    @property
    def turn(self) -> Tensor:
        """The seat to act in each deal, int8[size]; meaningless in finished deals. It shares the states' memory."""
        return self.states.field("turn")

    @property
    def done(self) -> Tensor:
        """Whether each deal is finished, bool[size]. It shares the states' memory: clone it to keep it."""
        return self.states.field("done")

    def legal(self) -> Tensor:
        """Return the legal actions of the seats to act as bit masks, int64[size]; 0 in finished deals."""
        import torch

        return self._legal().view(torch.int64)

    def _legal(self) -> Tensor:
        import torch

        out = torch.empty(self.size, dtype=torch.uint64, device=self.device)
        self.on.run(write_legal, self.size, self.states, out)
        return out

    def action_mask(self, out: Tensor | None = None) -> Tensor:
        """Return the action masks of the seats to act, int8[size, num_actions], 1 for legal actions.

        Args:
            out: a tensor to write into and return; a new one by default.

        Raises:
            ValueError: if ``out`` has another shape, type or device.
        """
        masks = self._out(self.num_actions, out)
        if self.canonical:
            self.on.run(write_view_masks, self.size, self.shown_views(), masks)
        else:
            self.on.run(write_masks, self.size, self._legal(), masks)
        return masks

    def views(self, rows: Any = None, seats: Any = None) -> Records:
        """Return what a seat knows of each deal, k ``Records`` of ``VIEW``.

        Args:
            rows: the deals, int[k]; all by default.
            seats: the seat whose view to return for each deal, int[k]; the seat to act by default.

        Raises:
            ValueError: if a row is out of range, a seat is not 0 or 1, or the shapes differ.
        """
        import torch

        which = self._rows(rows)
        whose = torch.full_like(which, -1) if seats is None else self._seats(seats, len(which))
        views = self.on.records(len(which), VIEW)
        self.on.run(write_views, len(which), self.rules.game, self.states, which, whose, views)
        return views

    def shown_views(self, rows: Any = None, seats: Any = None) -> Records:
        """Return the views that observations are written from: :meth:`views`, or their canonical forms."""
        views = self.views(rows, seats)
        return canonical_views_on(self.on, views)[0] if self.canonical else views

    def decoded(self, actions: Tensor, rows: Tensor) -> Tensor:
        """Translate canonical actions of the seats to act in some rows into true ones, int64[k]."""
        return decode_actions_on(self.on, actions, canonical_views_on(self.on, self.views(rows))[1])

    def _seats(self, seats: Any, count: int) -> Tensor:
        return self._integers("seats", seats, 0, 1, (count,))

    def observe(self, out: Tensor | None = None, seats: Any = None) -> Tensor:
        """Return observation vectors, int8[size, n_obs], laid out as ``observation_layout`` describes.

        Args:
            out: a tensor to write into and return; a new one by default.
            seats: the seat whose observation to return for each deal, int[size]; the seat to act by default.

        Raises:
            ValueError: if ``out`` or ``seats`` has another shape, or a seat is not 0 or 1.
        """
        seen = self._out(self.num_observations, out)
        if seats is None and not self.canonical:
            self.on.run(observe_seats_to_act, self.size, self.rules.game, self.states, seen)
        else:
            self.on.run(write_observations, self.size, self.rules.game, self.shown_views(seats=seats), seen)
        return seen

    def _out(self, width: int, out: Tensor | None) -> Tensor:
        """Return the tensor to write into, int8[size, width]: ``out``, or a new one."""
        import torch

        shape = (self.size, width)
        if out is None:
            return torch.empty(shape, dtype=torch.int8, device=self.device)
        if tuple(out.shape) != shape or out.dtype != torch.int8 or out.device != self.device:
            given = f"{out.dtype}{list(out.shape)} on {out.device}"
            raise ValueError(must_be("out", f"int8{list(shape)} on {self.device}", given))
        if not out.is_contiguous():
            raise ValueError("out must be contiguous")
        return out

    def returns(self, reward: str = "margin") -> Tensor:
        """Return both seats' returns, float32[size, 2]: zero-sum, and zeros in unfinished deals.

        Args:
            reward: ``"margin"``, ``"win"`` or ``"points"``, as in ``DealBatch.returns``.

        Raises:
            ValueError: if there is no such reward.
        """
        import torch

        out = torch.empty((self.size, 2), dtype=torch.float32, device=self.device)
        self.on.run(write_returns, self.size, self.rules.game, self.states, check_reward(reward), out)
        return out

    def margins(self) -> Tensor:
        """Return both seats' margins so far, float32[size, 2], as ``DealBatch.margins`` does."""
        import torch

        out = torch.empty((self.size, 2), dtype=torch.float32, device=self.device)
        self.on.run(write_margins, self.size, self.rules.game, self.states, out)
        return out
