"""Kernels that list every trick and every discard that one suit allows."""

from __future__ import annotations

import numpy as np

from german_whist.game.utils.bit_kernels import lowest, popcount
from german_whist.game.utils.jit import kernel
from german_whist.solver.tablebase.position_kernels import MAX_CARDS, follower_cards, leader_cards, run_starts, without
from german_whist.solver.tablebase.ranking_kernels import WORDS

FOLLOWER_WINS, LAST_REPLY, LEFT = 1 << 11, 1 << 12, (1 << 11) - 1  # bits of an entry of ``SuitMoves.tricks``

_ONE = np.uint64(1)


@kernel
def list_moves(digits, moves):
    """Fill the arrays of ``SuitMoves``.

    Args:
        digits: as ``Ranking.digits``.
        moves: ``SuitMoves`` of zeros, filled in place.
    """
    index = 0
    for length in range(MAX_CARDS + 1):
        for own in range(length + 1):
            moves.first_word[length, own] = index
            for bits in range(1 << length):
                if popcount(np.uint64(bits)) == own:
                    moves.words[index] = bits | 1 << length
                    index += 1
    trick = discard = 0
    for number in range(1, WORDS):
        word = np.uint64(number)
        moves.first_trick[number] = trick
        moves.first_discard[number] = discard
        replies = run_starts(follower_cards(word))
        # If the follower has no card of the suit, every lead is alike and none is listed.
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
