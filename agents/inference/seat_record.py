"""What a seat's event history says about where each card came from."""

from __future__ import annotations

from collections.abc import Sequence

from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.history import EVENTS

_NUMBER = {event.name: number for number, event in enumerate(EVENTS)}
_DEALER, _DEALT, _TURNED, _PLAYED = (_NUMBER[name] for name in ("dealer", "dealt", "turned", "played"))
_TOOK, _DREW, _SWAP = (_NUMBER[name] for name in ("took", "drew", "swap"))
_SELF, _OPPONENT = 1, 2


class SeatRecord:
    """Where cards came from, as one seat knows it. Places of the opponent's cards: 0 its first hand, then its draws.

    In ``humbug`` the first hand is the one that the opponent plays with.

    Attributes:
        hidden: cards that the seat has not located.
        played: (card, earliest place, last place) of each card that the opponent has played and was not seen to get.
        void_since: by suit, the earliest place of cards of that suit that the opponent can hold now.
        draws: the opponent's unseen draws.
        first_hand: cards of the opponent's first hand that the seat was not shown.
        rest: how many hidden cards the opponent neither holds nor has played.
    """

    def __init__(self, rules: Rules, events: Sequence[Sequence[int]]) -> None:
        """Read a history: rows of event, who, card + 1 (0: not seen), trick."""
        self._rules = rules
        self._own_hand: list[int] = []
        self._own_blind: list[int] = []
        self._stock: list[int] = []  # cards that left the stock in order, −1 for the opponent's unseen draws
        self._swapped: list[int] = []  # who swapped, in order
        self._shown: list[int] = []  # the card shown in humbug
        self.played: list[tuple[int, int, int]] = []
        self.void_since = [0, 0, 0, 0]
        self.draws = 0
        self._taken: set[int] = set()
        self._led = -1
        for event, who, card, _ in events:
            self._read(event, who, card - 1)
        self._count()

    def _read(self, event: int, who: int, card: int) -> None:
        humbug = self._rules.humbug
        if event == _DEALER:
            self._is_dealer = who == _SELF
        elif event == _DEALT and who == _SELF:
            self._own_hand.append(card)
        elif event == _TURNED:
            (self._shown if humbug else self._stock).append(card)
        elif event == _PLAYED:
            self._read_play(who, card)
        elif event == _TOOK and who == _OPPONENT:
            self._taken.add(card)
        elif event == _SWAP:
            self._swapped.append(who)
        elif event == _DREW and not humbug:
            self._stock.append(card)
            self.draws += who == _OPPONENT
        elif event == _DREW and who == _SELF:
            self._own_blind.append(card)

    def _read_play(self, who: int, card: int) -> None:
        led, suit = self._led, card // 13
        self._led = card if led < 0 else -1
        if who != _OPPONENT:
            return
        if led >= 0 and suit != led // 13:
            self.void_since[led // 13] = self.draws + 1
        if card not in self._taken and card not in self._opponent_shown:
            self.played.append((card, self.void_since[suit], self.draws))

    @property
    def _opponent_shown(self) -> list[int]:
        """The card that was shown and is in the opponent's first hand (humbug)."""
        return self._shown if not self._is_dealer and _OPPONENT not in self._swapped else []

    def _count(self) -> None:
        located = {*self._own_hand, *self._own_blind, *self._stock, *self._shown, *self._taken}
        located |= {card for card, _, _ in self.played}
        self.hidden = [card for card in self._rules.cards if card not in located]
        self.first_hand = self._rules.hand - len(self._opponent_shown)
        self.rest = len(self.hidden) + len(self.played) - self.first_hand - self.draws

    def deck(self, first_hand: Sequence[int], draws: Sequence[int], rest: Sequence[int]) -> list[int]:
        """Return a deck in dealing order: the opponent's first hand and draws as given, then the rest in order."""
        if self._rules.humbug:
            return self._humbug_deck(first_hand, list(rest))
        hands = (self._own_hand, first_hand) if not self._is_dealer else (first_hand, self._own_hand)
        opening = [card for pair in zip(*hands, strict=True) for card in pair]
        drawn = iter(draws)
        return [*opening, *(card if card >= 0 else next(drawn) for card in self._stock), *rest]

    def _humbug_deck(self, first_hand: Sequence[int], rest: list[int]) -> list[int]:
        size = self._rules.hand
        shown = self._shown[0]
        hands: dict[int, list[int]] = {0: [], 1: [], 2: [], 3: []}  # by the deck position of the first card
        own, other = (3, 0) if self._is_dealer else (0, 3)
        hands[own] = list(self._own_hand)
        for number, who in enumerate(self._swapped):
            hands[1 + number] = list(self._own_blind if who == _SELF else first_hand)
        if _OPPONENT not in self._swapped:
            hands[other] = [*first_hand, *self._opponent_shown]
        elif not self._is_dealer:
            hands[other] = [shown]
        for hand in hands.values():
            while len(hand) < size:
                hand.append(rest.pop())
        hands[3].sort(key=lambda card: card == shown)  # the dealer's last card is the one shown
        return [card for group in zip(*(hands[start] for start in range(4)), strict=True) for card in group]
