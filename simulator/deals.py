"""Deals in the rows of arrays, stepped together by kernels without checks: what is under ``DealBatch``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic

import numpy as np
import numpy.typing as npt

from german_whist.game.rules import Rules
from german_whist.game.state import ENDGAME, STATE
from german_whist.game.utils.backend import Array, ArrayT, Backend, Records
from german_whist.simulator.batch_kernels import deal_rows, step_rows, write_begins_endgame
from german_whist.simulator.decisions import Decisions, Histories
from german_whist.simulator.endgame import EndgameHook
from german_whist.simulator.observation.action_log import ActionLog
from german_whist.simulator.observation.view_kernels import write_views
from german_whist.simulator.observation.views import VIEW

MakeRng = Callable[[Any], Any]
"""Returns the random numbers of some rows, int64[k], when an agent first draws from them."""


class GameId:
    """One deal as one seat plays it: an opaque key for an agent's own state."""

    __slots__ = ("__weakref__",)


class Deals(Generic[ArrayT]):
    """Deals in rows. Rows and actions are arrays of the backend, int64[k], legal and in range: kernels check nothing.

    Attributes:
        rules: the rules of every deal.
        size: number of rows.
        backend: where the arrays are.
        states: ``STATE`` array of shape (size,), the full states; ``StructTensor`` on a device.
        every_row: 0 … size − 1, int64[size].
        log: the actions of each deal; ``None`` if they are not kept.
        endgame_hook: the ``EndgameHook`` that finishes deals whose endgame begins; ``None`` if endgames are played.
        moves: grows whenever a deal moves; :class:`Decisions` made before are then over.
    """

    def __init__(
        self, rules: Rules, size: int, backend: Backend, *, history: bool, endgame_hook: EndgameHook | None
    ) -> None:
        """Make room for deals."""
        self.rules, self.size, self.backend = rules, size, backend
        self.states: Any = backend.zeros(size, STATE)
        self.every_row: ArrayT = backend.array(np.arange(size, dtype=np.int64))
        self.log = ActionLog(rules, size, backend) if history else None
        self.endgame_hook = endgame_hook
        self.moves = 0
        self._cards = np.array(rules.cards, np.int8)
        self._seats_to_act: Any = backend.array(np.full(size, -1))
        self._game_ids: npt.NDArray[np.object_] | None = None  # [size, 2], once an agent has asked for them

    def deal(self, rows: Array, indices: Array, seeds: Array, dealers: Array) -> None:
        """Deal into rows, int64[k]; a dealer of −1, int[k], stands for the default: seat 1 deals odd indices."""
        seeds, indices = self.backend.bits(seeds), self.backend.bits(indices)
        self.backend.launch(
            deal_rows, len(rows), self.rules.record, self._cards, seeds, indices, dealers, rows, self.states
        )
        self.begin_games(rows)

    @property
    def keeps_games(self) -> bool:
        """Whether rows have actions or ids of games, which :meth:`begin_games` must forget."""
        return self.log is not None or self._game_ids is not None

    def begin_games(self, rows: Array) -> None:
        """Forget the games that were played in some rows."""
        self.forget_ids(rows)
        if self.log is not None:
            self.log.clear(rows)

    def forget_ids(self, rows: Array) -> None:
        """Forget the ids of games whose rows were set to other states, which counts as a move."""
        self.moves += 1
        if self._game_ids is not None:
            self._game_ids[self.backend.numpy(rows)] = None

    def play(self, rows: Array, actions: Array) -> None:
        """Play an action, int64[k], in each of some rows, int64[k]; without an endgame hook all stays on the device."""
        self.moves += 1
        self.backend.launch(step_rows, len(rows), self.rules.record, self.states, rows, actions)
        self.finish_endgames(rows)

    def finish_endgames(self, rows: Array) -> None:
        """Let the endgame hook, if any, finish those deals whose endgame begins; :meth:`play` does this itself."""
        if self.endgame_hook is None:
            return
        begins = self.backend.empty(len(rows), np.bool_)
        self.backend.launch(write_begins_endgame, len(rows), self.rules.record, self.states, rows, begins)
        begun = rows[begins]
        if len(begun):
            self.states["tricks"][begun, ENDGAME] = self.endgame_hook.finish(self.rules, self.states[begun])
            self.states["done"][begun] = True

    def seats_to_act(self, rows: Array) -> Any:
        """Return −1, the seat to act, for each of some rows, int64[k]; made once, but for more rows than deals."""
        known = self._seats_to_act[: len(rows)]
        return known if len(known) == len(rows) else self.backend.array(np.full(len(rows), -1))

    def seen(self, rows: Array, seats: Array | None = None) -> Records:
        """Return the view of a seat in each of k rows, ``VIEW`` records (k,); by default of the seat to act (−1)."""
        views: Records = self.backend.empty(len(rows), VIEW)
        seats = self.seats_to_act(rows) if seats is None else seats
        self.backend.launch(write_views, len(rows), self.rules.record, self.states, rows, seats, views)
        return views

    def decoded(self, rows: Array, actions: Array) -> ArrayT:
        """Return the true actions of canonical ones of the seats to act in some rows, int64[k]."""
        return self.decisions_in(rows, None).canonical().decode(actions)

    def decisions_in(
        self,
        rows: Array,
        rng: MakeRng | None,
        describe: Callable[[int], str] | None = None,
        *,
        has_deals: bool = False,
    ) -> Decisions[ArrayT]:
        """Return the decisions of the seats to act in some rows, whose deals are not over.

        Args:
            rows: the rows.
            rng: makes the random numbers; ``None`` if there are none.
            describe: tells the deal of one of these decisions in words, for errors.
            has_deals: whether the random numbers know the deals (``AgentRng``).
        """
        moves, log = self.moves, self.log

        def check() -> None:
            if moves != self.moves:
                raise RuntimeError("these decisions are over, as their deals have moved on: read what you need in act")

        def views() -> Any:
            check()
            return self.seen(rows)

        def numbers() -> Any:
            check()
            assert rng is not None  # else this function is not passed on
            return rng(rows)

        def histories() -> Histories:
            check()
            assert log is not None
            return log.histories(self.states, rows, self.seats_to_act(rows))

        def game_ids() -> npt.NDArray[np.object_]:
            check()
            return self._ids(self.backend.numpy(rows))

        return Decisions.made(
            self.rules,
            self.backend,
            len(rows),
            views,
            None if rng is None else numbers,
            None if log is None else histories,
            game_ids,
            rows,
            describe,
            has_deals,
        )

    def _ids(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.object_]:
        """Return the :class:`GameId` of the seat to act in each of some rows, object[k]. Every deal gets new ones."""
        if self._game_ids is None:
            self._game_ids = np.empty((self.size, 2), object)
        seats = self.backend.numpy(self.states["turn"])[rows]
        for row, seat in zip(rows.tolist(), seats.tolist(), strict=True):
            if self._game_ids[row, seat] is None:
                self._game_ids[row, seat] = GameId()
        ids: npt.NDArray[np.object_] = self._game_ids[rows, seats]
        return ids
