"""Exact values above a table: alpha-beta with a memory, down to the hands that the table knows.

Values are those of the table: the number of tricks that the leader makes his, those he takes or, in a low game, those
he gives away. Alpha-beta in its fail-soft form (J. P. Fishburn, "Another optimization of alpha-beta search", 1983) with
a memory of bounds. Of good play nothing is assumed but that adjacent cards of one hand are worth the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.utils.bit_kernels import highest, lowest
from german_whist.envs.utils.jit import kernel
from german_whist.solver.tables.position_kernels import (
    follower_cards,
    leader_cards,
    run_starts,
    seats_swapped,
    sorted_suits,
    without,
)
from german_whist.solver.tables.table import lookup

_ONE = np.uint64(1)
_WORD = np.uint64(0xFFFF)
_MIX = np.uint64(0x9E37_79B9_7F4A_7C15)  # spreads positions over the memory: Fibonacci hashing
MEMORY_BITS = 14
# A recursive kernel can be cached only when it calls itself with exactly the types that it was called with (numba
# issue 6061): whatever is passed on must be int64, not a literal.
NO_CARD = np.int64(-1)
BELOW_ALL, ABOVE_ALL = np.int64(-99), np.int64(99)


class Memory(NamedTuple):
    """Bounds of positions met before, in one table's game; a new position takes the place of an old one.

    Attributes:
        keys: uint64[2**14], the position.
        bounds: uint8[2**14], its lower bound and, 4 bits up, its upper bound.
        visits: int64[2], positions searched and values looked up so far.
    """

    keys: npt.NDArray[np.uint64]
    bounds: npt.NDArray[np.uint8]
    visits: npt.NDArray[np.int64]


def new_memory() -> Memory:
    """Return an empty memory."""
    size = 1 << MEMORY_BITS
    return Memory(np.zeros(size, np.uint64), np.zeros(size, np.uint8), np.zeros(2, np.int64))


@kernel
def slot_of(key):
    """Return where in a memory a key belongs."""
    return np.int64((key * _MIX) >> np.uint64(64 - MEMORY_BITS))


@kernel
def masters(position, leads):
    """Return those of the leader's cards that no card of the same suit beats, one a suit."""
    own, other = leader_cards(position), follower_cards(position)
    cards = np.uint64(0)
    for lane in range(0, 64, 16):
        suit = _WORD << np.uint64(lane)
        if own & suit > other & suit:
            cards |= _ONE << np.uint64(highest(leads & suit))
    return cards


@kernel
def replies_to(position, led):
    """Return the cards that the follower may play to a card led, one of each run."""
    cards = follower_cards(position)
    following = cards & (_WORD << np.uint64(led & 48))
    return run_starts(following if following else cards)


@kernel
def takes(table, led, reply):
    """Return whether the follower takes the trick."""
    return reply > led if (led ^ reply) < 16 else table.trump and reply < 16


@kernel
def after_trick(position, led, reply):
    """Return the position after a trick, seats as they were."""
    return without(without(position, max(led, reply)), min(led, reply))


@kernel
def search(table, memory, position, cards, led, alpha, beta):
    """Return the value of a position, or a bound on it.

    One function for both seats, because a kernel may call itself but not another that calls it.

    Args:
        table: the table below.
        memory: bounds of this table's game.
        position: with its suits sorted when no card is led.
        cards: cards in each hand, the card led included.
        led: spot of the card led, or −1.
        alpha: values up to it are as good as any: what comes back is then an upper bound.
        beta: values from it on are as good as any: what comes back is then a lower bound.
    """
    if led >= 0:
        worst = ABOVE_ALL
        gain = np.int64(0 if table.low else 1)
        rest = cards - gain  # of the other tricks and this one, those that the follower may make his by taking this one
        replies = replies_to(position, led)
        while replies and worst > alpha:
            reply = highest(replies)
            replies ^= _ONE << np.uint64(reply)
            left = after_trick(position, led, reply)
            taken = takes(table, led, reply)
            if cards - 1 <= table.cards:
                memory.visits[1] += 1
                value = lookup(table, sorted_suits(left, table.trump), cards - 1, taken)
                worst = min(worst, rest - value if taken else gain + value)
            elif taken:
                left = sorted_suits(seats_swapped(left), table.trump)
                worst = min(
                    worst,
                    rest - search(table, memory, left, cards - 1, NO_CARD, rest - min(worst, beta), rest - alpha),
                )
            else:
                left = sorted_suits(left, table.trump)
                worst = min(
                    worst,
                    gain + search(table, memory, left, cards - 1, NO_CARD, alpha - gain, min(worst, beta) - gain),
                )
        return worst

    if cards <= table.cards:
        memory.visits[1] += 1
        return lookup(table, position, cards, False)
    memory.visits[0] += 1
    floor, ceiling = np.int64(0), cards
    slot = slot_of(position)
    if memory.keys[slot] == position:
        floor, ceiling = np.int64(memory.bounds[slot]) & 15, np.int64(memory.bounds[slot]) >> 4
    if floor >= beta or floor == ceiling:
        return floor
    if ceiling <= alpha:
        return ceiling
    alpha, beta = max(alpha, floor), min(beta, ceiling)
    best = BELOW_ALL
    leads = run_starts(leader_cards(position))
    sure = masters(position, leads)
    while leads and best < beta:
        lead = lowest(leads & sure if leads & sure else leads)
        leads ^= _ONE << np.uint64(lead)
        best = max(best, search(table, memory, position, cards, np.int64(lead), max(alpha, best), beta))
    if best <= alpha:
        ceiling = best
    elif best >= beta:
        floor = best
    else:
        floor = ceiling = best
    memory.keys[slot] = position
    memory.bounds[slot] = floor | ceiling << 4
    return best
