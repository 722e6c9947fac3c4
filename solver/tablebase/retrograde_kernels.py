"""Retrograde analysis: the values of all endgames of n cards a hand from those of n − 1, by trying every trick.

The only shortcut is that adjacent cards of one hand are equivalent: one lead and one reply is tried of each run. A
sub-block is a grid with one axis per suit (see ``ranking``), so a trick in one suit is tried for all holdings in the
other suits at once, by walking over grids of the layer below.

Retrograde analysis of a whole class of endgames goes back to T. Ströhlein's dissertation (1970) and K. Thompson,
"Retrograde analysis of certain endgames" (ICCA Journal 9, 1986).
"""

from __future__ import annotations

import numpy as np

from german_whist.game.utils.jit import allocating_kernel, kernel
from german_whist.solver.tablebase.suit_move_kernels import FOLLOWER_WINS, LAST_REPLY, LEFT

_UNTRIED = np.uint8(255)


@allocating_kernel
def build_block(ranking, moves, trump, low, lengths, first, below, first_below, out):
    """Write the values of one block.

    Args:
        ranking: ``Ranking`` of the table.
        moves: ``SuitMoves``.
        trump: whether lane 0 is the trump suit.
        low: whether the fewest tricks win.
        lengths: cards in play of each suit in this block, int64[4].
        first: index of the block's first position in the table.
        below: values of the layer of n − 1 cards, one per byte, uint8[…].
        first_below: index of that layer's first position in the table.
        out: values of the block, one per byte, uint8[size]; written.
    """
    cards = (lengths[0] + lengths[1] + lengths[2] + lengths[3]) // 2
    own = np.empty(4, np.int64)
    strides = np.empty(4, np.int64)
    worst = np.empty(out.shape[0], np.uint8)
    out[:] = 0
    for own[0] in range(lengths[0] + 1):
        for own[1] in range(lengths[1] + 1):
            for own[2] in range(lengths[2] + 1):
                own[3] = cards - own[0] - own[1] - own[2]
                if own[3] < 0 or own[3] > lengths[3]:
                    continue
                start = _grid(ranking, trump, lengths, own, False, strides) - first
                size = 1
                for lane in range(4):
                    size *= _words(ranking, lengths[lane], own[lane])
                best = out[start : start + size]
                for lane in range(4):
                    if own[lane] and own[lane] < lengths[lane]:
                        _lead_followed(
                            ranking, moves, trump, low, lengths, own, lane, below, first_below, strides, worst, best
                        )
                    elif own[lane]:
                        # The follower may throw any suit, so the worst reply is known only after all suits.
                        worst[:size] = _UNTRIED
                        _lead_not_followed(
                            ranking, moves, trump, low, lengths, own, lane, below, first_below, strides, worst
                        )
                        for i in range(size):
                            best[i] = max(best[i], worst[i])


@kernel
def _words(ranking, length, own):
    """Return how many words of this length have ``own`` cards of the leader: C(length, own)."""
    # Read from the digits of one such word: the leader's cards are the lowest ones.
    return np.int64(ranking.digits[0, (1 << length) | ((1 << own) - 1)]) >> 8 & 0x7FF


