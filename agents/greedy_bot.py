"""``greedy``: wins a trick as cheaply as possible when the prize is worth it, and throws its lowest card otherwise."""

from __future__ import annotations

import numpy as np

from german_whist.envs.bits import lowest
from german_whist.envs.jit import kernel
from german_whist.envs.state import beats, suit_of

GOOD_RANK = 8  # a side card from the ten up is worth a trick; so is any trump

_ONE = np.uint64(1)


@kernel
def prize_is_worth_it(view):
    """Return whether the face-up card is a trump or high; every trick is wanted in the endgame, or where all count."""
    if view.face_up < 0 or view.all_count:
        return True
    return suit_of(view.face_up) == view.trump or view.face_up % 13 >= GOOD_RANK


@kernel
def cost(card, trump):
    """Order cards from cheap to dear: by rank, every trump above every side card."""
    rank = np.int64(card) % 13
    return rank + 13 if suit_of(card) == trump else rank


@kernel
def greedy_card(view):
    """Return the card that the greedy bot plays."""
    wanted = prize_is_worth_it(view)
    best = -1
    best_score = -1000
    mask = view.legal
    while mask:
        card = lowest(mask)
        mask &= mask - _ONE
        score = -cost(card, view.trump)  # the cheapest card
        if wanted:
            if view.led < 0:
                score = np.int64(card) % 13  # the highest card
            elif beats(card, view.led, view.trump):
                score += 100  # the cheapest winning card
        if score > best_score:
            best, best_score = card, score
    return best


@kernel
def choose(views, actions):
    """Write the greedy bot's card for each view."""
    for i in range(views.shape[0]):
        actions[i] = greedy_card(views[i])
