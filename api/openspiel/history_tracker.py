"""The history of a deal, put together from the views at one seat's decisions.

A view does not tell the order of play, but two views at consecutive decisions of a seat do: at most one trick ends in
between. One thing remains unknown: in which order the first face-up cards of an ``open_stock`` were turned. They are
taken to be turned from low to high, trumps first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import KEEP, LEAVE, SWAP, TAKE
from german_whist.envs.engine.state_kernels import beats
from german_whist.envs.observation.history import EVENTS

_EVENT = {event.name: number for number, event in enumerate(EVENTS)}
_NOBODY, _SELF, _OPPONENT = 0, 1, 2
_FIELDS = (
    "hand",
    "played_opponent",
    "opponent_known",
    "own_known",
    "face_up",
    "stock",
    "dealer",
    "led",
    "trump",
    "choice",
    "exchanged_opponent",
)

ViewFields = dict[str, int]  # the fields of a view that tell what has happened


class HistoryTracker:
    """Follows a deal from one seat.

    Attributes:
        actions: both seats' actions so far.
        is_dealer: whether the seat deals.
    """

    def __init__(self, rules: Rules) -> None:
        """Start before the first decision."""
        self._rules = rules
        self._events: list[tuple[int, int, int, int]] = []
        self._before: ViewFields | None = None
        self._led, self._leader, self._trick = -1, _NOBODY, 0
        self.actions: list[int] = []
        self.is_dealer = False

    def history(self) -> tuple[npt.NDArray[np.int8], int]:
        """Return the events as a history, int8[events, 4], and their number."""
        return np.array(self._events, np.int8), len(self._events)

    def observe_view(self, view: Any) -> None:
        """Add what has happened since the last decision; ``view`` is a ``VIEW`` record at the next one."""
        now = {name: int(view[name]) for name in _FIELDS}
        if self._before is None:
            self._add_dealing(now)
        else:
            self._add_between(self._before, self.actions[-1], now)
        if now["led"] >= 0:
            self._play(_OPPONENT, now["led"])
        self._before = now

    def record_own_action(self, action: int) -> None:
        """Add the seat's own decision."""
        self.actions.append(action)

    def _add(self, event: str, who: int, card: int = -1) -> None:
        self._events.append((_EVENT[event], who, card + 1, self._trick))

    def _add_dealing(self, now: ViewFields) -> None:
        self.is_dealer = bool(now["dealer"])
        dealer = _SELF if self.is_dealer else _OPPONENT
        self._add("dealer", dealer)
        for card in cards_of(now["hand"]):
            self._add("dealt", _SELF, card)
        for _ in range(self._rules.hand):
            self._add("dealt", _OPPONENT)
        if self._rules.humbug:
            self._add("turned", dealer, *cards_of(now["own_known" if self.is_dealer else "opponent_known"]))
            if self.is_dealer:
                self._exchange(_OPPONENT, now["exchanged_opponent"], 0)
        for card in sorted(cards_of(now["face_up"]), key=lambda card: (card // 13 != now["trump"], card)):
            self._add("turned", _NOBODY, card)

    def _add_between(self, before: ViewFields, action: int, now: ViewFields) -> None:
        if not before["choice"]:
            self.actions.pop()
            self._play(_SELF, action)
            new = now["played_opponent"] & ~before["played_opponent"]
            for card in cards_of(new):
                if card != now["led"]:
                    self._play(_OPPONENT, card)
            if before["stock"] and not (self._leader == _SELF and now["choice"]):
                self._stock_of_trick(before, now)
        elif self._rules.humbug:
            self._exchange(_SELF, action == SWAP, now["hand"])
            if not self.is_dealer:
                self.actions.append(SWAP if now["exchanged_opponent"] else KEEP)
                self._exchange(_OPPONENT, now["exchanged_opponent"], 0, known=True)
        elif self._rules.draft:
            self._add("take" if action == TAKE else "leave", _SELF)
            self._draw(before, now, 1)
        elif before["stock"] % 2:  # the opponent has picked already
            self._draw(before, now, 0)
        else:
            left = before["face_up"] & ~(1 << action)
            if before["stock"] == before["face_up"].bit_count() and left.bit_count() > 1:
                self.actions += cards_of(left & ~now["face_up"])
            self._draw(before, now, 1)

    def _play(self, who: int, card: int) -> None:
        """Add a card of a trick."""
        if self._led < 0:
            self._trick += 1
        self._add("played", who, card)
        self.actions.append(card)
        if self._led < 0:
            self._led, self._leader = card, who
            return
        if beats(card, self._led, self._trump):
            self._leader = who
        self._led = -1
        self._add("won", self._leader)

    @property
    def _trump(self) -> int:
        """The trump suit: every view shows it, and it does not change."""
        assert self._before is not None
        return self._before["trump"]

    def _exchange(self, who: int, swapped: int, hand: int, known: bool = False) -> None:
        """Add an exchange of humbug."""
        if who == _OPPONENT and not known:
            self.actions.append(SWAP if swapped else KEEP)
        self._add("swap" if swapped else "keep", who)
        if swapped:
            for card in cards_of(hand) if who == _SELF else [-1] * self._rules.hand:
                self._add("drew", who, card)

    def _stock_of_trick(self, before: ViewFields, now: ViewFields) -> None:
        """Add the opponent's choice, if it had one, and the cards drawn after a trick."""
        if self._leader == _OPPONENT and self._rules.draft:
            left = bool(before["face_up"] & now["hand"])
            self.actions.append(LEAVE if left else TAKE)
            self._add("leave" if left else "take", _OPPONENT)
        elif self._leader == _OPPONENT and self._rules.open_stock > 1:
            self.actions += cards_of(before["face_up"] & ~now["face_up"] & ~now["hand"])
        self._draw(before, now, 1)

    def _draw(self, before: ViewFields, now: ViewFields, opponent_cards: int) -> None:
        """Add the cards that both took, the winner first, and those turned up; the opponent took this many."""
        gained = now["hand"] & ~before["hand"]
        taken = before["face_up"] & ~now["face_up"] & ~gained
        for who in (self._leader, 3 - self._leader):
            for card in cards_of(gained & before["face_up"] if who == _SELF else taken):
                self._add("took", who, card)
            unseen = list(cards_of(gained & ~before["face_up"]))
            for card in unseen if who == _SELF else [-1] * (opponent_cards - taken.bit_count()):
                self._add("drew", who, card)
        for card in cards_of(now["face_up"] & ~before["face_up"]):
            self._add("turned", _NOBODY, card)
