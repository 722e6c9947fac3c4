"""Rule policy for low endgames: lose tricks, and discard the cards that would win them."""

from __future__ import annotations

import numpy as np

from german_whist.agents.bots.heuristic.card_value_kernels import below
from german_whist.envs.engine.state_kernels import beats, suit_mask, suit_of
from german_whist.envs.utils.bit_kernels import lowest, popcount
from german_whist.envs.utils.jit import kernel

VOID_LEAD_RISK = 20  # leading a suit that the opponent is void in: it discards, and the lead stays here

_ONE = np.uint64(1)


@kernel
def danger(card, opponent):
    """Return how many cards the opponent can duck this one with."""
    return popcount(opponent & below(card))


@kernel
def follow_low(hand, opponent, led, trump):
    """Lose with the most dangerous losing card; when every card wins, win with the highest."""
    legal = hand & suit_mask(suit_of(led))
    if not legal:
        legal = hand
    best = -1
    best_score = -1000
    while legal:
        card = lowest(legal)
        legal &= legal - _ONE
        rank = np.int64(card) % 13
        if beats(card, led, trump):
            score = rank - 500 if suit_of(card) == suit_of(led) else -rank - 600
        else:
            score = 13 * danger(card, opponent) + rank
        if score > best_score:
            best, best_score = card, score
    return best


@kernel
def lead_low(hand, opponent):
    """Lead where the opponent can duck least: long suits from the bottom, the highest of the safe cards."""
    best = -1
    best_score = -1000
    while hand:
        card = lowest(hand)
        hand &= hand - _ONE
        held = opponent & suit_mask(suit_of(card))
        risk = danger(card, opponent) if held else VOID_LEAD_RISK
        score = np.int64(card) % 13 - 13 * risk
        if score > best_score:
            best, best_score = card, score
    return best
