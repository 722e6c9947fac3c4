"""Every trick and every discard that one suit allows, listed once for all words of a suit."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.utils.bit_kernels import lowest, popcount
from german_whist.envs.utils.jit import kernel
from german_whist.solver.tables.position_kernels import MAX_CARDS, follower_cards, leader_cards, run_starts, without
from german_whist.solver.tables.ranking import WORDS, word_digits

_ONE = np.uint64(1)
FOLLOWER_WINS, LAST_REPLY, LEFT = 1 << 11, 1 << 12, (1 << 11) - 1  # in an entry of tricks


class SuitMoves(NamedTuple):
    """Every trick and every discard that one suit allows, by its word.

    Attributes:
        words: uint16[2**14], the words by length, then leader's cards, then rank.
        first_word: int32[14, 14], where in ``words`` those of a length and a number of leader's cards begin.
        tricks: uint16[…], lead after lead the replies that follow suit: the rank of the word that is left (``LEFT``),
            whether the follower wins (``FOLLOWER_WINS``), and whether no more replies to this lead come
            (``LAST_REPLY``).
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
def _list_moves(digits, moves):
    place = 0
    for length in range(MAX_CARDS + 1):
        for own in range(length + 1):
            moves.first_word[length, own] = place
            for bits in range(1 << length):
                if popcount(np.uint64(bits)) == own:
                    moves.words[place] = bits | 1 << length
                    place += 1
    trick = discard = 0
    for number in range(1, WORDS):
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
                entry = np.int64(digits[0, left]) >> 19
                entry |= FOLLOWER_WINS if reply > lead else 0
                entry |= 0 if rest else LAST_REPLY
                moves.tricks[trick] = entry
                trick += 1
        while replies:
            moves.discards[discard] = np.int64(digits[0, without(word, lowest(replies))]) >> 19
            discard += 1
            replies &= replies - _ONE
    moves.first_trick[WORDS] = trick
    moves.first_discard[WORDS] = discard


@lru_cache(maxsize=1)
def suit_moves() -> SuitMoves:
    """Return every trick and discard of every word."""
    moves = SuitMoves(
        np.zeros(WORDS, np.uint16),
        np.zeros((MAX_CARDS + 1, MAX_CARDS + 1), np.int32),
        np.zeros(1 << 20, np.uint16),
        np.zeros(WORDS + 1, np.int32),
        np.zeros(1 << 17, np.uint16),
        np.zeros(WORDS + 1, np.int32),
    )
    _list_moves(word_digits(), moves)
    return moves
