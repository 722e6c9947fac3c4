"""Exact values of endgames too large for the tablebase: alpha-beta search down to hands that the table holds.

Values are those of the tablebase: the leader's successful tricks, which are tricks taken or, in a low game, tricks
given away. The search is fail-soft alpha-beta (J. P. Fishburn, "Another optimization of alpha-beta search", 1983) with
a transposition table of bounds. The only shortcut of the game itself is that adjacent cards of one hand are equivalent.
"""

from __future__ import annotations

import numpy as np

from german_whist.game.utils.bit_kernels import highest, lowest
from german_whist.game.utils.jit import kernel
from german_whist.solver.tablebase.position_kernels import (
    MAX_CARDS,
    follower_cards,
    leader_cards,
    run_starts,
    seats_swapped,
    sorted_suits,
    without,
)
from german_whist.solver.tablebase.ranking_kernels import lookup

_ONE = np.uint64(1)
_WORD = np.uint64(0xFFFF)
_MIX = np.uint64(0x9E37_79B9_7F4A_7C15)  # spreads positions over the slots: Fibonacci hashing
# numba caches a recursive kernel only if it calls itself with exactly the types that it was called with (numba issue
# 6061), so every number passed on must be an int64, not a literal.
NO_CARD = np.int64(-1)
BELOW_ALL, ABOVE_ALL = np.int64(-99), np.int64(99)
WINDOW_LOW, WINDOW_HIGH = np.int64(-1), np.int64(MAX_CARDS + 1)  # the window that holds every value


@kernel
def slot_of(key, keys):
    """Return the slot of a key among the keys of a transposition table, whose number is a power of two from 2 on."""
    # The upper bits of the product depend on all bits of the key.
    return np.int64((key * _MIX) >> np.uint64(64 - highest(np.uint64(keys.shape[0]))))


@kernel
def master_cards(position, leads):
    """Return the highest card, among ``leads``, of each suit in which the leader holds the highest card in play."""
    own, other = leader_cards(position), follower_cards(position)
    cards = np.uint64(0)
    for lane in range(0, 64, 16):
        suit = _WORD << np.uint64(lane)
        if own & suit > other & suit:  # the larger number has the highest bit, and so the highest card
            cards |= _ONE << np.uint64(highest(leads & suit))
    return cards


@kernel
def legal_replies(position, led):
    """Return the cards that the follower may play to a card led, the lowest of each run."""
    cards = follower_cards(position)
    # A bit index is 16 times the lane plus the place: ``& 48`` is where the lane begins.
    following = cards & (_WORD << np.uint64(led & 48))
    return run_starts(following if following else cards)


@kernel
def follower_wins(tablebase, led, reply):
    """Return whether the follower wins the trick; ``led`` and ``reply`` are bit indices."""
    # An exclusive or below 16 means the same lane, a reply below 16 means lane 0, the trump suit.
    return reply > led if (led ^ reply) < 16 else tablebase.trump and reply < 16


@kernel
def without_trick(position, led, reply):
    """Return the position without the two cards of a trick, with seats and suits as they were."""
    # The higher card first: removing a card moves down only the cards above it.
    return without(without(position, max(led, reply)), min(led, reply))


@kernel
def next_position(tablebase, position, led, reply, taken):
    """Return the position after a trick, with its suits sorted and the winner as the leader.

    Args:
        tablebase: ``Tablebase`` of the game.
        position: the position before the trick.
        led: bit index of the card led.
        reply: bit index of the follower's card.
        taken: whether the follower wins the trick.
    """
    left = without_trick(position, led, reply)
    return sorted_suits(seats_swapped(left) if taken else left, tablebase.trump)


@kernel
def tightened_bounds(best, alpha, beta, lower, upper):
    """Return the lower and upper bound of a position whose search in the window (alpha, beta) returned ``best``."""
    if best <= alpha:
        return lower, best
    if best >= beta:
        return best, upper
    return best, best


@kernel
def alpha_beta(tablebase, transpositions, position, cards, led, alpha, beta):
    """Return the value of a position for its leader, or a bound on it.

    One function serves both seats, because a kernel may call itself but not another kernel that calls it: with a card
    led the follower minimises, otherwise the leader maximises.

    Args:
        tablebase: ``Tablebase``; the search ends at hands that it holds.
        transpositions: ``TranspositionTable`` of the same kind of game.
        position: the position, with its suits sorted if no card is led.
        cards: cards in each hand, the card led included.
        led: bit index of the card led, or −1.
        alpha: lower end of the window: a result up to alpha is an upper bound.
        beta: upper end of the window: a result from beta on is a lower bound.
    """
    if led >= 0:
        worst = ABOVE_ALL
        gain = np.int64(0 if tablebase.low else 1)  # the leader's gain if it takes this trick
        # If the follower takes it, the leader gets this minus the follower's value of what is left: all successes of
        # both seats add up to ``cards``.
        rest = cards - gain
        replies = legal_replies(position, led)
        while replies and worst > alpha:
            reply = highest(replies)
            replies ^= _ONE << np.uint64(reply)
            taken = follower_wins(tablebase, led, reply)
            if cards - 1 <= tablebase.cards:
                # The table has an index for swapped seats, so the position itself need not be swapped.
                left = sorted_suits(without_trick(position, led, reply), tablebase.trump)
                value = lookup(tablebase, left, cards - 1, taken)
                worst = min(worst, rest - value if taken else gain + value)
                continue
            left = next_position(tablebase, position, led, reply, taken)
            if taken:
                value = rest - alpha_beta(
                    tablebase, transpositions, left, cards - 1, NO_CARD, rest - min(worst, beta), rest - alpha
                )
            else:
                value = gain + alpha_beta(
                    tablebase, transpositions, left, cards - 1, NO_CARD, alpha - gain, min(worst, beta) - gain
                )
            worst = min(worst, value)
        return worst

    if cards <= tablebase.cards:
        return lookup(tablebase, position, cards, False)
    lower, upper = np.int64(0), cards
    slot = slot_of(position, transpositions.keys)
    # An empty slot has key 0, which is no position: the word of an empty suit is 1.
    if transpositions.keys[slot] == position:
        lower, upper = np.int64(transpositions.bounds[slot]) & 15, np.int64(transpositions.bounds[slot]) >> 4
    if lower >= beta or lower == upper:
        return lower
    if upper <= alpha:
        return upper
    alpha, beta = max(alpha, lower), min(beta, upper)
    best = BELOW_ALL
    leads = run_starts(leader_cards(position))
    masters = master_cards(position, leads)
    while leads and best < beta:
        # Likely winners first: good first moves make more cut-offs. The order does not change the value.
        lead = lowest(leads & masters if leads & masters else leads)
        leads ^= _ONE << np.uint64(lead)
        value = alpha_beta(tablebase, transpositions, position, cards, np.int64(lead), max(alpha, best), beta)
        best = max(best, value)
    lower, upper = tightened_bounds(best, alpha, beta, lower, upper)
    transpositions.keys[slot] = position
    transpositions.bounds[slot] = lower | upper << 4
    return best
