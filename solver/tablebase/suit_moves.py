"""Every trick and every discard that one suit allows, listed once for all words of a suit."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.solver.tablebase.position_kernels import MAX_CARDS
from german_whist.solver.tablebase.ranking import word_digits
from german_whist.solver.tablebase.ranking_kernels import WORDS
from german_whist.solver.tablebase.suit_move_kernels import list_moves


class SuitMoves(NamedTuple):
    """Every trick and every discard that one suit allows, by its word.

    Attributes:
        words: uint16[2**14], the words ordered by length, then the leader's cards, then rank.
        first_word: int32[14, 14], by length and the leader's cards: where their words begin in ``words``.
        tricks: uint16[2**20], for each lead in turn the replies that follow suit. An entry holds the rank of the word
            that is left (``LEFT``), whether the follower wins (``FOLLOWER_WINS``), and whether it is the last reply to
            this lead (``LAST_REPLY``).
        first_trick: int32[2**14 + 1], where the tricks of a word begin in ``tricks``.
        discards: uint16[2**17], the rank of the word that is left after the follower discards a card of this suit.
        first_discard: int32[2**14 + 1], where the discards of a word begin in ``discards``.
    """

    words: npt.NDArray[np.uint16]
    first_word: npt.NDArray[np.int32]
    tricks: npt.NDArray[np.uint16]
    first_trick: npt.NDArray[np.int32]
    discards: npt.NDArray[np.uint16]
    first_discard: npt.NDArray[np.int32]


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
    list_moves(word_digits(), moves)
    return moves
