"""Many endgames at once: checked, shared out among the cores, and each brought to the table it needs."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.cards import card_text
from german_whist.solver.search.value_kernels import first_refused
from german_whist.solver.tables.cache import open_table
from german_whist.solver.tables.position_kernels import MAX_CARDS
from german_whist.solver.tables.table import Table

Masks = npt.NDArray[np.uint64]
Memory = TypeVar("Memory")
# Leaders, followers, trumps, cards led, and which rows of these are meant.
Rows = tuple[Masks, Masks, npt.NDArray[np.int8], npt.NDArray[np.int8], npt.NDArray[np.int64]]
Write = Callable[[Table, Memory, Rows], None]

DECK = (1 << 52) - 1
_ROWS_A_THREAD = 64  # fewer are not worth a thread


def _masks(given: npt.ArrayLike, name: str) -> Masks:
    masks = np.asarray(given)
    if masks.dtype.kind not in "iu" or masks.ndim != 1:
        raise ValueError(
            f"{name} have dtype {masks.dtype} and shape {masks.shape}: masks of cards, uint64[n], are needed"
        )
    if (masks < 0).any() or (masks > DECK).any():
        raise ValueError(f"{name}: {masks[(masks < 0) | (masks > DECK)][0]} is not a mask of 52 cards")
    return masks.astype(np.uint64)


def _numbers(given: npt.ArrayLike, name: str, count: int, largest: int) -> npt.NDArray[np.int8]:
    numbers = np.asarray(given)
    if numbers.dtype.kind not in "iu" or numbers.shape not in ((), (count,)):
        raise ValueError(f"{name} have dtype {numbers.dtype} and shape {numbers.shape}: int[{count}] or one for all")
    if ((numbers < -1) | (numbers > largest)).any():
        raise ValueError(f"{name}: a number is not allowed: from 0 to {largest}, or -1 for none")
    return np.broadcast_to(numbers, (count,)).astype(np.int8)


def _flags(given: npt.ArrayLike, count: int) -> npt.NDArray[np.bool_]:
    flags = np.asarray(given)
    if flags.shape not in ((), (count,)) or not np.isin(flags, (False, True)).all():
        raise ValueError(f"lows have dtype {flags.dtype} and shape {flags.shape}: bool[{count}] or one for all")
    return np.broadcast_to(flags, (count,)).astype(np.bool_)


class Endgames:
    """Endgames in rows.

    Raises:
        ValueError: when a row is no endgame; the message names it.
    """

    def __init__(
        self,
        leaders: npt.ArrayLike,
        followers: npt.ArrayLike,
        trumps: npt.ArrayLike,
        lows: npt.ArrayLike,
        leds: npt.ArrayLike,
    ) -> None:
        """Check the endgames; see ``solve_endgames``."""
        self.leaders = _masks(leaders, "leaders")
        count = len(self.leaders)
        self.followers = _masks(followers, "followers")
        if len(self.followers) != count:
            raise ValueError(f"{count} leaders and {len(self.followers)} followers are given: as many are needed")
        self.trumps = _numbers(trumps, "trumps", count, 3)
        self.leds = _numbers(leds, "leds", count, 51)
        self.lows = _flags(lows, count)
        row = int(first_refused(self.leaders, self.followers, self.leds))
        if row >= 0:
            raise ValueError(_reason(self.leaders[row], self.followers[row], int(self.leds[row]), row, count))

    def solve(self, write: Write[Memory], new_memory: Callable[[], Memory]) -> None:
        """Call ``write(table, memory, (leaders, followers, trumps, leds, rows))`` for parts that share a table.

        Large parts are split among all cores; each gets a memory of its own.
        """
        for trump in (True, False):
            for low in (False, True):
                rows = np.flatnonzero(((self.trumps >= 0) == trump) & (self.lows == low))
                if len(rows):
                    self._solve(write, new_memory, open_table(trump, low), rows)

    def _solve(
        self, write: Write[Memory], new_memory: Callable[[], Memory], table: Table, rows: npt.NDArray[np.int64]
    ) -> None:
        def solve_part(part: npt.NDArray[np.int64]) -> None:
            write(table, new_memory(), (self.leaders, self.followers, self.trumps, self.leds, part))

        parts = min(os.cpu_count() or 1, -(-len(rows) // _ROWS_A_THREAD))
        if parts == 1:
            solve_part(rows)
            return
        with ThreadPoolExecutor(parts) as executor:
            list(executor.map(solve_part, np.array_split(rows, parts)))


def _reason(leader: int, follower: int, led: int, row: int, count: int) -> str:
    """Return what is wrong with a row."""
    where = f"row {row}: " if count > 1 else ""
    own = int(leader) | (1 << led if led >= 0 else 0)
    both = own & int(follower)
    if both:
        return f"{where}{card_text(both.bit_length() - 1)} is in both hands"
    sizes = own.bit_count(), int(follower).bit_count()
    if sizes[0] != sizes[1]:
        return f"{where}the leader has {sizes[0]} cards and the follower {sizes[1]}: as many are needed"
    return f"{where}the hands have {sizes[0]} cards: from 1 to {MAX_CARDS} are allowed"
