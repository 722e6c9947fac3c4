"""Hand evaluation of the heuristic bot: the endgame tricks that a card is worth."""

from __future__ import annotations

import numpy as np

from german_whist.game.state_kernels import suit_mask, suit_of
from german_whist.game.utils.bit_kernels import lowest, popcount
from german_whist.game.utils.jit import kernel

# A card's value in tricks is RANK_VALUES[row, rivals] + LENGTH_VALUES[row, length]. Rivals are the unplayed cards of
# other hands that outrank it (in a low deal: that it outranks); length counts the holder's cards of the suit, this one
# included. Rows: plain suit, trump suit, and the same two for low deals. Fitted by ridge regression of the margin to
# the cards of both seats in 40,000 endgames of the bot against itself with hands of 13; shifted so that a useless plain
# card is worth about 0, and smoothed where there are few cases.
RANK_VALUES = np.array(
    [
        [0.50, 0.37, 0.22, 0.15, 0.10, 0.05, 0.01, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [1.33, 1.27, 1.15, 1.06, 1.01, 0.98, 0.95, 0.93, 0.92, 0.91, 0.90, 0.90, 0.90, 0.90, 0.90],
        [0.67, 0.35, 0.11, -0.03, -0.12, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15],
        [0.22, -0.08, -0.37, -0.53, -0.57, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59],
    ]
)
LENGTH_VALUES = np.array(
    [
        [0.0, -0.09, 0.35, 0.52, 0.43, 0.35, 0.19, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, -0.66, -0.52, -0.25, 0.26, 0.62, 0.71, 0.27, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, -1.51, -0.35, 0.30, 0.49, 0.50, 0.37, 0.26, 0.10, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, -1.02, -0.02, 0.36, 0.24, 0.14, 0.09, 0.05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    ]
)

LENGTH_STRETCH = 2.4  # how much more each extra card of a suit counts in a shorter hand; tuned on `small` and `short`

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
    """Return the mask of all trumps; empty in games without trumps."""
    return suit_mask(trump) if trump >= 0 else np.uint64(0)


@kernel
def _interpolated(values, row, number):
    """Interpolate linearly between two neighbouring columns of a row."""
    low = np.int64(number)
    part = number - low
    return (1.0 - part) * values[row, low] + part * values[row, low + 1]


@kernel
def value_row(suit, trump, low):
    """Return the row of ``RANK_VALUES`` and ``LENGTH_VALUES`` for a suit."""
    return (1 if suit == trump else 0) + (2 if low else 0)


@kernel
def full_length(length, size):
    """Return a suit's length in a full hand of ``size`` cards, scaled to a hand of 13, at most 12.

    ``_interpolated`` also reads the next column, and the last one is 13.
    """
    if size >= 13 or length < 2:
        return min(float(length), 12.0)
    return min(1.0 + (length - 1) * (1.0 + LENGTH_STRETCH * (13.0 / size - 1.0)), 12.0)


@kernel
def length_value(length, size, row):
    """Return the part of a card's value that depends on the length of its suit in the hand, the card included."""
    return _interpolated(LENGTH_VALUES, row, full_length(length, size))


@kernel
def rank_value(rivals, share, row):
    """Return the part of a card's value that depends on its rivals, of which ``share`` will still be in play."""
    return _interpolated(RANK_VALUES, row, rivals * share)


@kernel
def share_left(held, unplayed):
    """Return the share of a card's rivals that will still be unplayed when the endgame starts.

    Args:
        held: number of cards in the hand that holds the card.
        unplayed: mask of all cards not played yet.
    """
    return min(1.0, 2.0 * held / popcount(unplayed))


@kernel
def rivals_of(card, low):
    """Return the mask of the cards that outrank a card; in a low deal, of those that the card outranks."""
    return below(card) if low else above(card)


@kernel
def card_value(card, own, size, unplayed, trump, low):
    """Return what holding a card is worth in the endgame, in tricks.

    Args:
        card: the card.
        own: mask of the hand that holds the card or would hold it.
        size: cards in a full hand of the game.
        unplayed: mask of all cards not played yet.
        trump: the trump suit, −1 for none.
        low: whether the endgame is played low.
    """
    suit = suit_of(card)
    row = value_row(suit, trump, low)
    rivals = popcount(unplayed & rivals_of(card, low) & ~own)
    length = length_value(popcount((own | (_ONE << np.uint64(card))) & suit_mask(suit)), size, row)
    return rank_value(rivals, share_left(popcount(own), unplayed), row) + length


@kernel
def mean_card_value(cards, own, size, unplayed, trump, low):
    """Return the mean value of some unplayed cards to a hand that holds none of them; 0 for an empty mask.

    Among the cards of a suit that the hand does not hold, the best has no rival, the next has one, and so on. The
    values are therefore summed by number of rivals, without looking at the cards one by one; only the cards outside
    ``cards`` are looked at, to skip their numbers.
    """
    if not cards:
        return 0.0
    share = share_left(popcount(own) + 1, unplayed)
    not_held = unplayed & ~own
    others = not_held & ~cards
    total = 0.0
    for suit in range(4):
        suited = not_held & suit_mask(suit)
        if not suited & cards:
            continue
        row = value_row(suit, trump, low)
        skipped = np.uint64(0)  # bit r: the card with r rivals is not in ``cards``
        mask = suited & others
        while mask:
            skipped |= _ONE << np.uint64(popcount(suited & rivals_of(lowest(mask), low)))
            mask &= mask - _ONE
        for rivals in range(popcount(suited)):
            if not (skipped >> np.uint64(rivals)) & _ONE:
                total += rank_value(rivals, share, row)
        total += popcount(suited & cards) * length_value(popcount(own & suit_mask(suit)) + 1, size, row)
    return total / popcount(cards)


@kernel
def best_card(cards, own, size, unplayed, trump, low):
    """Return the card of a mask that is worth most to a hand; −1 for an empty mask."""
    best = -1
    best_value = -1e9
    while cards:
        card = lowest(cards)
        cards &= cards - _ONE
        value = card_value(card, own | (_ONE << np.uint64(card)), size, unplayed, trump, low)
        if value > best_value:
            best, best_value = card, value
    return best
