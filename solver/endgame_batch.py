"""Batches of endgames: checked, grouped by the tablebase that they need, and split among the cores."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from german_whist.game.cards import card_text
from german_whist.solver.search.value_kernels import first_invalid
from german_whist.solver.tablebase.cache import open_tablebase
from german_whist.solver.tablebase.position_kernels import MAX_CARDS
from german_whist.solver.tablebase.tablebase_file import Tablebase

Masks = npt.NDArray[np.uint64]
Transpositions = TypeVar("Transpositions")
# Leaders, followers, trumps, cards led, and the rows of these to solve.
Rows = tuple[Masks, Masks, npt.NDArray[np.int8], npt.NDArray[np.int8], npt.NDArray[np.int64]]
Write = Callable[[Tablebase, Transpositions, Rows], None]

FULL_DECK_MASK = (1 << 52) - 1
_MIN_ROWS_PER_THREAD = 64


def _masks(given: npt.ArrayLike, name: str) -> Masks:
    masks = np.asarray(given)
    if masks.dtype.kind not in "iu" or masks.ndim != 1:
        raise ValueError(f"{name} must be card masks, uint64[n], got {masks.dtype}{masks.shape}")
    outside = (masks < 0) | (masks > FULL_DECK_MASK)
    if outside.any():
        raise ValueError(f"{name} must be masks of 52 cards, got {masks[outside][0]}")
    return masks.astype(np.uint64)


def _numbers(given: npt.ArrayLike, name: str, count: int, largest: int) -> npt.NDArray[np.int8]:
    numbers = np.asarray(given)
    if numbers.dtype.kind not in "iu" or numbers.shape not in ((), (count,)):
        raise ValueError(f"{name} must be int[{count}] or one for all, got {numbers.dtype}{numbers.shape}")
    outside = (numbers < -1) | (numbers > largest)
    if outside.any():
        raise ValueError(f"{name} must be integers from 0 to {largest}, or -1 for none, got {numbers[outside].flat[0]}")
    return np.broadcast_to(numbers, (count,)).astype(np.int8)


def _flags(given: npt.ArrayLike, count: int) -> npt.NDArray[np.bool_]:
    flags = np.asarray(given)
    if flags.shape not in ((), (count,)) or not np.isin(flags, (False, True)).all():
        raise ValueError(f"lows must be bool[{count}] or one for all, got {flags.dtype}{flags.shape}")
    return np.broadcast_to(flags, (count,)).astype(np.bool_)


class EndgameBatch:
    """A batch of endgames, one per row.

    Attributes:
        leaders: hands of the leaders as card masks, uint64[n].
        followers: hands of the followers, uint64[n].
        trumps: trump suits, int8[n]; −1 for none.
        leds: cards led, int8[n]; −1 for none.
        lows: whether the fewest tricks win, bool[n].
    """

    def __init__(
        self,
        leaders: npt.ArrayLike,
        followers: npt.ArrayLike,
        trumps: npt.ArrayLike,
        lows: npt.ArrayLike,
        leds: npt.ArrayLike,
    ) -> None:
        """Check the arguments of ``solve_endgames``.

        Raises:
            ValueError: if a row is not an endgame of 1 to 13 cards a hand; the message names the row.
        """
        self.leaders = _masks(leaders, "leaders")
        count = len(self.leaders)
        self.followers = _masks(followers, "followers")
        if len(self.followers) != count:
            raise ValueError(f"followers must be uint64[{count}], as many as leaders, got {len(self.followers)}")
        self.trumps = _numbers(trumps, "trumps", count, 3)
        self.leds = _numbers(leds, "leds", count, 51)
        self.lows = _flags(lows, count)
        row = int(first_invalid(self.leaders, self.followers, self.leds))
        if row >= 0:
            raise ValueError(_reason(self.leaders[row], self.followers[row], int(self.leds[row]), row, count))

    def solve(self, write: Write[Transpositions], new_transpositions: Callable[[], Transpositions]) -> None:
        """Solve every row by calls of ``write(tablebase, transpositions, (leaders, followers, trumps, leds, rows))``.

        The rows of one call share an tablebase. Large groups are split among all cores.

        Args:
            write: solves the rows and stores the results.
            new_transpositions: makes the empty transposition table of each call.
        """
        for trump in (True, False):
            for low in (False, True):
                rows = np.flatnonzero(((self.trumps >= 0) == trump) & (self.lows == low))
                if len(rows):
                    self._solve(write, new_transpositions, open_tablebase(trump, low), rows)

    def _solve(
        self,
        write: Write[Transpositions],
        new_transpositions: Callable[[], Transpositions],
        tablebase: Tablebase,
        rows: npt.NDArray[np.int64],
    ) -> None:
        def solve_part(part: npt.NDArray[np.int64]) -> None:
            write(tablebase, new_transpositions(), (self.leaders, self.followers, self.trumps, self.leds, part))

        parts = min(os.cpu_count() or 1, -(-len(rows) // _MIN_ROWS_PER_THREAD))
        if parts == 1:
            solve_part(rows)
            return
        with ThreadPoolExecutor(parts) as executor:
            list(executor.map(solve_part, np.array_split(rows, parts)))


def _reason(leader: int, follower: int, led: int, row: int, count: int) -> str:
    """Return why a row is not an endgame."""
    where = f"row {row}: " if count > 1 else ""
    own = int(leader) | (1 << led if led >= 0 else 0)
    both = own & int(follower)
    if both:
        return f"{where}{card_text(both.bit_length() - 1)} is in both hands"
    sizes = own.bit_count(), int(follower).bit_count()
    return f"{where}both hands must have the same number of cards, 1 to {MAX_CARDS}, got {sizes[0]} and {sizes[1]}"
