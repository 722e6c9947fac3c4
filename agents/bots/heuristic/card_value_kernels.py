"""What holding a card is worth in the endgame, in tricks: the yardstick of the heuristic bot."""

from __future__ import annotations

import numpy as np

from german_whist.envs.engine.state_kernels import suit_mask, suit_of
from german_whist.envs.utils.bit_kernels import lowest, popcount
from german_whist.envs.utils.jit import kernel

# A card's worth is the sum of two parts: how many cards that are still out outrank it (in a low deal: how many it
# outranks), and how many cards of the suit its owner holds, it included. Fitted by least squares to the outcome of
# 40,000 endgames of the heuristic bot against itself, with hands of thirteen.
# One row each for plain suits and trumps, and the same two in a low deal; beyond a row's end its last number holds.
RANK = np.array(
    [
        [0.50, 0.37, 0.22, 0.15, 0.10, 0.05, 0.01, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [1.33, 1.27, 1.15, 1.06, 1.01, 0.98, 0.95, 0.93, 0.92, 0.91, 0.90, 0.90, 0.90, 0.90, 0.90],
        [0.67, 0.35, 0.11, -0.03, -0.12, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15],
        [0.22, -0.08, -0.37, -0.53, -0.57, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59],
    ]
)
LENGTH = np.array(
    [
        [0.0, -0.09, 0.35, 0.52, 0.43, 0.35, 0.19, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, -0.66, -0.52, -0.25, 0.26, 0.62, 0.71, 0.27, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, -1.51, -0.35, 0.30, 0.49, 0.50, 0.37, 0.26, 0.10, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, -1.02, -0.02, 0.36, 0.24, 0.14, 0.09, 0.05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ]
)

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
def _between(table, kind, number):
    """Return a row's value at a number between two of its places."""
    low = np.int64(number)
    part = number - low
    return (1.0 - part) * table[kind, low] + part * table[kind, low + 1]


@kernel
def kind_of(suit, trump, low):
    """Return the row of the tables for cards of a suit."""
    return (1 if suit == trump else 0) + (2 if low else 0)


@kernel
def full_length(length, size):
    """Return the length in a hand of thirteen that a suit of a shorter full hand of ``size`` cards stands for."""
    if size >= 13 or length < 2:
        return min(float(length), 12.0)
    return min(1.0 + (length - 1) * (1.0 + STRETCH * (13.0 / size - 1.0)), 12.0)


@kernel
def length_worth(length, size, kind):
    """Return the part of a card's worth that comes from how many cards of its suit the hand holds, it included."""
    return _between(LENGTH, kind, full_length(length, size))


@kernel
def rank_worth(rivals, share, kind):
    """Return the part of a card's worth that comes from its rivals: that many, of which a share stays in play."""
    return _between(RANK, kind, rivals * share)


@kernel
def share_left(held, live):
    """Return the share of the rivals of a card that will still be out when the endgame starts.

    Args:
        held: cards in the hand that holds it.
        live: mask of all cards not played yet.
    """
    return min(1.0, 2.0 * held / popcount(live))


@kernel
def rivals_of(card, low):
    """Return the mask of the cards that outrank a card, or that it outranks in a low deal."""
    return below(card) if low else above(card)


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
    kind = kind_of(suit, trump, low)
    rivals = popcount(live & rivals_of(card, low) & ~own)
    length = length_worth(popcount((own | (_ONE << np.uint64(card))) & suit_mask(suit)), size, kind)
    return rank_worth(rivals, share_left(popcount(own), live), kind) + length


@kernel
def mean_worth(cards, own, size, live, trump, low):
    """Return the mean worth of some live cards to a hand that holds none of them; 0 when there are none.

    Of the cards of a suit that this hand does not hold the best has no rival, the next one has one, and so on: so the
    worths are added up by numbers of rivals, leaving out those of the cards that are not meant.
    """
    if not cards:
        return 0.0
    share = share_left(popcount(own) + 1, live)
    out = live & ~own
    others = out & ~cards
    total = 0.0
    for suit in range(4):
        suited = out & suit_mask(suit)
        if not suited & cards:
            continue
        kind = kind_of(suit, trump, low)
        left_out = np.uint64(0)  # numbers of rivals
        mask = suited & others
        while mask:
            left_out |= _ONE << np.uint64(popcount(suited & rivals_of(lowest(mask), low)))
            mask &= mask - _ONE
        for rivals in range(popcount(suited)):
            if not (left_out >> np.uint64(rivals)) & _ONE:
                total += rank_worth(rivals, share, kind)
        total += popcount(suited & cards) * length_worth(popcount(own & suit_mask(suit)) + 1, size, kind)
    return total / popcount(cards)


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
