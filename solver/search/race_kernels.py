"""Endgames that stop as soon as a seat has taken enough tricks, solved for the margin.

What is played for is not only who gets there but also how many tricks the other has by then. A value is the leader's
margin counted in tricks still needed: when play stops, or the cards run out, with the leader ``p`` tricks from the goal
and the follower ``q``, it is ``q − p``. Where not both seats can reach their goals the tricks of plain play bound it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.utils.bit_kernels import highest, lowest
from german_whist.envs.utils.jit import kernel
from german_whist.solver.search.alpha_beta_kernels import (
    ABOVE_ALL,
    BELOW_ALL,
    MEMORY_BITS,
    NO_CARD,
    Memory,
    after_trick,
    masters,
    new_memory,
    replies_to,
    search,
    slot_of,
    takes,
)
from german_whist.solver.tables.position_kernels import leader_cards, run_starts, seats_swapped, sorted_suits

_ONE, _THREE = np.uint64(1), np.uint64(3)
_LOW_END, _HIGH_END = np.int64(-1), np.int64(14)


class RaceMemory(NamedTuple):
    """Bounds of positions and goals met before.

    Attributes:
        keys: uint64[2**14], the position with both goals.
        bounds: int8[2**14, 2], lower and upper bound.
        plain: the memory of plain play.
    """

    keys: npt.NDArray[np.uint64]
    bounds: npt.NDArray[np.int8]
    plain: Memory


def new_race_memory() -> RaceMemory:
    """Return an empty memory."""
    size = 1 << MEMORY_BITS
    return RaceMemory(np.zeros(size, np.uint64), np.zeros((size, 2), np.int8), new_memory())


@kernel
def _key(position, own, other):
    """Return a position with both goals, 0 to 14, in the two bits of each lane that words leave free."""
    mine, theirs = np.uint64(own), np.uint64(other)
    key = position | (mine & _THREE) << np.uint64(14) | (mine >> np.uint64(2)) << np.uint64(30)
    return key | (theirs & _THREE) << np.uint64(46) | (theirs >> np.uint64(2)) << np.uint64(62)


@kernel
def race_bounds(table, memory, position, cards, own, other):
    """Return bounds of a leader's value, with the tricks that each needs."""
    if own + other <= cards:
        return -own, other  # both could get there: what counts is who is first
    tricks = search(table, memory.plain, position, cards, NO_CARD, _LOW_END, _HIGH_END)
    if tricks >= own:  # plain play takes the leader to his goal, and leaves the follower at most the rest
        return other - (cards - tricks), other
    if cards - tricks >= other:
        return -own, tricks - own
    played_out = (other - (cards - tricks)) - (own - tricks)  # neither can be made to stop it
    return played_out, played_out


@kernel
def race_search(table, memory, position, cards, led, own, other, alpha, beta):
    """Return the value of a position for its leader, or a bound on it, as ``search`` does.

    Args:
        table: the plain table of high games.
        memory: bounds of races in this table's game.
        position: with its suits sorted when no card is led.
        cards: cards in each hand, the card led included.
        led: spot of the card led, or −1.
        own: tricks that the leader still needs.
        other: tricks that the follower still needs.
        alpha: values up to it are as good as any.
        beta: values from it on are as good as any.
    """
    if led >= 0:
        worst = ABOVE_ALL
        replies = replies_to(position, led)
        while replies and worst > alpha:
            reply = highest(replies)
            replies ^= _ONE << np.uint64(reply)
            left = after_trick(position, led, reply)
            limit = min(worst, beta)
            if takes(table, led, reply):
                left = sorted_suits(seats_swapped(left), table.trump)
                value = -race_search(table, memory, left, cards - 1, NO_CARD, other - 1, own, -limit, -alpha)
            else:
                left = sorted_suits(left, table.trump)
                value = race_search(table, memory, left, cards - 1, NO_CARD, own - 1, other, alpha, limit)
            worst = min(worst, value)
        return worst

    if own == 0 or other == 0 or cards == 0:
        return other - own
    # Out of reach is out of reach, however far: goals beyond the cards are brought near, to share the memory.
    shift = max(other - cards - 1, np.int64(0)) - max(own - cards - 1, np.int64(0))
    own, other = min(own, cards + 1), min(other, cards + 1)
    alpha, beta = alpha - shift, beta - shift
    key = _key(position, own, other)
    slot = slot_of(key)
    if memory.keys[slot] == key:
        floor, ceiling = np.int64(memory.bounds[slot, 0]), np.int64(memory.bounds[slot, 1])
    else:
        floor, ceiling = race_bounds(table, memory, position, cards, own, other)
    if floor >= beta or floor == ceiling:
        return floor + shift
    if ceiling <= alpha:
        return ceiling + shift
    alpha, beta = max(alpha, floor), min(beta, ceiling)
    best = BELOW_ALL
    leads = run_starts(leader_cards(position))
    sure = masters(position, leads)
    while leads and best < beta:
        lead = lowest(leads & sure if leads & sure else leads)
        leads ^= _ONE << np.uint64(lead)
        value = race_search(table, memory, position, cards, np.int64(lead), own, other, max(alpha, best), beta)
        best = max(best, value)
    if best <= alpha:
        ceiling = best
    elif best >= beta:
        floor = best
    else:
        floor = ceiling = best
    memory.keys[slot] = key
    memory.bounds[slot, 0], memory.bounds[slot, 1] = floor, ceiling
    return best + shift


@kernel
def race_value_of_reply(table, memory, position, cards, led, reply, own, other):
    """Return the value of a position for its leader once the follower has replied to the card led."""
    low_end, high_end = np.int64(-64), np.int64(64)
    left = after_trick(position, led, reply)
    if takes(table, led, reply):
        left = sorted_suits(seats_swapped(left), table.trump)
        return -race_search(table, memory, left, cards - 1, NO_CARD, other - 1, own, low_end, high_end)
    left = sorted_suits(left, table.trump)
    return race_search(table, memory, left, cards - 1, NO_CARD, own - 1, other, low_end, high_end)
