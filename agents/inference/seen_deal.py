"""What a history tells of a deck: the places of seen cards, and when the opponent drew, played and showed voids."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.cards import SUIT_SIZE, SUITS
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.history import COLUMNS, EVENTS

_ME, _OPPONENT = 1, 2
_UNKNOWN = -1


class PlayedCard(NamedTuple):
    """A card that the opponent played and was not seen to get.

    Attributes:
        card: the card.
        earliest: the first source that it can have come from, 0 the opponent's hand as dealt, then its unseen draws.
        latest: the last one.
    """

    card: int
    earliest: int
    latest: int


class SeenDeal(NamedTuple):
    """What one seat knows of a deck.

    Attributes:
        deck: the cards in dealing order; −1 where the place of a card is not known.
        own: cards of its own hands, whose order is not known, by their places.
        hand_places: the places of the opponent's hand as dealt.
        draw_places: the places of the cards that the opponent drew unseen, in order.
        free_places: the places of cards that are in no hand.
        unseen: the cards never seen.
        played: the cards that the opponent played and was not seen to get.
        void_since: by suit, the first source of unseen cards that the opponent can hold now (see ``PlayedCard``).
    """

    deck: list[int]
    own: dict[tuple[int, ...], tuple[int, ...]]
    hand_places: tuple[int, ...]
    draw_places: tuple[int, ...]
    free_places: tuple[int, ...]
    unseen: tuple[int, ...]
    played: tuple[PlayedCard, ...]
    void_since: tuple[int, ...]


def read_history(history: npt.ArrayLike, rules: Rules) -> SeenDeal:
    """Return what an event history tells of the deck.

    Raises:
        ValueError: if it is not a history of these rules.
    """
    tokens = np.asarray(history)
    if tokens.ndim != 2 or tokens.shape[1] != len(COLUMNS) or tokens.dtype.kind not in "iu":
        raise ValueError(f"history has dtype {tokens.dtype} and shape {tokens.shape}: int8[events, 4] is needed")
    reader = _Reader(rules)
    try:
        for event, who, card, _ in tokens[tokens[:, 0] > 0].tolist():
            reader.read(EVENTS[event].name, who, card - 1)
        return reader.result()
    except (IndexError, KeyError, ValueError) as error:
        raise ValueError(f"history: it is not one of these rules: {error}") from None


class _Reader:
    """Follows a history event by event."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.cards = frozenset(rules.cards)
        self.deck = [_UNKNOWN] * len(self.cards)
        self.next = 2 * rules.hand  # the next place of the stock
        self.places: dict[int, tuple[int, ...]] = {}  # of the hands as dealt, by who
        self.own: dict[tuple[int, ...], tuple[int, ...]] = {}
        self.drawn: list[int] = []  # own cards in the order of the events: a hand, then blind hands
        self.known: set[int] = set()  # seen cards that the opponent took and holds
        self.seen: set[int] = set()
        self.draw_places: list[int] = []
        self.played: list[PlayedCard] = []
        self.void_since = [0] * len(SUITS)
        self.led = _UNKNOWN
        self.swaps = 0

    def read(self, event: str, who: int, card: int) -> None:
        """Follow one event; card −1 is none, or one that was not seen.

        Raises:
            ValueError: if the card is not in the deck.
        """
        if card >= 0:
            if card not in self.cards:
                raise ValueError(f"card {card} is not in the deck")
            self.seen.add(card)
        handler = getattr(self, f"_{event}", None)
        if handler is not None:
            handler(who, card)

    def _dealer(self, who: int, card: int) -> None:
        step = 4 if self.rules.humbug else 2
        stop = len(self.deck) if self.rules.humbug else 2 * self.rules.hand
        self.places = {3 - who: tuple(range(0, stop, step)), who: tuple(range(step - 1, stop, step))}

    def _dealt(self, who: int, card: int) -> None:
        if who == _ME:
            self._take_own(card, self.places[_ME])

    def _take_own(self, card: int, places: tuple[int, ...]) -> None:
        self.own[places] = (*self.own.get(places, ()), card)

    def _turned(self, who: int, card: int) -> None:
        if not self.rules.humbug:
            self._place(card)
            return
        place = len(self.deck) - 1
        self.deck[place] = card
        mine = self.places[who]
        self.places[who] = mine[:-1]
        if who == _ME:
            self.own = {mine[:-1]: tuple(one for one in self.own[mine] if one != card)}
        else:
            self.known.add(card)

    def _place(self, card: int) -> int:
        self.deck[self.next] = card
        self.next += 1
        return self.next - 1

    def _took(self, who: int, card: int) -> None:
        if who == _OPPONENT:
            self.known.add(card)

    def _drew(self, who: int, card: int) -> None:
        if self.rules.humbug:
            if who == _ME:
                self._take_own(card, self._blind())
        elif who == _ME:
            self._place(card)
        else:
            self.draw_places.append(self._place(_UNKNOWN))

    def _swap(self, who: int, card: int) -> None:
        self.swaps += 1
        if who == _OPPONENT:
            self.places[_OPPONENT] = self._blind()
            self.known.clear()

    def _blind(self) -> tuple[int, ...]:
        """Return the places of the blind hand that was taken last."""
        return tuple(range(self.swaps, len(self.deck), 4))

    def _played(self, who: int, card: int) -> None:
        suit = card // SUIT_SIZE
        if who == _OPPONENT:
            if card in self.known:
                self.known.remove(card)
            else:
                self.played.append(PlayedCard(card, self.void_since[suit], len(self.draw_places)))
            if self.led >= 0 and suit != self.led:
                self.void_since[self.led] = len(self.draw_places) + 1
        self.led = _UNKNOWN if self.led >= 0 else suit

    def result(self) -> SeenDeal:
        """Return what has been seen.

        Raises:
            ValueError: if the cards do not add up.
        """
        if not self.places or any(len(places) != len(cards) for places, cards in self.own.items()):
            raise ValueError("the hand is not complete")
        hand, draws = self.places[_OPPONENT], tuple(self.draw_places)
        taken = {*hand, *draws, *(place for places in self.own for place in places)}
        free = tuple(place for place, card in enumerate(self.deck) if card < 0 and place not in taken)
        unseen = tuple(card for card in self.rules.cards if card not in self.seen)
        held = len(hand) + len(draws) - len(self.played)
        if held < 0 or held + len(free) != len(unseen):
            raise ValueError("the cards do not add up")
        played, void_since = tuple(self.played), tuple(self.void_since)
        return SeenDeal(self.deck, self.own, hand, draws, free, unseen, played, void_since)
