"""Decisions: what agents are asked.

Matches, environments, training and the coach make :class:`Decisions` of their deals, and the agent reads what it needs:
views, observations, histories, random numbers. Nothing else is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Generic, TypeAlias

import numpy as np
import numpy.typing as npt

from german_whist.game.agent_rng import RandomNumbers
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.utils.backend import HOST, Array, ArrayT, Backend, Records, StructTensor, backend_holding
from german_whist.simulator.observation.canonical import canonical_views, decode_actions, decode_values
from german_whist.simulator.observation.history_kernels import relabel_histories
from german_whist.simulator.observation.vector import observation_high
from german_whist.simulator.observation.vector_kernels import write_observations, write_view_masks
from german_whist.simulator.observation.views import NAMED, check_view_array

Histories: TypeAlias = tuple[Array, Array]
"""Event histories as ``DealBatch.history`` returns them: tokens int8[n, events, 4], and their numbers, int16[n]."""

_NO_RNG = "this agent draws random numbers, and these decisions come without: pass rng="
_NO_HISTORIES = "histories are not kept here: this agent plays in matches, environments and at the table"
_NO_GAMES = "these positions are not part of games: an agent that keeps a state cannot be asked here"
_NO_DEALS = "shares of agents play whole deals, and these positions are not part of deals"


class Decisions(Generic[ArrayT]):
    """n decisions to be made, one a row, each by the seat to act in a deal.

    ``DealBatch.decisions`` makes them; this constructor takes views of any origin. Everything but the rules is computed
    when it is first read, and kept. Decisions of a batch must be read before its deals move on: what was not read until
    then raises ``RuntimeError``.

    Example:
        >>> batch = german_whist.DealBatch("classic", size=256)
        >>> decisions = batch.decisions(rng=numpy.random.default_rng(0))
        >>> batch.step(agent.act(decisions), decisions.rows)

    Attributes:
        rules: the rules of the deals.
        backend: NumPy's or torch's; ``backend.torch_device`` is ``None`` for NumPy arrays.
        rows: the rows of the batch, int64[n]; ``None`` for views of any origin.
        relabeling: in canonical form, int8[n, 108] as :func:`german_whist.canonical_views` returns it, else ``None``.
    """

    # What is read later is a function without arguments until then, and None where there is none.
    __slots__ = (
        "_action_masks",
        "_describe",
        "_game_ids",
        "_has_deals",
        "_histories",
        "_observations",
        "_rng",
        "_size",
        "_views",
        "backend",
        "relabeling",
        "rows",
        "rules",
    )

    def __init__(
        self,
        views: Records,
        rules: str | Rules = "classic",
        rng: RandomNumbers | None = None,
        histories: Histories | Callable[[], Histories] | None = None,
        game_ids: npt.NDArray[np.object_] | Callable[[], npt.NDArray[np.object_]] | None = None,
    ) -> None:
        """Take views, and optionally random numbers, histories and game ids.

        Args:
            views: ``VIEW`` array of shape (n,), each of a seat to act, or ``StructTensor`` on a device.
            rules: the rules of the deals.
            rng: source of randomness with ``random(size)`` and ``integers(low, high, size)``, such as a
                ``numpy.random.Generator``, for agents that draw random numbers.
            histories: event histories of these seats: tokens int8[n, events, 4] and their numbers, int16[n].
            game_ids: a key for each row, object[n]; see :attr:`game_ids`.

        Raises:
            ValueError: if ``views`` is not an array of views, or the rules are unknown.
        """
        if not isinstance(views, StructTensor):
            check_view_array(views)
            views = np.ascontiguousarray(views)
        self._fill(get_rules(rules), backend_holding(views), len(views), views, rng, histories, game_ids)

    def _fill(
        self,
        rules: Rules,
        backend: Backend,
        size: int,
        views: Any,
        rng: Any,
        histories: Any,
        game_ids: Any,
        rows: Any = None,
        describe: Callable[[int], str] | None = None,
        has_deals: bool = False,
        relabeling: Any = None,
    ) -> None:
        self.rules, self.backend, self._size = rules, backend, size
        self._views, self._rng, self._histories, self._game_ids = views, rng, histories, game_ids
        self.rows, self.relabeling = rows, relabeling
        self._describe, self._has_deals = describe, has_deals
        self._observations: Any = None
        self._action_masks: Any = None

    @classmethod
    def made(cls, *sources: Any, **more: Any) -> Decisions[ArrayT]:
        """Return decisions whose parts are made when they are read.

        Args:
            sources: the rules, the backend of all arrays, and the number of rows; then views, random numbers, histories
                and game ids, each as it is, as a function without arguments that makes it, or ``None``.
            more: ``rows`` and ``relabeling``; ``describe``, a function that tells the deal of a row in words, for
                errors; and ``has_deals``, whether the random numbers know the deals (``AgentRng``).
        """
        made = cls.__new__(cls)
        made._fill(*sources, **more)
        return made

    def __len__(self) -> int:
        return self._size

    __iter__ = None  # decisions are made together: there is no loop over rows

    def __array__(self, *_: Any, **__: Any) -> npt.NDArray[Any]:  # else NumPy asks for one row after the other
        raise TypeError("decisions are no array: read their observations, action_masks or views")

    def __getitem__(self, rows: Array | list[int] | slice) -> Decisions[ArrayT]:
        """Return the decisions of some rows, int64[k], bool[n] or a slice, for another agent.

        No random number is drawn twice, here or by the part.
        """
        return self._part(rows, 0)

    def split(self, rows: Array | list[int] | slice) -> Decisions[ArrayT]:
        """Return the decisions of some rows, for which :meth:`by_deal` draws other numbers than here."""
        return self._part(rows, 1)

    def _part(self, rows: Any, level: int) -> Decisions[ArrayT]:
        backend, whole = self.backend, self
        where = backend.array(np.arange(self._size))[rows]

        def rng() -> Any:
            numbers = whole.rng  # a NumPy generator has no rows: it is shared
            return numbers.rows(backend.numpy(where), level) if hasattr(numbers, "rows") else numbers

        def histories() -> Histories:
            tokens, lengths = whole.histories
            return tokens[where], lengths[where]

        return Decisions.made(
            self.rules,
            backend,
            len(where),
            views=lambda: whole.views[where],
            rng=rng,
            histories=None if self._histories is None else histories,
            game_ids=None if self._game_ids is None else lambda: whole.game_ids[backend.numpy(where)],
            rows=None if self.rows is None else self.rows[where],
            describe=lambda row: whole.describe(int(where[row])),
            has_deals=self._has_deals,
            relabeling=None if self.relabeling is None else self.relabeling[where],
        )

    @property
    def views(self) -> np.ndarray[Any, Any]:
        """What each seat knows, ``VIEW`` array of shape (n,); ``StructTensor`` on a device."""
        if callable(self._views):
            self._views = self._views()
        views: np.ndarray[Any, Any] = self._views
        return views

    @property
    def rng(self) -> RandomNumbers:
        """Random numbers, with one row per decision: ``random(size)`` and ``integers(low, high, size)``.

        As in ``numpy.random.Generator``, but the first dimension of ``size`` is n. An agent that draws from nothing
        else plays the same in any batch size.

        Raises:
            ValueError: if these decisions come without.
        """
        if self._rng is None:
            raise ValueError(_NO_RNG)
        if callable(self._rng):
            self._rng = self._rng()
        rng: RandomNumbers = self._rng
        return rng

    def by_deal(self) -> RandomNumbers:
        """Return random numbers as :attr:`rng`, which are the same at every decision of a deal.

        Raises:
            ValueError: if rows are not part of deals.
        """
        if not self._has_deals:
            raise ValueError(_NO_DEALS)
        rng: Any = self.rng  # an ``AgentRng``, as rows are part of deals
        numbers: RandomNumbers = rng.of_deal()
        return numbers

    @property
    def observations(self) -> ArrayT:
        """Observation vectors, int8[n, n_obs], laid out as ``observation_layout`` describes."""
        if self._observations is None:
            views, backend = self.views, self.backend
            self._observations = backend.empty((self._size, _num_observations(self.rules)), np.int8)
            backend.launch(write_observations, self._size, self.rules.record, views, self._observations)
        observations: ArrayT = self._observations
        return observations

    @property
    def action_masks(self) -> ArrayT:
        """Legal actions, bool[n, n_actions]."""
        if self._action_masks is None:
            views, backend = self.views, self.backend
            legal = backend.empty((self._size, self.rules.num_actions), np.int8)
            backend.launch(write_view_masks, self._size, views, legal)
            self._action_masks = backend.bools(legal)
        masks: ArrayT = self._action_masks
        return masks

    @property
    def has_histories(self) -> bool:
        """Whether :attr:`histories` are kept here."""
        return self._histories is not None

    @property
    def histories(self) -> Histories:
        """Event histories of the seats to act: tokens int8[n, events, 4], and the number of events, int16[n].

        Raises:
            ValueError: if none are kept here.
        """
        if self._histories is None:
            raise ValueError(_NO_HISTORIES)
        if callable(self._histories):
            self._histories = self._histories()
        found: Histories = self._histories
        return found

    @property
    def game_ids(self) -> npt.NDArray[np.object_]:
        """An opaque key for each row, object[n], the same at every decision of a seat in a game.

        With these keys an agent can store a state per game, such as that of a recurrent network. Callers drop a key
        with its game, so a ``weakref.WeakKeyDictionary`` forgets finished games. A new key can appear in the middle of
        a deal, for example when a person takes a card back; the histories tell what happened before.

        Raises:
            ValueError: if rows are not part of games.
        """
        if self._game_ids is None:
            raise ValueError(_NO_GAMES)
        if callable(self._game_ids):
            self._game_ids = self._game_ids()
        found: npt.NDArray[np.object_] = self._game_ids
        return found

    def canonical(self, ranks: str = NAMED) -> Decisions[ArrayT]:
        """Return the same decisions with suits relabeled, so that equivalent positions look the same.

        Their views, observations, masks and histories are those of :func:`german_whist.canonical_views`, which
        describes ``ranks``; :meth:`decode` translates actions back.
        """
        canonical, relabeling = canonical_views(self.views, ranks)
        whole, backend = self, self.backend

        def histories() -> Histories:
            tokens, lengths = whole.histories
            tokens = backend.copy(tokens)
            backend.launch(relabel_histories, len(tokens), relabeling, lengths, tokens)
            return tokens, lengths

        return Decisions.made(
            self.rules,
            backend,
            self._size,
            views=canonical,
            rng=lambda: whole.rng,
            histories=None if self._histories is None else histories,
            game_ids=None if self._game_ids is None else lambda: whole.game_ids,
            rows=self.rows,
            describe=self._describe,
            has_deals=self._has_deals,
            relabeling=relabeling,
        )

    def decode(self, actions: Array) -> ArrayT:
        """Translate actions in these decisions into true ones, int64[n]; in canonical form they differ."""
        found: Any = actions if self.relabeling is None else decode_actions(actions, self.relabeling)
        decoded: ArrayT = found
        return decoded

    def decode_values(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Reorder numbers by action in these decisions, [n, num_actions] on the host, by true action."""
        return values if self.relabeling is None else decode_values(values, self.relabeling)

    def on_host(self) -> Decisions[npt.NDArray[Any]]:
        """Return the same decisions in NumPy arrays."""
        if self.backend.torch_device is None:
            same: Any = self
            on_host: Decisions = same
            return on_host
        whole, backend = self, self.backend

        def views() -> Any:
            records: Any = whole.views
            return records.to_numpy()

        def histories() -> Histories:
            tokens, lengths = whole.histories
            return backend.numpy(tokens), backend.numpy(lengths)

        return Decisions[npt.NDArray[Any]].made(
            self.rules,
            HOST,
            self._size,
            views=views,
            rng=lambda: whole.rng,
            histories=None if self._histories is None else histories,
            game_ids=None if self._game_ids is None else lambda: whole.game_ids,
            rows=None if self.rows is None else backend.numpy(self.rows),
            describe=self._describe,
            has_deals=self._has_deals,
            relabeling=None if self.relabeling is None else backend.numpy(self.relabeling),
        )

    def describe(self, row: int) -> str:
        """Return the words that tell the deal of a row, for errors; empty if there are none."""
        return "" if self._describe is None else self._describe(row)


@cache
def _num_observations(rules: Rules) -> int:
    return observation_high(rules).size
