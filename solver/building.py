"""Build a table layer by layer: every endgame of n cards from those of n − 1, by trying every trick.

Nothing is assumed of good play but that adjacent cards of one hand are worth the same: every lead and every reply is
tried. Because a sub-block is a grid with one axis a suit (see ``ranking``), a trick in one suit is tried for all hands
in the other suits at once, by walking two grids of the layer below side by side.

A value is the number of tricks that the leader makes his: those he takes, or in a low game those he gives away.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.bits import highest, lowest, popcount
from german_whist.envs.jit import kernel
from german_whist.solver.positions import MAX_CARDS, follower_cards, leader_cards, run_starts, without
from german_whist.solver.ranking import _WORDS, Ranking

_ONE = np.uint64(1)
_FOLLOWER_WINS, _LAST_REPLY, _RANK = 1 << 11, 1 << 12, (1 << 11) - 1


class SuitMoves(NamedTuple):
    """Every trick and every discard that one suit allows, by its word.

    Attributes:
        words: uint16[2**14], the words by length, then leader's cards, then rank.
        first_word: int32[14, 14], where in ``words`` those of a length and a number of leader's cards begin.
        tricks: uint16[…], the replies to every lead in this suit that follow suit: the rank of the word that is left,
            whether the follower wins (``_FOLLOWER_WINS``), and whether it is the last reply to this lead.
        first_trick: int32[2**14 + 1], where in ``tricks`` those of a word begin.
        discards: uint16[…], the rank of the word that is left when the follower throws a card of this suit.
        first_discard: int32[2**14 + 1], where in ``discards`` those of a word begin.
    """

    words: npt.NDArray[np.uint16]
    first_word: npt.NDArray[np.int32]
    tricks: npt.NDArray[np.uint16]
    first_trick: npt.NDArray[np.int32]
    discards: npt.NDArray[np.uint16]
    first_discard: npt.NDArray[np.int32]


@kernel
def _rank(ranking, word):
    return ranking.digits[0, word] >> np.uint32(19)


@kernel
def _list_moves(ranking, moves):
    place = 0
    for length in range(MAX_CARDS + 1):
        for own in range(length + 1):
            moves.first_word[length, own] = place
            for bits in range(1 << length):
                if popcount(np.uint64(bits)) == own:
                    moves.words[place] = bits | 1 << length
                    place += 1
    trick = discard = 0
    for number in range(1, _WORDS):
        word = np.uint64(number)
        moves.first_trick[number] = trick
        moves.first_discard[number] = discard
        replies = run_starts(follower_cards(word))
        leads = run_starts(leader_cards(word)) if replies else np.uint64(0)
        while leads:
            lead = lowest(leads)
            leads &= leads - _ONE
            rest = replies
            while rest:
                reply = lowest(rest)
                rest &= rest - _ONE
                left = without(without(word, max(lead, reply)), min(lead, reply))
                entry = np.int64(_rank(ranking, left))
                entry |= _FOLLOWER_WINS if reply > lead else 0
                entry |= 0 if rest else _LAST_REPLY
                moves.tricks[trick] = entry
                trick += 1
        while replies:
            moves.discards[discard] = _rank(ranking, without(word, lowest(replies)))
            discard += 1
            replies &= replies - _ONE
    moves.first_trick[_WORDS] = trick
    moves.first_discard[_WORDS] = discard


@lru_cache(maxsize=1)
def suit_moves(ranking: Ranking) -> SuitMoves:
    """Return every trick and discard of every word."""
    moves = SuitMoves(
        np.zeros(_WORDS, np.uint16),
        np.zeros((MAX_CARDS + 1, MAX_CARDS + 1), np.int32),
        np.zeros(1 << 20, np.uint16),
        np.zeros(_WORDS + 1, np.int32),
        np.zeros(1 << 17, np.uint16),
        np.zeros(_WORDS + 1, np.int32),
    )
    _list_moves(ranking, moves)
    return moves


@kernel
def _grid(ranking, trump, cards, lengths, own, swapped, strides):
    """Return where a sub-block begins and write the stride of each suit's rank, suits in any order.

    With ``swapped`` it is the sub-block of the swapped seats, which is walked backwards: strides are negative.
    """
    order = np.empty(4, np.int64)
    for lane in range(4):
        order[lane] = lane
    for end in range(3, 0 if trump else -1, -1):  # few enough for bubbles
        for lane in range(1 if trump else 0, end):
            if lengths[order[lane]] > lengths[order[lane + 1]]:
                order[lane], order[lane + 1] = order[lane + 1], order[lane]
    start = np.int64(ranking.starts[cards, lengths[order[0]], lengths[order[1]], lengths[order[2]]])
    sub_block = 0
    for place in range(3):
        lane = order[place]
        held = lengths[lane] - own[lane] if swapped else own[lane]
        sub_block = sub_block * (lengths[lane] + 1) + held
    first = ranking.firsts[start + sub_block]
    stride = 1
    for place in range(3, -1, -1):
        lane = order[place]
        words = np.int64(ranking.digits[0, (1 << lengths[lane]) | ((1 << own[lane]) - 1)] >> np.uint32(8)) & 0x7FF
        strides[lane] = -stride if swapped else stride
        if swapped:
            first += (words - 1) * stride
        stride *= words
    return first


@kernel
def build_block(ranking, moves, trump, low, lengths, first, below, first_below, out):
    """Write the values of one block.

    Args:
        ranking: where positions stand.
        moves: as ``suit_moves`` returns them.
        trump: whether lane 0 is the trump suit.
        low: whether tricks are to be given away.
        lengths: int64[4], cards in play of each suit.
        first: place of the block in the table.
        below: uint8[…], the values of the layer below, one to a byte.
        first_below: place of that layer in the table.
        out: uint8[size], the values of the block, one to a byte.
    """
    cards = (lengths[0] + lengths[1] + lengths[2] + lengths[3]) // 2
    own = np.empty(4, np.int64)
    strides = np.empty(4, np.int64)
    scratch = np.empty(out.shape[0], np.uint8)
    for i in range(out.shape[0]):
        out[i] = 0
    for own[0] in range(lengths[0] + 1):
        for own[1] in range(lengths[1] + 1):
            for own[2] in range(lengths[2] + 1):
                own[3] = cards - own[0] - own[1] - own[2]
                if own[3] < 0 or own[3] > lengths[3]:
                    continue
                start = _grid(ranking, trump, cards, lengths, own, False, strides) - first
                for lane in range(4):
                    if own[lane] == 0:
                        continue
                    if own[lane] < lengths[lane]:
                        _lead_followed(
                            ranking, moves, trump, low, cards, lengths, own, lane, below, first_below, out, start, strides, scratch
                        )
                    else:
                        _lead_not_followed(
                            ranking, moves, trump, low, cards, lengths, own, lane, below, first_below, out, start, strides, scratch
                        )


@kernel
def _words(ranking, length, own):
    """Return how many words of a length have so many cards of the leader."""
    return np.int64(ranking.digits[0, (1 << length) | ((1 << own) - 1)] >> np.uint32(8)) & 0x7FF


@kernel
def _lead_followed(
    ranking, moves, trump, low, cards, lengths, own, lane, below, first_below, out, start, strides, scratch
):
    """Try every lead of a suit of which the follower has cards, in all positions of a sub-block."""
    left, left_own = lengths.copy(), own.copy()
    left[lane] -= 2
    left_own[lane] -= 1
    won, lost = np.empty(4, np.int64), np.empty(4, np.int64)
    won_first = _grid(ranking, trump, cards - 1, left, left_own, False, won) - first_below
    lost_first = _grid(ranking, trump, cards - 1, left, left_own, True, lost) - first_below
    i, j, k = (lane + 1) & 3, (lane + 2) & 3, (lane + 3) & 3
    i, j, k = min(i, j, k), max(min(i, j), min(max(i, j), k)), max(i, j, k)
    rows, columns, cells = _words(ranking, lengths[i], own[i]), _words(ranking, lengths[j], own[j]), _words(
        ranking, lengths[k], own[k]
    )
    gain = np.uint8(0 if low else 1)
    total = np.uint8(cards if low else cards - 1)
    word_first = moves.first_word[lengths[lane], own[lane]]
    for rank in range(_words(ranking, lengths[lane], own[lane])):
        word = moves.words[word_first + rank]
        lead = moves.first_trick[word]
        end = moves.first_trick[word + 1]
        while lead < end:
            last = lead
            while not moves.tricks[last] & _LAST_REPLY:
                last += 1
            for row in range(rows):
                for column in range(columns):
                    for reply in range(lead, last + 1):
                        entry = np.int64(moves.tricks[reply])
                        left_rank = entry & _RANK
                        if entry & _FOLLOWER_WINS:
                            at = lost_first + left_rank * lost[lane] + row * lost[i] + column * lost[j]
                            step = lost[k]
                            if reply == lead:
                                for cell in range(cells):
                                    scratch[cell] = total - below[at + cell * step]
                            else:
                                for cell in range(cells):
                                    scratch[cell] = min(scratch[cell], np.uint8(total - below[at + cell * step]))
                        else:
                            at = won_first + left_rank * won[lane] + row * won[i] + column * won[j]
                            step = won[k]
                            if reply == lead:
                                for cell in range(cells):
                                    scratch[cell] = gain + below[at + cell * step]
                            else:
                                for cell in range(cells):
                                    scratch[cell] = min(scratch[cell], np.uint8(gain + below[at + cell * step]))
                    at = start + rank * strides[lane] + row * strides[i] + column * strides[j]
                    step = strides[k]
                    for cell in range(cells):
                        out[at + cell * step] = max(out[at + cell * step], scratch[cell])
            lead = last + 1


@kernel
def _lead_not_followed(
    ranking, moves, trump, low, cards, lengths, own, lane, below, first_below, out, start, strides, scratch
):
    """Try the lead of a suit that only the leader has, in all positions of a sub-block."""
    size = 1
    for other in range(4):
        size *= _words(ranking, lengths[other], own[other])
    for i in range(size):
        scratch[i] = 255
    gain = np.uint8(0 if low else 1)
    total = np.uint8(cards if low else cards - 1)
    grid = np.empty(4, np.int64)
    for thrown in range(4):
        if own[thrown] == lengths[thrown]:
            continue
        left, left_own = lengths.copy(), own.copy()
        left[lane] -= 1
        left_own[lane] -= 1
        left[thrown] -= 1
        ruffed = trump and thrown == 0
        first = _grid(ranking, trump, cards - 1, left, left_own, ruffed, grid) - first_below
        i, j = (0 if 0 not in (lane, thrown) else (1 if 1 not in (lane, thrown) else 2)), (
            3 if 3 not in (lane, thrown) else (2 if 2 not in (lane, thrown) else 1)
        )
        rows, columns = _words(ranking, lengths[i], own[i]), _words(ranking, lengths[j], own[j])
        word_first = moves.first_word[lengths[thrown], own[thrown]]
        for rank in range(_words(ranking, lengths[thrown], own[thrown])):
            word = moves.words[word_first + rank]
            for discard in range(moves.first_discard[word], moves.first_discard[word + 1]):
                left_rank = np.int64(moves.discards[discard])
                for row in range(rows):
                    source = first + left_rank * grid[thrown] + row * grid[i]
                    target = rank * strides[thrown] + row * strides[i]
                    for column in range(columns):
                        value = below[source + column * grid[j]]
                        value = np.uint8(total - value) if ruffed else np.uint8(gain + value)
                        at = target + column * strides[j]
                        scratch[at] = min(scratch[at], value)
    for i in range(size):
        out[start + i] = max(out[start + i], scratch[i])


@kernel
def pack(values, out):
    """Pack values, one to a byte, two to a byte."""
    for i in range(values.shape[0] >> 1):
        out[i] = values[2 * i] | values[2 * i + 1] << np.uint8(4)
    if values.shape[0] & 1:
        out[values.shape[0] >> 1] = values[values.shape[0] - 1]


@kernel
def unpack(values, out):
    """Unpack values, two to a byte, one to a byte."""
    for i in range(out.shape[0]):
        out[i] = (values[i >> 1] >> np.uint8(4 * (i & 1))) & np.uint8(15)
