"""Batched perfect play of endgames with open hands: the exact margin of each card, and which perfect card to play.

All values are from the view of the seat to act. A *margin* is this seat's remaining tricks minus the opponent's; in a
low game it is the other way round, so that more is always better.

Of several perfect cards, the one is played that gains most if the opponent errs. Opponents err in two ways: they follow
rules of thumb, or they play anything. Perfect cards are therefore compared

1. by the margin of a rollout in which both sides follow the rules of the ``heuristic`` bot (``card_rollout_margin``);
2. by the *random-reply margin*: this side plays best cards until the opponent has to choose, each of the opponent's
   distinct cards is equally likely, and both sides play perfectly from there; the mean margin counts;
3. by card number, the lowest first.

The result does not depend on chance or on the batch size. ``docs/explanation/endgame.md`` shows what this gains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.endgame.open_hands_kernels import (
    drop_equivalent_cards,
    keep_best_by_rules,
    write_card_counts,
    write_follower_wins,
    write_opponent_hand_known,
)
from german_whist.simulator.observation.views import Views
from german_whist.solver.endgames import solve_endgames
from german_whist.solver.races import NOT_LEGAL_MARGIN, race_move_values

_ONE = np.uint64(1)


class OpenHands(NamedTuple):
    """A batch of endgames, one per row. Hands are card masks.

    Attributes:
        own: hand of the seat to act, uint64[n].
        other: hand of the other seat without the card it has led, uint64[n].
        led: card led by the other seat, int8[n]; −1 when the seat to act leads.
        trump: trump suits, int8[n]; −1 for none.
        low: whether the fewest tricks win, bool[n].
        needs: tricks that each seat still needs to end a race, own first, int8[n, 2]; zeros where there is no race.
    """

    own: npt.NDArray[np.uint64]
    other: npt.NDArray[np.uint64]
    led: npt.NDArray[np.int8]
    trump: npt.NDArray[np.int8]
    low: npt.NDArray[np.bool_]
    needs: npt.NDArray[np.int8]

    def rows(self, rows: npt.NDArray[np.integer]) -> OpenHands:
        """Return the endgames in ``rows``, int64[k]."""
        return OpenHands(*(column[rows] for column in self))


def opponent_hand_known(views: Views) -> npt.NDArray[np.bool_]:
    """Return in which views the seat to act knows the opponent's hand in an endgame of at most 13 cards, bool[n].

    Args:
        views: ``VIEW`` array of shape (n,).
    """
    found = np.empty(len(views), np.bool_)
    write_opponent_hand_known(views, found)
    return found


def open_hands(views: Views) -> OpenHands:
    """Return the endgames of n views in all of which :func:`opponent_hand_known` is true."""
    counted = np.stack([views["all_count"], np.ones(len(views), np.int8)], axis=1)
    taken = np.stack([(views[name] * counted).sum(axis=1) for name in ("tricks_self", "tricks_opponent")], axis=1)
    race = views["race"][:, None]
    return OpenHands(
        own=views["hand"].copy(),
        other=views["unseen"] | views["opponent_known"],
        led=views["led"].copy(),
        trump=views["trump"].copy(),
        low=views["low"].astype(np.bool_),
        needs=np.where(race > 0, race - taken, 0).astype(np.int8),
    )


def card_margins(hands: OpenHands) -> npt.NDArray[np.int16]:
    """Return the margin of each card of the seat to act with perfect play afterwards.

    Returns:
        int16[n, 52]; ``NOT_LEGAL_MARGIN`` for cards that are not legal.
    """
    margins = np.empty((len(hands.own), 52), np.int16)
    is_race = hands.needs[:, 0] > 0
    for rows, values in ((np.flatnonzero(~is_race), _plain_margins), (np.flatnonzero(is_race), _race_margins)):
        if len(rows):
            margins[rows] = values(hands if len(rows) == len(is_race) else hands.rows(rows))
    return margins


def exact_margins(views: Views) -> npt.NDArray[np.int64]:
    """Return the margin of the whole deal for each card, with perfect play by both seats afterwards.

    Args:
        views: n views in which :func:`opponent_hand_known` is true.

    Returns:
        int64[n, 52]; ``NOT_LEGAL_MARGIN`` for cards that are not legal.
    """
    margins = card_margins(open_hands(views)).astype(np.int64)
    difference = views["tricks_self"].astype(np.int64) - views["tricks_opponent"]
    taken = difference[:, 1] + difference[:, 0] * views["all_count"]
    taken = np.where(views["low"] != 0, -taken, taken)
    return np.where(margins == NOT_LEGAL_MARGIN, margins, margins + taken[:, None])


def _seats(hands: OpenHands) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the leaders' and the followers' hands, uint64[n] each."""
    follows = hands.led >= 0
    return np.where(follows, hands.other, hands.own), np.where(follows, hands.own, hands.other)


