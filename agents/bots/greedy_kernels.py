"""``greedy``: wins a trick as cheaply as possible when the prize is worth it, and throws its poorest card otherwise.

In a low deal it is the other way round: low cards are the good ones, and in the endgame it wins as few tricks as it
can.
"""

from __future__ import annotations

import numpy as np

from german_whist.envs.engine.state import KEEP, LEAVE, SWAP, TAKE
from german_whist.envs.engine.state_kernels import beats, suit_of
from german_whist.envs.utils.bit_kernels import lowest, popcount
from german_whist.envs.utils.jit import kernel

GOOD_RANK = 8  # a side card from the ten up is worth a trick; so is any trump
GOOD_LOW_RANK = 4  # in a low deal a plain card up to the six is

_ONE = np.uint64(1)


@kernel
def is_good(card, trump, low):
    """Return whether a card is worth winning a trick for."""
    if low:
        return suit_of(card) != trump and np.int64(card) % 13 <= GOOD_LOW_RANK
    return suit_of(card) == trump or np.int64(card) % 13 >= GOOD_RANK


@kernel
def keeping(card, trump, low):
    """Order cards from poor to good: by rank, trumps above the others; in a low deal the other way round."""
    rank = np.int64(card) % 13
    value = rank + 13 if suit_of(card) == trump else rank
    return -value if low else value


@kernel
def best_of(cards, trump, low):
    """Return the best card of a mask to have; −1 when it is empty."""
    best = -1
    while cards:
        card = lowest(cards)
        cards &= cards - _ONE
        if best < 0 or keeping(card, trump, low) > keeping(best, trump, low):
            best = card
    return best


@kernel
def trick_is_wanted(view):
    """Return whether the prize is good; every trick is where it counts, and none in a low endgame."""
    if view.stock == 0:
        return view.low == 0
    if view.all_count:
        return True
    return view.face_up != 0 and is_good(best_of(view.face_up, view.trump, view.low), view.trump, view.low)


@kernel
def good_cards(cards, trump, low):
    """Return how many cards of a mask are good."""
    count = 0
    while cards:
        count += 1 if is_good(lowest(cards), trump, low) else 0
        cards &= cards - _ONE
    return count


@kernel
def choice(view):
    """Pick the best open card; take it rather than leave it when it is good; keep a hand that is good on average."""
    trump, low = view.trump, view.low
    if view.legal < _ONE << np.uint64(52):
        return best_of(view.legal, trump, low)
    if view.face_up:
        return TAKE if is_good(lowest(view.face_up), trump, low) else LEAVE
    fair = good_cards(view.unseen, trump, low) / popcount(view.unseen)
    return KEEP if good_cards(view.hand, trump, low) >= fair * popcount(view.hand) else SWAP


@kernel
def greedy_card(view):
    """Return the card that the greedy bot plays."""
    wanted = trick_is_wanted(view)
    shunned = view.low and view.stock == 0
    best = -1
    best_score = -1000
    mask = view.legal
    while mask:
        card = lowest(mask)
        mask &= mask - _ONE
        rank = np.int64(card) % 13
        wins = view.led >= 0 and beats(card, view.led, view.trump)
        if shunned:
            # Lead low; follow with the highest card that loses, or with the highest when every card wins.
            score = -rank if view.led < 0 else (rank - 100 if wins else rank)
        elif wanted and view.led < 0:
            score = rank  # the highest card
        else:
            score = -keeping(card, view.trump, view.low) + (100 if wanted and wins else 0)  # win cheaply, or throw away
        if score > best_score:
            best, best_score = card, score
    return best


@kernel
def choose(views, actions):
    """Write the greedy bot's action for each view."""
    for i in range(views.shape[0]):
        actions[i] = choice(views[i]) if views[i].choice else greedy_card(views[i])
