"""Batches of endgames: checked, grouped by the tablebase that they need, and searched or looked up."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from german_whist.game.cards import card_text
from german_whist.game.utils.backend import HOST, Backend, StructTensor, backend_holding
from german_whist.solver.lookup_kernels import write_hands, write_is_invalid, write_known_tricks
from german_whist.solver.tablebase.cache import open_complete_tablebase, open_tablebase
from german_whist.solver.tablebase.position_kernels import MAX_CARDS
from german_whist.solver.tablebase.tablebase_file import Tablebase

Transpositions = TypeVar("Transpositions")
# Leaders, followers, trumps, cards led, and the rows of these to solve.
Rows = tuple[Any, Any, Any, Any, Any]
Write = Callable[[Tablebase, Transpositions, Rows], None]

FULL_DECK_MASK = (1 << 52) - 1
_MIN_ROWS_PER_THREAD = 64


class EndgameBatch:
    """A batch of endgames, one per row, in arrays of a backend, to be searched on the host or looked up on a GPU.

    Attributes:
        backend: that of all arrays.
        leaders: hands of the leaders as card masks, uint64[n].
        followers: hands of the followers, uint64[n].
        trumps: trump suits, int8[n]; −1 for none.
        leds: cards led, int8[n]; −1 for none.
        lows: whether the fewest tricks win, bool[n].
    """

    def __init__(
        self, leaders: Any, followers: Any, trumps: Any, lows: Any, leds: Any, backend: Backend = HOST
    ) -> None:
        """Check the arguments of ``solve_endgames``.

        Raises:
            ValueError: if a row is not an endgame of 1 to 13 cards a hand; the message names the row.
        """
        own = backend.integers("leaders", leaders, 0, FULL_DECK_MASK)
        count = len(own)

        def column(name: str, given: Any, low: int, high: int) -> Any:
            values = backend.array(given)
            if not values.ndim:  # one for all
                values = backend.array(np.full(count, values.item()))
            return backend.integers(name, values, low, high, (count,))

        other = backend.integers("followers", followers, 0, FULL_DECK_MASK, (count,))
        self._set(
            backend,
            backend.bits(own),
            backend.bits(other),
            backend.as_type(column("trumps", trumps, -1, 3), np.int8),
            backend.as_type(column("lows", backend.array(lows) + 0, 0, 1), np.bool_),
            backend.as_type(column("leds", leds, -1, 51), np.int8),
        )
        wrong = backend.empty(count, np.bool_)
        backend.launch(write_is_invalid, count, self.leaders, self.followers, self.leds, wrong)
        if bool(wrong.any()):
            row = int(backend.flatnonzero(wrong)[0])
            where = f"row {row}: " if count > 1 else ""
            raise ValueError(where + endgame_fault(int(own[row]), int(other[row]), int(self.leds[row])))

    def _set(self, backend: Backend, leaders: Any, followers: Any, trumps: Any, lows: Any, leds: Any) -> None:
        self.backend, self.leaders, self.followers = backend, leaders, followers
        self.trumps, self.lows, self.leds = trumps, lows, leds

    @classmethod
    def in_states(cls, states: StructTensor) -> EndgameBatch:
        """Return the endgames that begin in the states of a device, records of ``STATE``, without checks."""
        backend, count = backend_holding(states), len(states)
        leaders, followers = backend.empty(count, np.uint64), backend.empty(count, np.uint64)
        trumps = backend.empty(count, np.int8)
        backend.launch(write_hands, count, states, leaders, followers, trumps)
        endgames = cls.__new__(cls)
        leds = backend.array(np.full(count, -1, np.int8))
        endgames._set(backend, leaders, followers, trumps, states["low"] == 1, leds)
        return endgames

    def look_up(self) -> Any:
        """Return how many tricks the leaders take in perfect play, int8[n], looked up in complete tables."""
        backend = self.backend
        tricks = backend.empty(len(self.leaders), np.int8)
        for trump, low, rows in _kinds(backend, self.trumps, self.lows):
            tablebase, hands = open_complete_tablebase(trump, low), (self.leaders, self.followers)
            backend.launch(write_known_tricks, len(rows), tablebase, *hands, self.trumps, self.leds, rows, tricks)
        return tricks

    def search(self, write: Write[Transpositions], new_transpositions: Callable[[], Transpositions]) -> None:
        """Solve every row by calls of ``write(tablebase, transpositions, (leaders, followers, trumps, leds, rows))``.

        Args:
            write: solves the rows and stores the results.
            new_transpositions: makes the empty transposition table of each call.
        """

        def solve(tablebase: Tablebase, rows: npt.NDArray[np.int64]) -> None:
            write(tablebase, new_transpositions(), (self.leaders, self.followers, self.trumps, self.leds, rows))

        search_in_parts(self.trumps, self.lows, solve)


def search_in_parts(
    trumps: npt.NDArray[np.int8], lows: npt.NDArray[np.bool_], solve: Callable[[Tablebase, npt.NDArray[np.int64]], None]
) -> None:
    """Solve endgames by calls of ``solve(tablebase, rows)``. Large groups are split among all cores of the host.

    Args:
        trumps: trump suits, int8[n]; −1 for none.
        lows: whether the fewest tricks win, bool[n].
        solve: solves some rows, int64[k], which share a tablebase, and stores the results.
    """
    for trump, low, rows in _kinds(HOST, trumps, lows):
        tablebase = open_tablebase(trump, low)
        parts = min(os.cpu_count() or 1, -(-len(rows) // _MIN_ROWS_PER_THREAD))
        if parts == 1:
            solve(tablebase, rows)
            continue
        with ThreadPoolExecutor(parts) as executor:
            list(executor.map(partial(solve, tablebase), np.array_split(rows, parts)))


def _kinds(backend: Backend, trumps: Any, lows: Any) -> Iterator[tuple[bool, bool, Any]]:
    """Yield each kind of endgame that there is, with trumps and played low or not, and its rows, int64[k]."""
    for trump in (True, False):
        for low in (False, True):
            rows = backend.flatnonzero(((trumps >= 0) == trump) & (lows == low))
            if len(rows):
                yield trump, low, rows


def endgame_fault(leader: int, follower: int, led: int) -> str:
    """Return why two hands, masks, and the card led (−1 for none) are not an endgame."""
    own = leader | (1 << led if led >= 0 else 0)
    both = own & follower
    if both:
        return f"{card_text(both.bit_length() - 1)} is in both hands"
    sizes = own.bit_count(), follower.bit_count()
    return f"both hands must have the same number of cards, 1 to {MAX_CARDS}, got {sizes[0]} and {sizes[1]}"
