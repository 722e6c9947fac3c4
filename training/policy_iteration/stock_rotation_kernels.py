"""Rotations of the unseen cards: other deals that are exactly as likely as the true one after any play.

No play can have depended on a face-down card. Given all that the seat to act knows, every order of the face-down stock
is therefore equally likely; so is any exchange with the card that the other seat drew unseen in the last trick, as long
as that seat has not decided anything since. Trying an action in several orders reduces the variance of its target
without bias, unlike worlds that are sampled without regard to the opponent's play.

The orders are rotations of the true one: each is uniform on its own, no place holds the same card twice, and no random
numbers are needed.
"""

from __future__ import annotations

import numpy as np

from german_whist.envs.engine.state import PLAY
from german_whist.envs.utils.jit import kernel

_ONE = np.uint64(1)


@kernel
def _last_drawn(state):
    """Return the deck index of the card that the other seat has just drawn unseen; −1 where play may reveal it."""
    place = np.int64(state.top) - 2  # the card above it was turned up when it had been drawn
    if place < 0 or state.led >= 0 or state.decision != PLAY:
        return np.int64(-1)
    other = 1 - np.int64(state.turn)
    held = (state.hands[other] & ~state.known[other]) >> np.uint64(state.deck[place])
    return place if held & _ONE else np.int64(-1)


@kernel
def count_rotations(game, state, most):
    """Return the number of rotations to try an action in: ``most``, or all where there are fewer."""
    unseen = np.int64(game.cards) - np.int64(state.top)
    if unseen > 0 and _last_drawn(state) >= 0:
        unseen += 1
    return max(np.int64(1), min(np.int64(most), unseen))


@kernel
def write_rotation(game, state, rotation, rotations, rotated):
    """Write a state with its unseen cards rotated; rotation 0 is the state itself.

    Args:
        game: the rules.
        state: ``STATE`` record; the seat to act cannot tell it from what is written.
        rotation: 0 to ``rotations`` − 1.
        rotations: from :func:`count_rotations`.
        rotated: ``STATE`` array (1,), written.
    """
    rotated[0] = state
    if rotation == 0:
        return
    state_copy = rotated[0]
    top, cards = np.int64(state.top), np.int64(game.cards)
    drawn = _last_drawn(state)
    first = top if drawn < 0 else top - 1  # place of the drawn card, as if it lay on the stock
    unseen = cards - first
    steps = rotation * unseen // rotations
    for number in range(unseen):
        source = first + (number + steps) % unseen
        place = first + number
        card = state.deck[drawn if source < top else source]
        state_copy.deck[drawn if place < top else place] = card
    if drawn >= 0:
        other = 1 - np.int64(state.turn)
        state_copy.hands[other] &= ~(_ONE << np.uint64(state.deck[drawn]))
        state_copy.hands[other] |= _ONE << np.uint64(state_copy.deck[drawn])