@allocating_kernel
def _grid(ranking, trump, lengths, own, swapped, strides):
    """Return the index where a sub-block begins and write the stride of each suit; suits come in any order.

    With ``swapped`` it is the sub-block with the seats swapped. Ranks run backwards there, so it begins at its last
    position and strides are negative.
    """
    order = np.empty(4, np.int64)
    cards = 0
    for lane in range(4):
        order[lane] = lane
    for end in range(3, -1, -1):  # bubble sort: a trick can change the order of the lengths
        cards += lengths[end]
        for index in range(1 if trump else 0, end):
            if lengths[order[index]] > lengths[order[index + 1]]:
                order[index], order[index + 1] = order[index + 1], order[index]
    sub_block = ranking.block_entries[cards // 2, lengths[order[0]], lengths[order[1]], lengths[order[2]]]
    inside = 0
    for index in range(3):
        lane = order[index]
        inside = inside * (lengths[lane] + 1) + (lengths[lane] - own[lane] if swapped else own[lane])
    first = ranking.sub_block_starts[sub_block + inside]
    stride = 1
    for index in range(3, -1, -1):
        lane = order[index]
        words = _words(ranking, lengths[lane], own[lane])
        strides[lane] = -stride if swapped else stride
        if swapped:
            first += (words - 1) * stride
        stride *= words
    return first


@allocating_kernel
def _lead_followed(ranking, moves, trump, low, lengths, own, lane, below, first_below, strides, worst, best):
    """Try every lead of a suit that both seats hold, in all positions of a sub-block."""
    gain = np.uint8(0 if low else 1)
    rest = np.uint8((lengths[0] + lengths[1] + lengths[2] + lengths[3]) // 2) - gain
    left, left_own = lengths.copy(), own.copy()
    left[lane] -= 2
    left_own[lane] -= 1
    won, lost = np.empty(4, np.int64), np.empty(4, np.int64)  # strides, by who takes the trick
    won_first = _grid(ranking, trump, left, left_own, False, won) - first_below
    lost_first = _grid(ranking, trump, left, left_own, True, lost) - first_below
    i, j, k = (1 if lane == 0 else 0), (2 if lane < 2 else 1), (3 if lane < 3 else 2)  # the other suits
    rows = _words(ranking, lengths[i], own[i])
    columns = _words(ranking, lengths[j], own[j])
    cells = _words(ranking, lengths[k], own[k])
    word_first = moves.first_word[lengths[lane], own[lane]]
    for rank in range(_words(ranking, lengths[lane], own[lane])):
        word = moves.words[word_first + rank]
        lead = moves.first_trick[word]
        while lead < moves.first_trick[word + 1]:
            next_lead = lead + 1
            while not moves.tricks[next_lead - 1] & LAST_REPLY:
                next_lead += 1
            for row in range(rows):
                for column in range(columns):
                    worst[:cells] = _UNTRIED
                    for reply in range(lead, next_lead):
                        entry = np.int64(moves.tricks[reply])
                        if entry & FOLLOWER_WINS:
                            at = lost_first + (entry & LEFT) * lost[lane] + row * lost[i] + column * lost[j]
                            for cell in range(cells):
                                worst[cell] = min(worst[cell], np.uint8(rest - below[at + cell * lost[k]]))
                        else:
                            at = won_first + (entry & LEFT) * won[lane] + row * won[i] + column * won[j]
                            for cell in range(cells):
                                worst[cell] = min(worst[cell], np.uint8(gain + below[at + cell * won[k]]))
                    at = rank * strides[lane] + row * strides[i] + column * strides[j]
                    for cell in range(cells):
                        best[at + cell * strides[k]] = max(best[at + cell * strides[k]], worst[cell])
            lead = next_lead


@allocating_kernel
def _lead_not_followed(ranking, moves, trump, low, lengths, own, lane, below, first_below, strides, worst):
    """Lower ``worst`` by every reply to the lead of a suit that only the leader holds, in all positions of a sub-block.

    All cards of such a suit are equivalent, so there is one lead.
    """
    gain = np.uint8(0 if low else 1)
    rest = np.uint8((lengths[0] + lengths[1] + lengths[2] + lengths[3]) // 2) - gain
    grid = np.empty(4, np.int64)
    for thrown in range(4):
        if own[thrown] == lengths[thrown]:
            continue
        left, left_own = lengths.copy(), own.copy()
        left[lane] -= 1
        left_own[lane] -= 1
        left[thrown] -= 1
        ruffed = trump and thrown == 0
        first = _grid(ranking, trump, left, left_own, ruffed, grid) - first_below
        i = 0  # the other two suits
        while i in (lane, thrown):
            i += 1
        j = 6 - lane - thrown - i  # the four lanes add up to 6
        rows = _words(ranking, lengths[i], own[i])
        columns = _words(ranking, lengths[j], own[j])
        word_first = moves.first_word[lengths[thrown], own[thrown]]
        for rank in range(_words(ranking, lengths[thrown], own[thrown])):
            word = moves.words[word_first + rank]
            for discard in range(moves.first_discard[word], moves.first_discard[word + 1]):
                for row in range(rows):
                    source = first + np.int64(moves.discards[discard]) * grid[thrown] + row * grid[i]
                    at = rank * strides[thrown] + row * strides[i]
                    for column in range(columns):
                        value = below[source + column * grid[j]]
                        value = np.uint8(rest - value) if ruffed else np.uint8(gain + value)
                        worst[at + column * strides[j]] = min(worst[at + column * strides[j]], value)


@kernel
def pack(values, out):
    """Pack values uint8[2 n], one per byte, into uint8[n], two per byte."""
    for i in range(out.shape[0]):
        out[i] = values[2 * i] | values[2 * i + 1] << np.uint8(4)
