"""Exact values above a table: alpha-beta with a memory, down to the hands that the table knows.

Values are those of the table: the number of tricks that the leader makes his, those he takes or, in a low game, those
he gives away. Alpha-beta in its fail-soft form (Fishburn 1983), with a transposition memory of bounds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.bits import highest, lowest
from german_whist.envs.jit import kernel
from german_whist.solver.positions import (
    follower_cards,
    leader_cards,
    run_starts,
    seats_swapped,
    sorted_suits,
    with_word,
    without,
    word_of,
)
from german_whist.solver.ranking import Ranking, place_in_table, value_at

_ONE = np.uint64(1)
_NO_CARD = np.int64(-1)
_MIX = np.uint64(0x9E3779B97F4A7C15)


class Table(NamedTuple):
    ranking: Ranking
    values: npt.NDArray[np.uint8]
    cards: int
    trump: bool
    low: bool


class Memory(NamedTuple):
    keys: npt.NDArray[np.uint64]
    bounds: npt.NDArray[np.uint8]
    count: npt.NDArray[np.int64]


def new_memory(bits=14):
    return Memory(np.zeros(1 << bits, np.uint64), np.zeros(1 << bits, np.uint8), np.zeros(4, np.int64))


@kernel
def after_trick(position, lane, lead, other, reply):
    """Return the position after a trick, seats as they were."""
    word = word_of(position, lane)
    if lane == other:
        return with_word(position, lane, without(without(word, max(lead, reply)), min(lead, reply)))
    return with_word(with_word(position, lane, without(word, lead)), other, without(word_of(position, other), reply))


@kernel
def search(table, memory, position, cards, lane, lead, alpha, beta):
    """position sorted (leader's node, lane < 0) or any order (follower's node)."""
    if cards == 0:
        return 0
    if lane < 0:
        if cards <= table.cards:
            return value_at(table.values, place_in_table(table.ranking, position, cards, False))
        memory.count[0] += 1
        slot = np.int64((position * _MIX) >> np.uint64(50))
        floor, ceiling = 0, cards
        if memory.keys[slot] == position:
            bounds = np.int64(memory.bounds[slot])
            floor, ceiling = bounds & 15, bounds >> 4
            if floor >= beta or floor == ceiling:
                return floor
            if ceiling <= alpha:
                return ceiling
            alpha, beta = max(alpha, floor), min(beta, ceiling)
        best = -1
        start_alpha = alpha
        # masters first
        for turn in range(2):
            for suit in range(4):
                word = word_of(position, suit)
                own = leader_cards(word)
                leads = run_starts(own)
                if leads and own > follower_cards(word):
                    top = highest(leads)
                    master = _ONE << np.uint64(top)
                    leads = master if turn == 0 else leads ^ master
                elif turn == 0:
                    continue
                while leads:
                    card = lowest(leads)
                    leads &= leads - _ONE
                    value = search(table, memory, position, cards, suit, card, max(alpha, best), beta)
                    best = max(best, value)
                    if best >= beta:
                        break
                if best >= beta:
                    break
            if best >= beta:
                break
        if best <= start_alpha:
            ceiling = min(ceiling, best)
        elif best >= beta:
            floor = max(floor, best)
        else:
            floor = ceiling = best
        memory.keys[slot] = position
        memory.bounds[slot] = np.uint8(floor | ceiling << 4)
        return best
    # the follower's node
    best = 99
    gain = 0 if table.low else 1
    total = cards if table.low else cards - 1
    followed = follower_cards(word_of(position, lane))
    for suit in range(4):
        if followed and suit != lane:
            continue
        replies = run_starts(follower_cards(word_of(position, suit)))
        while replies:
            card = highest(replies)
            replies ^= _ONE << np.uint64(card)
            child = after_trick(position, lane, lead, suit, card)
            wins = card > lead if suit == lane else (table.trump and suit == 0)
            if wins:
                if cards - 1 <= table.cards:
                    memory.count[1] += 1
                    value = total - value_at(table.values, place_in_table(table.ranking, sorted_suits(child, table.trump), cards - 1, True))
                else:
                    value = total - search(table, memory, sorted_suits(seats_swapped(child), table.trump), cards - 1, _NO_CARD, _NO_CARD, total - min(beta, best), total - alpha)
            elif cards - 1 <= table.cards:
                memory.count[1] += 1
                value = gain + value_at(table.values, place_in_table(table.ranking, sorted_suits(child, table.trump), cards - 1, False))
            else:
                value = gain + search(table, memory, sorted_suits(child, table.trump), cards - 1, _NO_CARD, _NO_CARD, alpha - gain, min(beta, best) - gain)
            best = min(best, value)
            if best <= alpha:
                return best
    return best


@kernel
def run_full(table, memory, positions, out):
    for i in range(len(positions)):
        out[i] = search(table, memory, positions[i], np.int64(13), _NO_CARD, _NO_CARD, np.int64(-1), np.int64(14))

@kernel
def run_mtd(table, memory, positions, guesses, out):
    for i in range(len(positions)):
        lo, hi = 0, 13
        g = guesses[i]
        while lo < hi:
            beta = g + 1 if g == lo else g
            v = search(table, memory, positions[i], np.int64(13), _NO_CARD, _NO_CARD, np.int64(beta - 1), np.int64(beta))
            if v < beta:
                hi = v
            else:
                lo = v
            g = v
        out[i] = lo

@kernel
def run_win(table, memory, positions, out):
    for i in range(len(positions)):
        out[i] = search(table, memory, positions[i], np.int64(13), _NO_CARD, _NO_CARD, np.int64(6), np.int64(7)) >= 7
