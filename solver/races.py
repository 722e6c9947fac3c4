"""What open endgames are worth in a game that stops as soon as a seat has taken enough tricks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from german_whist.envs.utils.bit_kernels import lowest
from german_whist.envs.utils.jit import kernel
from german_whist.solver.query_rows import Endgames, Rows
from german_whist.solver.search.race_kernels import RaceMemory, new_race_memory, race_search, race_value_of_reply
from german_whist.solver.search.value_kernels import legal_cards, packed
from german_whist.solver.tables.position_kernels import position_of, spot_of
from german_whist.solver.tables.table import Table

REFUSED = -128  # the margin of a card that is not legal
_FURTHEST = 26  # no deal has more tricks
_ONE = np.uint64(1)
_LOW_END, _HIGH_END = np.int64(-64), np.int64(64)


def solve_races(
    leaders: npt.ArrayLike,
    followers: npt.ArrayLike,
    trumps: npt.ArrayLike = -1,
    leds: npt.ArrayLike = -1,
    *,
    needs: npt.ArrayLike,
) -> npt.NDArray[np.int8]:
    """Return how many tricks both seats take until the deal stops, when both play perfectly for the margin.

    Args:
        leaders: as in ``solve_endgames``, like the next three.
        followers: masks of the followers' hands.
        trumps: trump suits.
        leds: the cards led.
        needs: tricks that the leader and the follower still need for the deal to stop, int[n, 2] or one pair for all.

    Returns:
        int8[n, 2], the leader's and the follower's tricks.

    Raises:
        ValueError: as ``solve_endgames``, or when a seat needs no trick or more than 26.
        TableError: when there is no table and none can be built.
    """
    endgames = Endgames(leaders, followers, trumps, False, leds)
    goals = _goals(needs, len(endgames.leaders))
    tricks = np.empty((len(endgames.leaders), 2), np.int8)

    def write(table: Table, memory: RaceMemory, rows: Rows) -> None:
        _write_tricks(table, memory, *rows, goals, tricks)

    endgames.solve(write, new_race_memory)
    return tricks


def race_move_values(
    leaders: npt.ArrayLike,
    followers: npt.ArrayLike,
    trumps: npt.ArrayLike = -1,
    leds: npt.ArrayLike = -1,
    *,
    needs: npt.ArrayLike,
) -> npt.NDArray[np.int8]:
    """Return for each legal card of the seat to act the margin of further tricks that it leads to, for that seat.

    Args:
        leaders: as in ``solve_races``, like all others.
        followers: masks of the followers' hands.
        trumps: trump suits.
        leds: the cards led.
        needs: tricks that the leader and the follower still need.

    Returns:
        int8[n, 52]; −128 for cards that are not legal.

    Raises:
        ValueError: as ``solve_races``.
        TableError: when there is no table and none can be built.
    """
    endgames = Endgames(leaders, followers, trumps, False, leds)
    goals = _goals(needs, len(endgames.leaders))
    margins = np.full((len(endgames.leaders), 52), REFUSED, np.int8)

    def write(table: Table, memory: RaceMemory, rows: Rows) -> None:
        _write_margins(table, memory, *rows, goals, margins)

    endgames.solve(write, new_race_memory)
    return margins


def _goals(needs: npt.ArrayLike, count: int) -> npt.NDArray[np.int64]:
    goals = np.asarray(needs)
    if goals.dtype.kind not in "iu" or goals.shape not in ((2,), (count, 2)):
        raise ValueError(f"needs have dtype {goals.dtype} and shape {goals.shape}: int[{count}, 2] or int[2] is needed")
    if ((goals < 1) | (goals > _FURTHEST)).any():
        raise ValueError(f"needs: a number is not allowed: from 1 to {_FURTHEST} tricks")
    return np.broadcast_to(goals, (count, 2)).astype(np.int64)


@kernel
def race_tricks(value, cards, own, other):
    """Return the tricks of leader and follower that a value stands for, with the tricks they needed before."""
    if own + other - cards - abs(value) >= 2:  # the cards run out first
        return own - (own + other - cards - value) // 2, other - (own + other - cards + value) // 2
    return (own, other - value) if value > 0 else (own + value, other)


@kernel
def _write_tricks(table, memory, leaders, followers, trumps, leds, rows, goals, tricks):
    for row in rows:
        position, cards, led = packed(table, leaders[row], followers[row], trumps[row], leds[row])
        own, other = goals[row, 0], goals[row, 1]
        value = race_search(table, memory, position, cards, led, own, other, _LOW_END, _HIGH_END)
        tricks[row, 0], tricks[row, 1] = race_tricks(value, cards, own, other)


@kernel
def _write_margins(table, memory, leaders, followers, trumps, leds, rows, goals, margins):
    for row in rows:
        leader, follower, trump, led_card = leaders[row], followers[row], np.int64(trumps[row]), np.int64(leds[row])
        own, other = goals[row, 0], goals[row, 1]
        _, cards, led = packed(table, leader, follower, trump, led_card)
        held = leader if led < 0 else leader | _ONE << np.uint64(led_card)
        position = position_of(held, follower, trump)
        legal = legal_cards(held, follower, led_card)
        while legal:
            card = lowest(legal)
            legal &= legal - _ONE
            spot = np.int64(spot_of(card, held | follower, trump))
            if led < 0:
                value = race_search(table, memory, position, cards, spot, own, other, _LOW_END, _HIGH_END)
                margins[row, card] = value - (other - own)
            else:
                value = race_value_of_reply(table, memory, position, cards, led, spot, own, other)
                margins[row, card] = (other - own) - value
