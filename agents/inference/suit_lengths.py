"""The opponent's suits in all consistent hands: expected lengths and void probabilities.

Every hand that is consistent with the view is taken as equally likely (see ``world_sampling_kernels``); how the
opponent has played is ignored.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.inference.sampling import check_consistent
from german_whist.agents.inference.world_sampling_kernels import BINOMIAL, HAND_COUNTS, MAX_HAND, count_hands
from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.state_kernels import suit_mask
from german_whist.game.utils.bit_kernels import popcount
from german_whist.game.utils.jit import kernel
from german_whist.simulator.observation.views import Views, check_view_array


class SuitLengths(NamedTuple):
    """Lengths of the opponent's suits, in the order C D H S.

    Attributes:
        expected: expected number of cards of the suit in the opponent's hand, float64[n, 4].
        void: probability that it holds none, float64[n, 4].
    """

    expected: npt.NDArray[np.float64]
    void: npt.NDArray[np.float64]


@kernel
def write_lengths(
    rules: Any,
    view: Any,
    counts: Any,
    ways_before: npt.NDArray[np.float64],
    expected: npt.NDArray[np.float64],
    void: npt.NDArray[np.float64],
) -> None:
    """Write the lengths of one view, whose ``void`` must be 0.

    Args:
        rules: the rules, a ``RULES_RECORD`` record.
        view: a consistent view, a ``VIEW`` record.
        counts: scratch, a ``HAND_COUNTS`` record.
        ways_before: scratch, float64[2, MAX_HAND + 1].
        expected: float64[4], written.
        void: float64[4], written.
    """
    hands: int = count_hands(rules, view, counts)
    held = counts.held
    # A forward pass over the suits meets the backward counts in ``counts.ways``: the ways before a suit, times those of
    # the suit, times those after it, are the hands with that length of the suit.
    before, after = ways_before[0], ways_before[1]  # [k]: ways to hold k cards of the suits before this one
    before[: held + 1] = 0.0
    before[0] = 1.0
    for i in range(4):
        suit = counts.order[i]
        length = popcount(counts.cards & suit_mask(suit))
        known = popcount(view.opponent_known & suit_mask(suit))
        expected[suit] = known
        after[: held + 1] = 0.0
        for held_before in range(held + 1):
            for count in range(min(length, counts.limit[i] - held_before) + 1):
                ways = before[held_before] * BINOMIAL[length, count]
                after[held_before + count] += ways
                share = ways * counts.ways[i + 1, held_before + count] / hands
                expected[suit] += share * count
                if count + known == 0:
                    void[suit] += share
        before, after = after, before


@kernel
def _write_all_lengths(
    rules: Any,
    views: Views,
    counts: Any,
    ways_before: npt.NDArray[np.float64],
    expected: npt.NDArray[np.float64],
    void: npt.NDArray[np.float64],
) -> None:
    for i in range(views.shape[0]):
        write_lengths(rules[0], views[i], counts[0], ways_before, expected[i], void[i])


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
    scratch = np.zeros(1, HAND_COUNTS), np.zeros((2, MAX_HAND + 1))
    _write_all_lengths(game.record, np.ascontiguousarray(views), *scratch, *lengths)
    return lengths
