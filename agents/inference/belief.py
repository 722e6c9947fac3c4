"""What a view tells of the opponent's hand: how many cards of each suit, with what chance.

Exact, over all hands that the view allows, each equally likely (see ``worlds``). It makes nothing of what the opponent
chose to play, so it is what the rules alone tell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Views
from german_whist.agents.inference.world_sampling_kernels import BINOMIAL, HIDDEN, count_hands
from german_whist.envs.engine.state_kernels import suit_mask
from german_whist.envs.utils.bit_kernels import popcount
from german_whist.envs.utils.jit import kernel


class Belief(NamedTuple):
    """What is believed of the opponent's suits, in the order C D H S.

    Attributes:
        expected: cards that the opponent holds on average, float64[n, 4].
        void: chance that it holds none, float64[n, 4].
    """

    expected: npt.NDArray[np.float64]
    void: npt.NDArray[np.float64]


@kernel
def _write_belief(view, hidden, expected, void):
    """Write the belief of one view; return how many hands it allows."""
    hands = count_hands(view, hidden)
    if hands == 0:
        return hands
    held = hidden.held
    before = np.zeros(held + 1)  # ways to hold so many cards in the suits that stand before
    before[0] = 1.0
    for place in range(4):
        suit = hidden.order[place]
        length = popcount(hidden.cards & suit_mask(suit))
        known = popcount(view.opponent_known & suit_mask(suit))
        expected[suit] = known
        after = np.zeros(held + 1)
        for held_before in range(held + 1):
            for count in range(min(length, hidden.limit[place] - held_before) + 1):
                ways = before[held_before] * BINOMIAL[length, count]
                after[held_before + count] += ways
                share = ways * hidden.ways[place + 1, held_before + count] / hands
                expected[suit] += share * count
                if count + known == 0:
                    void[suit] += share
        before = after
    return hands


@kernel
def _write_beliefs(views, hidden, expected, void):
    """Write the beliefs of some views; return the first that allows no hand, −1 for none."""
    for i in range(views.shape[0]):
        if _write_belief(views[i], hidden[0], expected[i], void[i]) == 0:
            return i
    return -1


def beliefs(views: Views) -> Belief:
    """Return what some views tell of the opponent's suits.

    Args:
        views: ``VIEW`` array of shape (n,).

    Raises:
        ValueError: when a view is none of a deal: no hand of the opponent goes with it.
    """
    belief = Belief(np.zeros((len(views), 4)), np.zeros((len(views), 4)))
    wrong = _write_beliefs(np.ascontiguousarray(views), np.zeros(1, HIDDEN), *belief)
    if wrong >= 0:
        raise ValueError(f"view {wrong} is none of a deal: no hand of the opponent goes with it")
    return belief