def _plain_margins(hands: OpenHands) -> npt.NDArray[np.int16]:
    leaders, followers = _seats(hands)
    solved = solve_endgames(leaders, followers, trumps=hands.trump, lows=hands.low, leds=hands.led, by_card=True)
    tricks = solved.astype(np.int16)
    legal = tricks >= 0
    margins = 2 * tricks - count_cards(hands.own)[:, None]
    return np.where(legal, np.where(hands.low[:, None], -margins, margins), NOT_LEGAL_MARGIN).astype(np.int16)


def _race_margins(hands: OpenHands) -> npt.NDArray[np.int16]:
    leaders, followers = _seats(hands)
    needs = np.where(hands.led[:, None] >= 0, hands.needs[:, ::-1], hands.needs)
    return race_move_values(leaders, followers, hands.trump, hands.led, needs=needs).astype(np.int16)


def count_cards(masks: npt.NDArray[np.uint64]) -> npt.NDArray[np.int16]:
    """Return the number of cards in each mask, int16[n]."""
    counts = np.empty(len(masks), np.int16)
    write_card_counts(masks, counts)
    return counts


def _after_card(
    hands: OpenHands, cards: npt.NDArray[np.integer]
) -> tuple[OpenHands, npt.NDArray[np.int16], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Play one legal card, int[n], for each seat to act.

    Returns:
        The endgames from the view of the seat that acts next; the change in the margin of the seat that played, 0 where
        it led; where the same seat acts next; and where the deal is over.
    """
    own = hands.own & ~(_ONE << cards.astype(np.uint64))
    leads, is_race = hands.led < 0, hands.needs[:, 0] > 0
    won = np.empty(len(cards), np.bool_)
    write_follower_wins(cards, hands.led, hands.trump, won)
    needs = hands.needs.copy()
    needs[:, 0] -= is_race & won
    needs[:, 1] -= is_race & ~leads & ~won
    after = OpenHands(
        own=np.where(won, own, hands.other),
        other=np.where(won, hands.other, own),
        led=np.where(leads, cards, -1).astype(np.int8),
        trump=hands.trump,
        low=hands.low,
        needs=np.where(won[:, None], needs, needs[:, ::-1]),
    )
    reward = np.where(leads, 0, np.where(won != hands.low, 1, -1)).astype(np.int16)
    return after, reward, won, (after.own == 0) | (is_race & (needs.min(axis=1) == 0))


def best_cards(hands: OpenHands) -> npt.NDArray[np.int64]:
    """Return a perfect card of each seat to act, int64[n]; the module's docstring says how ties are broken."""
    candidates, best = _best(hands)
    # No error of the opponent can add to the largest possible margin, so that any candidate will do.
    keep_best_by_rules(*hands[:5], best == count_cards(hands.own), candidates)
    cards: npt.NDArray[np.int64] = candidates.argmax(axis=1)
    contested = np.flatnonzero(candidates.sum(axis=1) > 1)
    if len(contested):
        # argmax takes the first of several maxima: the lowest card.
        cards[contested] = _random_reply_margins(hands.rows(contested), candidates[contested]).argmax(axis=1)
    return cards


def _best(hands: OpenHands) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int16]]:
    """Return the best cards, one of each run of equivalent ones, bool[n, 52], and their margin, int16[n]."""
    margins = card_margins(hands)
    best = margins.max(axis=1)
    cards = margins == best[:, None]
    drop_equivalent_cards(hands.own, hands.other, hands.led, cards)
    return cards, best


def _random_reply_margins(hands: OpenHands, candidates: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return the random-reply margin of each candidate, float64[n, 52]; −∞ for all other cards."""
    rows, cards = np.nonzero(candidates)
    after, reward, same_player, terminated = _after_card(hands.rows(rows), cards)
    expected = reward.astype(np.float64)
    theirs = np.flatnonzero(~same_player & ~terminated)
    if len(theirs):
        expected[theirs] -= _mean_margins(after.rows(theirs))
    ours = np.flatnonzero(same_player & ~terminated)
    if len(ours):
        expected[ours] += _best_random_reply_margin(after.rows(ours))
    margins = np.full(candidates.shape, -np.inf)
    margins[rows, cards] = np.round(expected, 9)  # fractions that are equal compare equal, however they were summed
    return margins


def _mean_margins(hands: OpenHands) -> npt.NDArray[np.float64]:
    """Return the mean margin of the seat to act over its distinct cards, float64[n]."""
    margins = card_margins(hands)
    cards = margins != NOT_LEGAL_MARGIN
    drop_equivalent_cards(hands.own, hands.other, hands.led, cards)
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
