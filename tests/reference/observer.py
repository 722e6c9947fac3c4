"""What an observer knows of a deal in the plain-Python reference: only the events that it was shown."""

from __future__ import annotations

from typing import NamedTuple

SUITS = "CDHS"


class Event(NamedTuple):
    """Something that happened in a deal; ``card`` is None for those who could not see it."""

    what: str  # dealt, shown, turned, played, won, took open, took unseen, kept, swapped
    seat: int | None = None
    card: str | None = None


class Observer:
    """Remembers the events of a deal that it was shown, and what follows from them."""

    def __init__(self, stock: int) -> None:
        self.log: list[Event] = []
        self.seen: set[str] = set()  # every card seen
        self.held: list[set[str]] = [set(), set()]  # by seat: the cards it is known to hold
        self.open: list[set[str]] = [set(), set()]  # by seat: those of them that both players know about
        self.played: list[list[str]] = [[], []]
        self.discarded: set[str] = set()  # cards known to be out of play
        self.row: list[str] = []  # the face-up cards of the stock
        self.stock = stock  # cards left in the stock
        self.tricks = [[0, 0], [0, 0]]  # by seat: in the foreplay, in the endgame
        self.drawn = [0, 0]  # by seat: cards taken unseen
        self.swapped = [0, 0]
        self.led: str | None = None
        self.void_trick = [dict.fromkeys(SUITS, 0), dict.fromkeys(SUITS, 0)]
        self.drawn_before_void = [dict.fromkeys(SUITS, 0), dict.fromkeys(SUITS, 0)]

    def sees(self, event: Event) -> None:
        self.log.append(event)
        what, seat, card = event
        if card is not None:
            self.seen.add(card)
        if what == "turned":
            self.row.append(card)
        elif what == "won":
            self.tricks[seat][0 if self.stock else 1] += 1
        elif what == "played":
            self._sees_played(seat, card)
        elif what == "swapped":
            self.swapped[seat] = 1
            self.discarded |= self.held[seat]
            self.held[seat], self.open[seat] = set(), set()
        elif what != "kept":
            self._sees_received(what, seat, card)

    def _sees_played(self, seat: int, card: str) -> None:
        self.held[seat].discard(card)
        self.open[seat].discard(card)
        self.played[seat].append(card)
        if self.led is None:
            self.led = card
            return
        if card[0] != self.led[0]:
            self.void_trick[seat][self.led[0]] = 1 + sum(map(sum, self.tricks))
            self.drawn_before_void[seat][self.led[0]] = self.drawn[seat]
        self.led = None

    def _sees_received(self, what: str, seat: int, card: str | None) -> None:
        if what == "took open":
            self.row.remove(card)
        if what == "took unseen":
            self.drawn[seat] += 1
        if what in ("took open", "took unseen"):
            self.stock -= 1
        if card is not None:
            self.held[seat].add(card)
        if what in ("took open", "shown"):
            self.open[seat].add(card)

    def drawn_since_void(self, seat: int) -> list[int]:
        """By suit: the cards that a seat has taken unseen since it last showed a void; 0 if it never did."""
        return [
            self.drawn[seat] - self.drawn_before_void[seat][suit] if self.void_trick[seat][suit] else 0
            for suit in SUITS
        ]
