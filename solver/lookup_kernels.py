"""Row kernels that look endgames up in a complete table. They do not search, so a GPU can run them, too."""

from __future__ import annotations

import numpy as np

from german_whist.game.utils.bit_kernels import highest, popcount
from german_whist.game.utils.jit import kernel
from german_whist.game.utils.row_kernels import row_kernel
from german_whist.solver.search.alpha_beta_kernels import (
    ABOVE_ALL,
    follower_wins,
    legal_replies,
    without_trick,
)
from german_whist.solver.search.value_kernels import encode_position, is_invalid
from german_whist.solver.tablebase.position_kernels import sorted_suits
from german_whist.solver.tablebase.ranking_kernels import lookup

_ONE = np.uint64(1)


@kernel
def known_value(tablebase, position, cards, led):
    """Return the value of a position for its leader, as ``alpha_beta`` does, if the table holds hands of its size."""
    if led < 0:
        return lookup(tablebase, position, cards, False)
    worst = ABOVE_ALL
    gain = np.int64(0 if tablebase.low else 1)
    replies = legal_replies(position, led)
    while replies:
        reply = highest(replies)
        replies ^= _ONE << np.uint64(reply)
        taken = follower_wins(tablebase, led, reply)
        value = lookup(tablebase, sorted_suits(without_trick(position, led, reply), tablebase.trump), cards - 1, taken)
        worst = min(worst, cards - gain - value if taken else gain + value)
    return worst


@row_kernel
def write_known_tricks(i, tablebase, leaders, followers, trumps, leds, rows, tricks):
    """Write the leader's tricks in endgame ``rows[i]``; the table must hold hands of its size."""
    row = rows[i]
    position, cards, led = encode_position(tablebase, leaders[row], followers[row], trumps[row], leds[row])
    value = known_value(tablebase, position, cards, led)
    tricks[row] = cards - value if tablebase.low else value


@row_kernel
def write_is_invalid(i, leaders, followers, leds, out):
    """Write whether row ``i`` is not an endgame of 1 to 13 cards a hand."""
    out[i] = is_invalid(leaders[i], followers[i], leds[i])


@row_kernel
def write_hands(i, states, leaders, followers, trumps):
    """Write the endgame that begins in state ``i`` as the leader's hand, the follower's hand and the trump suit."""
    leader = states[i].turn
    leaders[i] = states[i].hands[leader]
    followers[i] = states[i].hands[1 - leader]
    trumps[i] = states[i].trump


@row_kernel
def write_tricks_by_seat(i, states, tricks, out):
    """Write the tricks of both seats, int8[n, 2], from those of the leaders."""
    leader = states[i].turn
    out[i, leader] = tricks[i]
    out[i, 1 - leader] = popcount(states[i].hands[leader]) - tricks[i]
