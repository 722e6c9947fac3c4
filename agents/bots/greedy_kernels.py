"""``greedy``: the bot that wins a trick as cheaply as possible if it wants the prize, and else discards its worst card.

In a low deal the low cards are the good ones, and in the endgame the bot avoids tricks.
"""

from __future__ import annotations

import numpy as np

from german_whist.game.state import KEEP, LEAVE, SWAP, TAKE
from german_whist.game.state_kernels import beats, suit_of
from german_whist.game.utils.bit_kernels import lowest, popcount
from german_whist.game.utils.jit import kernel
from german_whist.game.utils.row_kernels import row_kernel

GOOD_RANK = 8  # the bot wants plain cards from the ten up, and all trumps
GOOD_LOW_RANK = 4  # highest rank of a good card in a low deal: plain cards up to the six

_ONE = np.uint64(1)  # ``cards &= cards - _ONE`` removes the lowest card of a mask


@kernel
def is_good(card, trump, low):
    """Return whether a card is worth winning a trick for."""
    if low:
        return suit_of(card) != trump and np.int64(card) % 13 <= GOOD_LOW_RANK
    return suit_of(card) == trump or np.int64(card) % 13 >= GOOD_RANK


@kernel
def keep_value(card, trump, low):
    """Return a sort key, −25 to 25, that grows with a card's worth: rank, trumps above plain suits, negated if low."""
    rank = np.int64(card) % 13
    value = rank + 13 if suit_of(card) == trump else rank
    return -value if low else value


@kernel
def best_of(cards, trump, low):
    """Return the best card of a mask; −1 for an empty one."""
    best = -1
    while cards:
        card = lowest(cards)
        cards &= cards - _ONE
        if best < 0 or keep_value(card, trump, low) > keep_value(best, trump, low):
            best = card
    return best


@kernel
def wants_trick(view):
    """Return whether the bot wants to win this trick: it counts (never in a low endgame), or the prize is good."""
    if view.stock == 0:
        return view.low == 0
    if view.all_count:
        return True
    return view.face_up != 0 and is_good(best_of(view.face_up, view.trump, view.low), view.trump, view.low)


@kernel
def good_cards(cards, trump, low):
    """Return the number of good cards in a mask."""
    count = 0
    while cards:
        count += 1 if is_good(lowest(cards), trump, low) else 0
        cards &= cards - _ONE
    return count


@kernel
def option_action(view):
    """Choose without playing a card: pick the best face-up card, take a good prize, keep a hand at least average."""
    trump, low = view.trump, view.low
    # Actions below 52 are cards: the seat picks one of the face-up cards.
    if view.legal < _ONE << np.uint64(52):
        return best_of(view.legal, trump, low)
    if view.face_up:
        return TAKE if is_good(lowest(view.face_up), trump, low) else LEAVE
    fair = good_cards(view.unseen, trump, low) / popcount(view.unseen)
    return KEEP if good_cards(view.hand, trump, low) >= fair * popcount(view.hand) else SWAP


@kernel
def greedy_card(view):
    """Return the card to play."""
    wanted = wants_trick(view)
    avoids_tricks = view.low and view.stock == 0
    best = -1
    best_score = -1000
    mask = view.legal
    while mask:
        card = lowest(mask)
        mask &= mask - _ONE
        rank = np.int64(card) % 13
        wins = view.led >= 0 and beats(card, view.led, view.trump)
        # The offset of 100 exceeds every difference of ranks or values, so it always separates winners from losers.
        if avoids_tricks:
            # Lead low; follow with the highest losing card, or with the highest card when all of them win.
            score = -rank if view.led < 0 else (rank - 100 if wins else rank)
        elif wanted and view.led < 0:
            score = rank  # the highest card
        else:
            score = -keep_value(card, view.trump, view.low) + (100 if wanted and wins else 0)  # win cheaply or discard
        if score > best_score:
            best, best_score = card, score
    return best


@row_kernel
def choose(i, views, actions):
    """Write the bot's action for view ``i``."""
    actions[i] = option_action(views[i]) if views[i].choice else greedy_card(views[i])
