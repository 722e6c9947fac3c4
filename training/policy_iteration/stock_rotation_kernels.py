"""Other orders of the cards that nobody has seen, which are as likely as the true one whatever has been played.

Nobody's play can have depended on a card that lies face down, so that given all that the seat to act knows every order
of the face-down stock is equally likely, and so it is with the card that the other seat drew unseen in the last trick,
when that seat has not decided anything since. To try an action in several orders takes luck out of what it is worth and
brings no error in, as worlds drawn without regard to what the opponent has played would.

The orders are turns of the true one: each is uniform as that is, none of their places holds a card twice, and no random
numbers are drawn.
"""

from __future__ import annotations

import numpy as np

from german_whist.envs.engine.state import PLAY
from german_whist.envs.utils.jit import kernel

_ONE = np.uint64(1)


@kernel
def _drawn_last(state):
    """Return the place in the deck of the card that the other seat has just drawn unseen; −1 where it may have told."""
    place = np.int64(state.top) - 2  # the card above it was turned up when it had been drawn
    if place < 0 or state.led >= 0 or state.decision != PLAY:
        return np.int64(-1)
    other = 1 - np.int64(state.turn)
    held = (state.hands[other] & ~state.known[other]) >> np.uint64(state.deck[place])
    return place if held & _ONE else np.int64(-1)


@kernel
def count_orders(game, state, most):
    """Return in how many orders an action is tried: ``most``, or fewer where there are fewer turns."""
    unseen = np.int64(game.cards) - np.int64(state.top)
    if unseen > 0 and _drawn_last(state) >= 0:
        unseen += 1
    return max(np.int64(1), min(np.int64(most), unseen))


@kernel
def write_order(game, state, order, orders, turned):
    """Write a state with the unseen cards in order number ``order`` of ``orders``; number 0 is the true one.

    Args:
        game: the rules.
        state: ``STATE`` record; the seat to act knows as much of what is written as of it.
        order: 0 to ``orders`` − 1.
        orders: what :func:`count_orders` says.
        turned: ``STATE`` array (1,), written.
    """
    turned[0] = state
    if order == 0:
        return
    made = turned[0]
    top, cards = np.int64(state.top), np.int64(game.cards)
    drawn = _drawn_last(state)
    first = top if drawn < 0 else top - 1  # the place of the drawn card, as if it lay on the stock
    unseen = cards - first
    steps = order * unseen // orders
    for number in range(unseen):
        source = first + (number + steps) % unseen
        place = first + number
        card = state.deck[drawn if source < top else source]
        made.deck[drawn if place < top else place] = card
    if drawn >= 0:
        other = 1 - np.int64(state.turn)
        made.hands[other] &= ~(_ONE << np.uint64(state.deck[drawn]))
        made.hands[other] |= _ONE << np.uint64(made.deck[drawn])
