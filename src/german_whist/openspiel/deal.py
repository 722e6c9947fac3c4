"""A deal whose cards are drawn when they are needed, for OpenSpiel states.

The engine's kernels apply the rules. They read cards from a deck in dealing order, so an action that takes cards off
the deck waits until chance has named those cards, and is played then. A hand is a set: its cards are named from low to
high, with probabilities that make every hand equally likely, so each hand has one history instead of one per order.

A search keeps thousands of these positions and plays on from each. Making the next position takes 14 µs; with a
``DealBatch`` per position it would take 125 µs.
"""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.game.cards import cards_of
from german_whist.game.rules import Rules
from german_whist.game.scoring import Reward
from german_whist.game.state import EXCHANGE, STATE, SWAP
from german_whist.openspiel.deal_kernels import advance, start
from german_whist.simulator.observation.history import COLUMNS, max_events
from german_whist.simulator.observation.history_kernels import write_histories
from german_whist.simulator.observation.view_kernels import write_views
from german_whist.simulator.observation.views import VIEW

DEALING = -1  # instead of a waiting action, before the deal has begun
NOTHING = -2  # no action waits: it is a player's turn, or the deal is over

Group = tuple[int, ...]  # positions of the deck whose cards are named from low to high


class Setup(NamedTuple):
    """What stays the same in all deals of a game.

    Attributes:
        rules: the rules.
        dealer: the seat that deals.
        reward: ``"margin"``, ``"win"`` or ``"points"``.
    """

    rules: Rules
    dealer: int
    reward: Reward


def opening_groups(rules: Rules) -> tuple[Group, ...]:
    """Return the deck positions that chance names first: the non-dealer's hand, the dealer's hand, the cards shown."""
    cards = len(rules.cards)
    if rules.humbug:  # the dealer's last card is shown
        return (tuple(range(0, cards, 4)), tuple(range(3, cards - 1, 4)), (cards - 1,))
    stock = 2 * rules.hand
    shown = ((position,) for position in range(stock, stock + rules.open_stock))
    return (tuple(range(0, stock, 2)), tuple(range(1, stock, 2)), *shown)


def blind_groups(rules: Rules) -> tuple[Group, ...]:
    """Return the deck positions of the blind hands, in the order in which seats that swap take them."""
    return tuple(tuple(range(first, len(rules.cards), 4)) for first in (1, 2)) if rules.humbug else ()


class Deal:
    """An immutable position of a deal. ``applied`` returns the position after an action or a card named by chance.

    Attributes:
        setup: what stays the same.
        state: ``STATE`` array of shape (1,), not to be changed; positions of the deck that are not named yet hold 0.
        actions: the actions played so far.
        waiting: the action that waits for cards, ``DEALING`` or ``NOTHING``.
        groups: the positions whose cards chance names next, without empty groups.
        seat: the seat to act; meaningless at chance nodes and when the deal is over.
        done: whether the deal is over.
        legal: mask of the legal actions of the seat to act.
    """

    __slots__ = ("_floor", "_named", "actions", "done", "groups", "legal", "seat", "setup", "state", "waiting")

    def __init__(self, setup: Setup) -> None:
        """Start before the first card is dealt."""
        self.setup = setup
        self.state: np.ndarray[Any, Any] = np.zeros(1, STATE)
        self.actions: tuple[int, ...] = ()
        self.waiting = DEALING
        self.groups = tuple(group for group in opening_groups(setup.rules) if group)
        self._named = 0  # mask of the cards named so far
        self._floor = -1  # the last card named in the first group
        self.seat, self.done, self.legal = 0, False, 0

    def __deepcopy__(self, memo: object) -> Deal:
        """Return the deal itself: it never changes."""
        return self

    def _copy(self) -> Deal:
        other = Deal.__new__(Deal)
        for name in self.__slots__:
            setattr(other, name, getattr(self, name))
        return other

    @property
    def is_chance(self) -> bool:
        """Whether the next card is named by chance."""
        return bool(self.groups)

    @property
    def is_dealing(self) -> bool:
        """Whether the first cards are still being dealt."""
        return self.waiting == DEALING

    def outcomes(self) -> list[tuple[int, float]]:
        """Return the cards that chance can name next, in ascending order, and their probabilities.

        A group of n positions takes a set of n cards, all sets equally likely: of m cards above the last one, the i-th
        (from 0) is the lowest of the set in C(m − 1 − i, n − 1) of C(m, n) sets.
        """
        size = len(self.groups[0])
        left = [card for card in self.setup.rules.cards if card > self._floor and not self._named >> card & 1]
        sets = comb(len(left), size)
        return [(card, comb(len(left) - 1 - i, size - 1) / sets) for i, card in enumerate(left[: len(left) - size + 1])]

    def applied(self, action: int) -> Deal:
        """Return the deal after a card named by chance, or a legal action of the seat to act."""
        after = self._copy()
        if self.groups:
            after._name(action)
            if after.groups:
                return after
            action = after.waiting
        after._play(action)
        return after

    def _name(self, card: int) -> None:
        position, *rest = self.groups[0]
        self.state = self.state.copy()
        self.state["deck"][0, position] = card
        self._named |= 1 << card
        self.groups = (tuple(rest), *self.groups[1:]) if rest else self.groups[1:]
        self._floor = card if rest else -1

    def _play(self, action: int) -> None:
        """Play an action, or let it wait if it takes cards that are not named yet."""
        rules, state = self.setup.rules, self.state.copy()
        if self.waiting == DEALING:
            self.seat, self.done, self.legal, _ = start(rules.record, state, self.setup.dealer)
            self.state, self.waiting = state, NOTHING
            return
        if self.waiting == NOTHING and state["decision"][0] == EXCHANGE and action == SWAP:
            self.waiting, self.groups = action, (blind_groups(rules)[int(state["exchanged"][0, 1 - self.seat])],)
            return
        top = int(state["top"][0])
        seat, done, legal, next_top = advance(rules.record, state, action)
        if self.waiting == NOTHING and next_top > top:
            self.waiting, self.groups = action, tuple((position,) for position in range(top, next_top))
            return
        self.state, self.waiting = state, NOTHING
        self.seat, self.done, self.legal = seat, done, legal
        self.actions = (*self.actions, action)

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the seat to act in ascending order."""
        return list(cards_of(int(self.legal)))

    def view(self, seat: int) -> np.ndarray[Any, Any]:
        """Return a seat's view, a ``VIEW`` array of shape (1,); meaningless while the first cards are dealt."""
        view = np.empty(1, VIEW)
        write_views(1, self.setup.rules.record, self.state, _FIRST_ROW, np.array([seat], np.int64), view)
        return view

    def history(self, seat: int) -> tuple[npt.NDArray[np.int8], int]:
        """Return a seat's event history, int8[max_events, 4], and its number of events (0 while dealing)."""
        tokens = np.zeros((max_events(self.setup.rules), len(COLUMNS)), np.int8)
        if self.waiting == DEALING:
            return tokens, 0
        actions = np.array([self.actions], np.int8)
        counts, seats = np.array([len(self.actions)], np.int64), np.array([seat], np.int64)
        lengths = np.empty(1, np.int16)
        write_histories(
            1, self.setup.rules.record, self.state, actions, counts, _FIRST_ROW, seats, tokens[None], lengths
        )
        return tokens, int(lengths[0])


_FIRST_ROW = np.zeros(1, np.int64)
