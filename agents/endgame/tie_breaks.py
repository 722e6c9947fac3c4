"""Which of several perfect cards to play: the one that gains most if the opponent errs.

Opponents err in two ways: they follow rules of thumb, or they play anything. So candidates are compared

1. by the margin of a rollout in which both sides follow the rules of the ``heuristic`` bot (``card_rollout_margin``);
2. by the *random-reply margin*: this side plays best cards until the opponent is to choose, each of the opponent's
   distinct cards is then equally likely, and both sides play perfectly from there; the mean margin counts;
3. by card number, the lowest first.

Nothing depends on chance or on the size of a batch. ``docs/explanation/endgame.md`` shows what this gains.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from german_whist.agents.endgame.open_hands import (
    OpenHands,
    after_card,
    card_margins,
    count_cards,
    one_of_each_run,
)
from german_whist.agents.endgame.open_hands_kernels import keep_best_by_rules
from german_whist.solver.races import NOT_LEGAL_MARGIN

Cards = npt.NDArray[np.int64]


def best_cards(hands: OpenHands) -> Cards:
    """Return the card that each seat to act plays, int64[n]: perfect for the margin, ties broken as above."""
    candidates, best = _best(hands)
    # With the largest possible margin no error of the opponent can add to it: any candidate will do.
    keep_best_by_rules(*hands[:5], best == count_cards(hands.own), candidates)
    cards: Cards = candidates.argmax(axis=1)
    contested = np.flatnonzero(candidates.sum(axis=1) > 1)
    if len(contested):
        # argmax takes the first of several maxima: the lowest card.
        cards[contested] = _random_reply_margins(hands.rows(contested), candidates[contested]).argmax(axis=1)
    return cards


def _best(hands: OpenHands) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int16]]:
    """Return the best cards, one of each run of equivalent ones, bool[n, 52], and their margins, int16[n]."""
    margins = card_margins(hands)
    best = margins.max(axis=1)
    cards = margins == best[:, None]
    one_of_each_run(hands, cards)
    return cards, best


def _random_reply_margins(hands: OpenHands, candidates: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return the random-reply margins of the candidates, float64[n, 52]; −∞ for all other cards."""
    rows, cards = np.nonzero(candidates)
    following, gains, again, over = after_card(hands.rows(rows), cards)
    expected = gains.astype(np.float64)
    theirs = np.flatnonzero(~again & ~over)
    if len(theirs):
        expected[theirs] -= _mean_margins(following.rows(theirs))
    ours = np.flatnonzero(again & ~over)
    if len(ours):
        expected[ours] += _best_random_reply_margin(following.rows(ours))
    margins = np.full(candidates.shape, -np.inf)
    margins[rows, cards] = np.round(expected, 9)  # equal fractions summed in another order must compare equal
    return margins


def _mean_margins(hands: OpenHands) -> npt.NDArray[np.float64]:
    """Return the mean margin of the seat to act over its distinct cards, float64[n]."""
    margins = card_margins(hands)
    cards = margins != NOT_LEGAL_MARGIN
    one_of_each_run(hands, cards)
    means: npt.NDArray[np.float64] = np.where(cards, margins, 0).sum(axis=1) / cards.sum(axis=1)
    return means


def _best_random_reply_margin(hands: OpenHands) -> npt.NDArray[np.float64]:
    """Return the highest random-reply margin among the best cards, float64[n]."""
    candidates, best = _best(hands)
    margins = best.astype(np.float64)
    unsure = np.flatnonzero(best < count_cards(hands.own))
    if len(unsure):
        margins[unsure] = _random_reply_margins(hands.rows(unsure), candidates[unsure]).max(axis=1)
    return margins
