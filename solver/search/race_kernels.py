"""Endgames of races, which stop when a seat has enough tricks, solved for the margin at that moment.

Both seats play for the margin of tricks, not just for winning the race. A value is the leader's margin, counted in
tricks still needed: if play stops, or the cards run out, when the leader needs ``p`` more tricks and the follower
``q``, the value is ``q − p``. If at most one seat can still reach its goal, the value of the same endgame played to its
last trick bounds it.
"""

from __future__ import annotations

import numpy as np

from german_whist.game.utils.bit_kernels import highest, lowest
from german_whist.game.utils.jit import kernel
from german_whist.solver.search.alpha_beta_kernels import (
    ABOVE_ALL,
    BELOW_ALL,
    NO_CARD,
    WINDOW_HIGH,
    WINDOW_LOW,
    alpha_beta,
    follower_wins,
    legal_replies,
    master_cards,
    next_position,
    slot_of,
    tightened_bounds,
)
from german_whist.solver.search.value_kernels import encode_position, legal_cards
from german_whist.solver.tablebase.position_kernels import bit_index_of, leader_cards, position_of, run_starts

_ONE, _THREE = np.uint64(1), np.uint64(3)
RACE_WINDOW_LOW, RACE_WINDOW_HIGH = np.int64(-64), np.int64(64)  # the window that holds every value of a race


@kernel
def _key(position, own, other):
    """Return a key of a position and the tricks that both seats need, 0 to 14.

    A word takes 14 of the 16 bits of its lane; each number of tricks is stored in the free bits of two lanes.
    """
    mine, theirs = np.uint64(own), np.uint64(other)
    key = position | (mine & _THREE) << np.uint64(14) | (mine >> np.uint64(2)) << np.uint64(30)
    return key | (theirs & _THREE) << np.uint64(46) | (theirs >> np.uint64(2)) << np.uint64(62)


@kernel
def _race_bounds(tablebase, transpositions, position, cards, own, other):
    """Return lower and upper bounds on the leader's value from the tricks that each seat needs."""
    if own + other <= cards:
        return -own, other  # both could reach their goals, so who is first decides, which the table does not know
    tricks = alpha_beta(tablebase, transpositions.plain, position, cards, NO_CARD, WINDOW_LOW, WINDOW_HIGH)
    if tricks >= own:  # played out, the leader reaches its goal, and the follower gets the rest at most
        return other - (cards - tricks), other
    if cards - tricks >= other:
        return -own, tricks - own
    played_out = (other - (cards - tricks)) - (own - tricks)  # neither seat can force the goal
    return played_out, played_out


@kernel
def race_alpha_beta(tablebase, transpositions, position, cards, led, own, other, alpha, beta):
    """Return the value of a position for its leader, or a bound on it, as ``alpha_beta`` does.

    Args:
        tablebase: ``Tablebase`` of high games.
        transpositions: ``RaceTranspositionTable`` of the same game.
        position: the position, with its suits sorted if no card is led.
        cards: cards in each hand, the card led included.
        led: bit index of the card led, or −1.
        own: tricks that the leader still needs.
        other: tricks that the follower still needs.
        alpha: lower end of the window.
        beta: upper end of the window.
    """
    if led >= 0:
        worst = ABOVE_ALL
        replies = legal_replies(position, led)
        while replies and worst > alpha:
            reply = highest(replies)
            replies ^= _ONE << np.uint64(reply)
            taken = follower_wins(tablebase, led, reply)
            left = next_position(tablebase, position, led, reply, taken)
            limit = min(worst, beta)
            if taken:
                value = -race_alpha_beta(
                    tablebase, transpositions, left, cards - 1, NO_CARD, other - 1, own, -limit, -alpha
                )
            else:
                value = race_alpha_beta(
                    tablebase, transpositions, left, cards - 1, NO_CARD, own - 1, other, alpha, limit
                )
            worst = min(worst, value)
        return worst

    if own == 0 or other == 0 or cards == 0:
        return other - own
    # All goals out of reach are equivalent. They become "one more than the cards left", so that positions share
    # transpositions and the numbers fit into the key; ``shift`` undoes it.
    shift = max(other - cards - 1, np.int64(0)) - max(own - cards - 1, np.int64(0))
    own, other = min(own, cards + 1), min(other, cards + 1)
    alpha, beta = alpha - shift, beta - shift
    key = _key(position, own, other)
    slot = slot_of(key, transpositions.keys)
    if transpositions.keys[slot] == key:
        lower, upper = np.int64(transpositions.bounds[slot, 0]), np.int64(transpositions.bounds[slot, 1])
    else:
        lower, upper = _race_bounds(tablebase, transpositions, position, cards, own, other)
    if lower >= beta or lower == upper:
        return lower + shift
    if upper <= alpha:
        return upper + shift
    alpha, beta = max(alpha, lower), min(beta, upper)
    best = BELOW_ALL
    leads = run_starts(leader_cards(position))
    masters = master_cards(position, leads)
    while leads and best < beta:
        lead = lowest(leads & masters if leads & masters else leads)
        leads ^= _ONE << np.uint64(lead)
        value = race_alpha_beta(
            tablebase, transpositions, position, cards, np.int64(lead), own, other, max(alpha, best), beta
        )
        best = max(best, value)
    lower, upper = tightened_bounds(best, alpha, beta, lower, upper)
    transpositions.keys[slot] = key
    transpositions.bounds[slot, 0], transpositions.bounds[slot, 1] = lower, upper
    return best + shift


