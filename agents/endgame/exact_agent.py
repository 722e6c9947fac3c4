"""``NAME+exact``: any agent, with a perfect endgame.

Where a view determines the opponent's hand (the stock is gone and no blind hand hides cards) the exact solver plays for
the margin: most tricks, in a low game fewest, in a race until it stops. Anywhere else NAME acts.

Of equally good cards it plays the one that gains most if the opponent errs. An opponent errs in two ways here: it
plays by rules of thumb, or it plays anything. So first come the cards that do best when both sides go on by the rules
of thumb of the ``heuristic`` bot (``endgame_rules.try_card``). Of these it plays the one with most *hope*: it goes on
with best cards until the opponent is to choose; each of the opponent's cards (one of each run of neighbours) is taken
as equally likely, and play is perfect on both sides from there; the hope is the mean margin. After that comes the
lowest card number: nothing depends on chance or on the size of a batch. What it gains is in ``docs/endgame.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.bots.base import Actions, Agent, Views
from german_whist.agents.bots.heuristic.endgame_kernels import try_card
from german_whist.agents.endgame.open_hands import (
    NOT_LEGAL,
    OpenHands,
    after_card,
    card_margins,
    count_cards,
    is_open,
    one_of_each_run,
    open_hands,
)
from german_whist.envs.utils.jit import kernel

Cards = npt.NDArray[np.int64]


class ExactEndgame:
    """An agent with a perfect endgame.

    Attributes:
        agent: the agent that plays where the opponent's hand is not known.
        name: its name, with ``+exact``.
    """

    def __init__(self, agent: Agent) -> None:
        """Take the agent.

        Raises:
            ValueError: when its endgame is exact already.
        """
        name = str(getattr(agent, "name", type(agent).__name__))
        if isinstance(agent, ExactEndgame):
            raise ValueError(f"agent {name!r} plays the endgame exactly already: give +exact once")
        self.agent = agent
        self.name = f"{name}+exact"

    def act(self, views: Views, rng: Any = None) -> Actions:
        """Return one action per view, int64[n]."""
        return exact_where_open(self.agent.act, views, rng)


def exact_where_open(act: Callable[[Views, Any], Actions], views: Views, rng: Any) -> Actions:
    """Return one action per view, int64[n]: the solver's where the opponent's hand is known, that of ``act`` elsewhere.

    Args:
        act: gives the actions of some views.
        views: ``VIEW`` array of shape (n,).
        rng: randomness for ``act``, which draws the same as if it were asked of all views.
    """
    known = is_open(views)
    if not known.any():
        return np.asarray(act(views, rng))
    actions = np.empty(len(views), np.int64)
    actions[known] = best_cards(open_hands(views[known]))
    rest = np.flatnonzero(~known)
    if len(rest):
        actions[rest] = act(views[rest], rng if rng is None else SomeRows(rng, len(views), rest))
    return actions


class SomeRows:
    """The randomness of some rows: each draws what it would draw if all were there."""

    def __init__(self, rng: Any, total: int, rows: npt.NDArray[np.int64]) -> None:
        """Take the randomness of ``total`` rows, and which of them are meant."""
        self._rng, self._total, self._rows = rng, total, rows

    def random(self, size: int | tuple[int, ...] | None = None) -> npt.NDArray[np.float64]:
        """Return uniform numbers in [0, 1), one row per view as the first dimension."""
        numbers: npt.NDArray[np.float64] = self._rng.random(self._whole(size))[self._rows]
        return numbers

    def integers(
        self, low: int, high: int | None = None, size: int | tuple[int, ...] | None = None
    ) -> npt.NDArray[np.int64]:
        """Return uniform whole numbers, one row per view as the first dimension."""
        numbers: npt.NDArray[np.int64] = self._rng.integers(low, high, self._whole(size))[self._rows]
        return numbers

    def _whole(self, size: int | tuple[int, ...] | None) -> tuple[int, ...]:
        shape = (size,) if isinstance(size, (int, np.integer)) else (len(self._rows),) if size is None else tuple(size)
        if not shape or shape[0] != len(self._rows):
            raise ValueError(
                f"size {size!r} is not allowed: the first dimension is {len(self._rows)}, one row per view"
            )
        return (self._total, *shape[1:])


def best_cards(hands: OpenHands) -> Cards:
    """Return the card that each seat to act plays, int64[n]."""
    candidates, best = _best(hands)
    # Where every trick is this seat's already no error can gain more, and any card will do.
    _keep_best_by_rules(*hands[:5], best == count_cards(hands.own), candidates)
    cards: Cards = candidates.argmax(axis=1)
    contested = np.flatnonzero(candidates.sum(axis=1) > 1)
    if len(contested):
        # argmax takes the first of several: the lowest card.
        cards[contested] = _random_reply_margins(hands.rows(contested), candidates[contested]).argmax(axis=1)
    return cards


def _best(hands: OpenHands) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int16]]:
    """Return the best cards, one of each run of neighbours, bool[n, 52], and their margins, int16[n]."""
    margins = card_margins(hands)
    best = margins.max(axis=1)
    cards = margins == best[:, None]
    one_of_each_run(hands, cards)
    return cards, best


@kernel
def _keep_best_by_rules(own, other, led, trump, low, is_sure, cards):
    for i in range(cards.shape[0]):
        best = -99
        for card in range(52):
            if cards[i, card]:
                margin = 0
                if not is_sure[i]:
                    margin = try_card(card, own[i], other[i], np.int64(led[i]), np.int64(trump[i]), low[i])
                if margin > best:
                    cards[i, :card] = False
                    best = margin
                elif margin < best or is_sure[i]:
                    cards[i, card] = False


def _random_reply_margins(hands: OpenHands, candidates: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return the hopes of some best cards, float64[n, 52]; −∞ for all other cards."""
    rows, cards = np.nonzero(candidates)
    following, gains, again, over = after_card(hands.rows(rows), cards)
    hoped = gains.astype(np.float64)
    theirs = np.flatnonzero(~again & ~over)
    if len(theirs):
        hoped[theirs] -= _mean_margins(following.rows(theirs))
    ours = np.flatnonzero(again & ~over)
    if len(ours):
        hoped[ours] += _best_random_reply_margin(following.rows(ours))
    hopes = np.full(candidates.shape, -np.inf)
    hopes[rows, cards] = np.round(hoped, 9)  # sums of the same fractions in another order are the same hope
    return hopes


def _mean_margins(hands: OpenHands) -> npt.NDArray[np.float64]:
    """Return the mean margin of the seat to act over its cards, one of each run, float64[n]."""
    margins = card_margins(hands)
    cards = margins != NOT_LEGAL
    one_of_each_run(hands, cards)
    means: npt.NDArray[np.float64] = np.where(cards, margins, 0).sum(axis=1) / cards.sum(axis=1)
    return means


def _best_random_reply_margin(hands: OpenHands) -> npt.NDArray[np.float64]:
    """Return the hope of the best card with most of it, float64[n]."""
    candidates, best = _best(hands)
    hopes = best.astype(np.float64)
    unsure = np.flatnonzero(best < count_cards(hands.own))
    if len(unsure):
        hopes[unsure] = _random_reply_margins(hands.rows(unsure), candidates[unsure]).max(axis=1)
    return hopes
