"""What holding a card is worth in the endgame, in tricks: the yardstick of the heuristic bot."""

from __future__ import annotations

import numpy as np

from german_whist.envs.bits import lowest, popcount
from german_whist.envs.jit import kernel
from german_whist.envs.state import suit_mask, suit_of

# A card's worth is the sum of two parts: how many cards that are still out outrank it (in a low deal: how many it
# outranks), and how many cards of the suit its owner holds, it included. Fitted by least squares to the outcome of
# 40,000 endgames of the heuristic bot against itself, with hands of thirteen.
TRUMP_RANK = (1.33, 1.27, 1.15, 1.06, 1.01, 0.98, 0.95, 0.93, 0.92, 0.91, 0.90, 0.90, 0.90, 0.90)
TRUMP_LENGTH = (0.0, -0.66, -0.52, -0.25, 0.26, 0.62, 0.71, 0.27, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
SIDE_RANK = (0.50, 0.37, 0.22, 0.15, 0.10, 0.05, 0.01, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
SIDE_LENGTH = (0.0, -0.09, 0.35, 0.52, 0.43, 0.35, 0.19, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
LOW_TRUMP_RANK = (0.22, -0.08, -0.37, -0.53, -0.57, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59)
LOW_TRUMP_LENGTH = (0.00, -1.02, -0.02, 0.36, 0.24, 0.14, 0.09, 0.05, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00)
LOW_SIDE_RANK = (0.67, 0.35, 0.11, -0.03, -0.12, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15)
LOW_SIDE_LENGTH = (0.00, -1.51, -0.35, 0.30, 0.49, 0.50, 0.37, 0.26, 0.10, 0.00, 0.00, 0.00, 0.00, 0.00)

STRETCH = 2.4  # how much more each further card of a suit counts in a shorter hand, found on `small` and `short`

_ONE = np.uint64(1)


@kernel
def above(card):
    """Return the mask of the cards of the same suit above a card."""
    return suit_mask(suit_of(card)) & ~((_ONE << np.uint64(card + 1)) - _ONE)


@kernel
def below(card):
    """Return the mask of the cards of the same suit below a card."""
    return suit_mask(suit_of(card)) & ((_ONE << np.uint64(card)) - _ONE)


@kernel
def trump_mask(trump):
    """Return the mask of all trumps; empty without a trump suit."""
    return suit_mask(trump) if trump >= 0 else np.uint64(0)


@kernel
def _between(table, number):
    """Return a table's value at a number between two of its places."""
    low = np.int64(number)
    part = number - low
    return (1.0 - part) * table[low] + part * table[low + 1]


@kernel
def full_length(length, size):
    """Return the length in a hand of thirteen that a suit of a shorter full hand of ``size`` cards stands for."""
    if size >= 13 or length < 2:
        return min(float(length), 12.0)
    return min(1.0 + (length - 1) * (1.0 + STRETCH * (13.0 / size - 1.0)), 12.0)


@kernel
def worth(card, own, size, live, trump, low):
    """Return what holding a card is worth in the endgame.

    Args:
        card: the card.
        own: mask of the hand that holds it (or would).
        size: cards in a full hand of the game.
        live: mask of all cards not played yet.
        trump: the trump suit, −1 for none.
        low: whether the endgame is played low.
    """
    suit = suit_of(card)
    length = full_length(popcount((own | (_ONE << np.uint64(card))) & suit_mask(suit)), size)
    rivals = below(card) if low else above(card)
    # Of the cards above it (below it), the share that will still be out when the endgame starts.
    out = popcount(live & rivals & ~own) * min(1.0, 2.0 * popcount(own) / popcount(live))
    if suit == trump:
        if low:
            return _between(LOW_TRUMP_RANK, out) + _between(LOW_TRUMP_LENGTH, length)
        return _between(TRUMP_RANK, out) + _between(TRUMP_LENGTH, length)
    if low:
        return _between(LOW_SIDE_RANK, out) + _between(LOW_SIDE_LENGTH, length)
    return _between(SIDE_RANK, out) + _between(SIDE_LENGTH, length)


@kernel
def mean_worth(cards, own, size, live, trump, low):
    """Return the mean worth of some cards to a hand; 0 when there are none."""
    total = 0.0
    count = 0
    while cards:
        card = lowest(cards)
        cards &= cards - _ONE
        total += worth(card, own | (_ONE << np.uint64(card)), size, live, trump, low)
        count += 1
    return total / count if count else 0.0


@kernel
def best_card(cards, own, size, live, trump, low):
    """Return the card of a mask that a hand would like best; −1 when it is empty."""
    best = -1
    best_worth = -1e9
    while cards:
        card = lowest(cards)
        cards &= cards - _ONE
        value = worth(card, own | (_ONE << np.uint64(card)), size, live, trump, low)
        if value > best_worth:
            best, best_worth = card, value
    return best