@kernel
def _race_reply_value(tablebase, transpositions, position, cards, led, reply, own, other):
    """Return the value of a position for its leader after the follower's reply to the card led."""
    taken = follower_wins(tablebase, led, reply)
    left = next_position(tablebase, position, led, reply, taken)
    if taken:
        return -race_alpha_beta(
            tablebase, transpositions, left, cards - 1, NO_CARD, other - 1, own, RACE_WINDOW_LOW, RACE_WINDOW_HIGH
        )
    return race_alpha_beta(
        tablebase, transpositions, left, cards - 1, NO_CARD, own - 1, other, RACE_WINDOW_LOW, RACE_WINDOW_HIGH
    )


@kernel
def _tricks_of_value(value, cards, own, other):
    """Return the further tricks of leader and follower in a race of this value from the tricks they need."""
    # If the cards run out first, p + q = own + other − cards and both are at least 1, so p + q exceeds |q − p| by 2 or
    # more. If a seat reaches its goal, p or q is 0.
    if own + other - cards - abs(value) >= 2:
        return own - (own + other - cards - value) // 2, other - (own + other - cards + value) // 2
    return (own, other - value) if value > 0 else (own + value, other)


@kernel
def write_race_tricks(tablebase, transpositions, leaders, followers, trumps, leds, rows, needs, tricks):
    """Write the further tricks of leader and follower in some rows, int8[:, 2]."""
    for row in rows:
        position, cards, led = encode_position(tablebase, leaders[row], followers[row], trumps[row], leds[row])
        own, other = needs[row, 0], needs[row, 1]
        value = race_alpha_beta(
            tablebase, transpositions, position, cards, led, own, other, RACE_WINDOW_LOW, RACE_WINDOW_HIGH
        )
        tricks[row, 0], tricks[row, 1] = _tricks_of_value(value, cards, own, other)


@kernel
def write_race_margins_of(tablebase, transpositions, leader, follower, trump, led_card, own, other, margins):
    """Write the margin of further tricks after each legal card of the seat to act in one race, int8[52]."""
    _, cards, led = encode_position(tablebase, leader, follower, trump, led_card)
    held = leader if led < 0 else leader | _ONE << np.uint64(led_card)
    position = position_of(held, follower, trump)
    legal = legal_cards(held, follower, led_card)
    while legal:
        card = lowest(legal)
        legal &= legal - _ONE
        bit_index = np.int64(bit_index_of(card, held | follower, trump))
        if led < 0:
            value = race_alpha_beta(
                tablebase, transpositions, position, cards, bit_index, own, other, RACE_WINDOW_LOW, RACE_WINDOW_HIGH
            )
            margins[card] = value - (other - own)
        else:
            value = _race_reply_value(tablebase, transpositions, position, cards, led, bit_index, own, other)
            margins[card] = (other - own) - value
