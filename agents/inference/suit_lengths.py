"""The opponent's suits in all consistent hands: expected lengths and void probabilities.

Every hand that is consistent with the view is taken as equally likely (see ``world_sampling_kernels``); how the
opponent has played is ignored.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.inference.sampling import check_consistent
from german_whist.agents.inference.world_sampling_kernels import BINOMIAL, HAND_COUNTS, count_hands
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.state_kernels import suit_mask
from german_whist.game.utils.bit_kernels import popcount
from german_whist.game.utils.jit import allocating_kernel, kernel
from german_whist.simulator.observation.views import Views, check_view_array


class SuitLengths(NamedTuple):
    """Lengths of the opponent's suits, in the order C D H S.

    Attributes:
        expected: expected number of cards of the suit in the opponent's hand, float64[n, 4].
        void: probability that it holds none, float64[n, 4].
    """

    expected: npt.NDArray[np.float64]
    void: npt.NDArray[np.float64]


@allocating_kernel
def _write_lengths(
    rules: Any, view: Any, counts: Any, expected: npt.NDArray[np.float64], void: npt.NDArray[np.float64]
) -> None:
    hands: int = count_hands(rules, view, counts)
    held = counts.held
    # A forward pass over the suits meets the backward counts in ``counts.ways``: the ways before a suit, times those of
    # the suit, times those after it, are the hands with that length of the suit.
    before = np.zeros(held + 1)  # [k]: ways to hold k cards of the suits before this one
    before[0] = 1.0
    for i in range(4):
        suit = counts.order[i]
        length = popcount(counts.cards & suit_mask(suit))
        known = popcount(view.opponent_known & suit_mask(suit))
        expected[suit] = known
        after = np.zeros(held + 1)
        for held_before in range(held + 1):
            for count in range(min(length, counts.limit[i] - held_before) + 1):
                ways = before[held_before] * BINOMIAL[length, count]
                after[held_before + count] += ways
                share = ways * counts.ways[i + 1, held_before + count] / hands
                expected[suit] += share * count
                if count + known == 0:
                    void[suit] += share
        before = after


@kernel
def _write_all_lengths(
    rules: Any, views: Views, counts: Any, expected: npt.NDArray[np.float64], void: npt.NDArray[np.float64]
) -> None:
    for i in range(views.shape[0]):
        _write_lengths(rules[0], views[i], counts[0], expected[i], void[i])


def suit_lengths(views: Views, rules: str | Rules = "classic") -> SuitLengths:
    """Return the expected lengths of the opponent's suits, and the probabilities of voids.

    Args:
        views: ``VIEW`` array of shape (n,).
        rules: the rules of the deals.

    Raises:
        ValueError: when no opponent hand is consistent with a view, or ``views`` is not an array of views.
    """
    check_view_array(views)
    game = get_rules(rules)
    check_consistent(views, game)
    lengths = SuitLengths(np.zeros((len(views), 4)), np.zeros((len(views), 4)))
    _write_all_lengths(game.record, np.ascontiguousarray(views), np.zeros(1, HAND_COUNTS), *lengths)
    return lengths
