"""The rules of the game once more, in plain Python: short, slow and obvious on sight.

Written from the rules alone and apart from the engine, so that the two can be played against each other. A card is its
name (``"SA"``), a hand is a list of names. Everybody's knowledge is a log of what he saw happen, and nothing else: a
view is read off that log.
"""

from __future__ import annotations

from typing import Any, NamedTuple

SUITS = "CDHS"
RANKS = "23456789TJQKA"


def full_deck(suits: int, ranks: int) -> list[str]:
    """The deck's cards by suit, each suit from low to high; short suits go from the ace down."""
    return [suit + rank for suit in SUITS[:suits] for rank in RANKS[13 - ranks :]]


def follower_wins(led: str, card: str, trump: str) -> bool:
    if card[0] == led[0]:
        return RANKS.index(card[1]) > RANKS.index(led[1])
    return card[0] == trump


def may_play(hand: list[str], led: str | None) -> list[str]:
    if led is None:
        return list(hand)
    return [card for card in hand if card[0] == led[0]] or list(hand)


class Event(NamedTuple):
    """Something that a seat saw: ``card`` is None where the seat could not see it."""

    what: str  # dealt, turned, played, won, took_face_up, took_face_down
    seat: int | None
    card: str | None


class ReferenceDeal:
    """One deal. ``truth`` is the log of all that happened, ``logs[seat]`` of what that seat saw of it."""

    def __init__(self, deck: list[str], hand: int, dealer: int) -> None:
        self.cards = list(deck)
        self.hand_size = hand
        self.dealer = dealer
        self.hands: list[list[str]] = [[], []]
        self.stock = list(deck)
        self.truth: list[Event] = []
        self.logs: list[list[Event]] = [[], []]
        for _ in range(hand):
            for seat in (1 - dealer, dealer):
                card = self.stock.pop(0)
                self.hands[seat].append(card)
                self._happens("dealt", seat, card, seen_by=[seat])
        self.trump = self.stock[0][0]
        self._happens("turned", None, self.stock[0])
        self.leader = 1 - dealer
        self.led: str | None = None

    def _happens(self, what: str, seat: int | None, card: str | None, seen_by: tuple[int, ...] | list[int] = (0, 1)):
        self.truth.append(Event(what, seat, card))
        for watcher in (0, 1):
            self.logs[watcher].append(Event(what, seat, card if watcher in seen_by else None))

    @property
    def turn(self) -> int:
        return self.leader if self.led is None else 1 - self.leader

    @property
    def done(self) -> bool:
        return not self.hands[0] and not self.hands[1] and not self.stock

    def legal(self) -> list[str]:
        return may_play(self.hands[self.turn], self.led)

    def play(self, card: str) -> None:
        assert card in self.legal()
        seat = self.turn
        self.hands[seat].remove(card)
        self._happens("played", seat, card)
        if self.led is None:
            self.led = card
            return
        winner = seat if follower_wins(self.led, card, self.trump) else 1 - seat
        loser = 1 - winner
        self._happens("won", winner, None)
        self.led = None
        self.leader = winner
        if self.stock:
            prize, hidden = self.stock.pop(0), self.stock.pop(0)
            self.hands[winner].append(prize)
            self._happens("took_face_up", winner, prize)
            self.hands[loser].append(hidden)
            self._happens("took_face_down", loser, hidden, seen_by=[loser])
            if self.stock:
                self._happens("turned", None, self.stock[0])

    # What can be read off a log.

    def played(self, log: list[Event], seat: int) -> list[str | None]:
        return [event.card for event in log if event.what == "played" and event.seat == seat]

    def held_openly(self, log: list[Event], seat: int) -> list[str | None]:
        """The cards that a seat took face up and has not played."""
        taken = [event.card for event in log if event.what == "took_face_up" and event.seat == seat]
        return [card for card in taken if card not in self.played(log, seat)]

    def tricks(self, log: list[Event], seat: int) -> list[int]:
        """Tricks won by a seat: in the foreplay, in the endgame."""
        winners = [event.seat for event in log if event.what == "won"]
        foreplay_tricks = (len(self.cards) - 2 * self.hand_size) // 2
        return [winners[:foreplay_tricks].count(seat), winners[foreplay_tricks:].count(seat)]

    def last_void(self, log: list[Event], seat: int, suit: str) -> int | None:
        """Where in the log a seat last failed to follow a suit."""
        last = None
        led: str | None = None
        for position, event in enumerate(log):
            if event.what != "played":
                continue
            assert event.card is not None
            if led is None:
                led = event.card
                continue
            if event.seat == seat and led[0] == suit and event.card[0] != suit:
                last = position
            led = None
        return last

    def void_trick(self, log: list[Event], seat: int, suit: str) -> int:
        """The number (from 1) of the trick at which a seat last failed to follow a suit, 0 for never."""
        last = self.last_void(log, seat, suit)
        if last is None:
            return 0
        return 1 + len([event for event in log[:last] if event.what == "won"])

    def drawn_since_void(self, log: list[Event], seat: int, suit: str) -> int:
        """How many cards a seat has taken face down since it last failed to follow a suit."""
        last = self.last_void(log, seat, suit)
        if last is None:
            return 0
        return len([event for event in log[last:] if event.what == "took_face_down" and event.seat == seat])

    def foreplay_losses_before_void(self, log: list[Event], seat: int, suit: str) -> int:
        last = self.last_void(log, seat, suit)
        return 0 if last is None else self.tricks(log[:last], 1 - seat)[0]

    def view(self, me: int, all_count: bool = False) -> dict[str, Any]:
        """What a seat knows, from its own log alone; cards in no order, as sets."""
        log = self.logs[me]
        opponent = 1 - me
        received = [
            event.card
            for event in log
            if event.seat == me and event.what in ("dealt", "took_face_up", "took_face_down")
        ]
        played = [event for event in log if event.what == "played"]
        hand = [card for card in received if card not in self.played(log, me)]
        turned = [event.card for event in log if event.what == "turned"]
        taken = [event.card for event in log if event.what in ("took_face_up", "took_face_down")]
        stock = len(self.cards) - 2 * self.hand_size - len(taken)
        led = played[-1].card if len(played) % 2 == 1 else None
        last_winner = ([1 - self.dealer] + [event.seat for event in log if event.what == "won"])[-1]
        turn = last_winner if led is None else 1 - last_winner
        mine = turn == me and len(played) < len(self.cards)
        return {
            "hand": set(hand),
            "legal": set(may_play(hand, led)) if mine else set(),
            "played_self": set(self.played(log, me)),
            "played_opponent": set(self.played(log, opponent)),
            "opponent_known": set(self.held_openly(log, opponent)),
            "own_known": set(self.held_openly(log, me)),
            "unseen": set(self.cards) - {event.card for event in log},
            "void_self": [self.void_trick(log, me, suit) for suit in SUITS],
            "void_opponent": [self.void_trick(log, opponent, suit) for suit in SUITS],
            "drawn_self": [self.drawn_since_void(log, me, suit) for suit in SUITS],
            "drawn_opponent": [self.drawn_since_void(log, opponent, suit) for suit in SUITS],
            "tricks_self": self.tricks(log, me),
            "tricks_opponent": self.tricks(log, opponent),
            "face_up": turned[-1] if stock else None,
            "led": led,
            "trump": turned[0][0],
            "stock": stock,
            "dealer": int(self.dealer == me),
            "turn": int(mine),
            "all_count": int(all_count),
        }

    def state(self) -> dict[str, Any]:
        """The whole truth, from the log of all that happened."""
        log = self.truth
        tricks = [self.tricks(log, 0), self.tricks(log, 1)]
        return {
            "hands": [set(self.hands[0]), set(self.hands[1])],
            "known": [set(self.held_openly(log, 0)), set(self.held_openly(log, 1))],
            "played": [set(self.played(log, 0)), set(self.played(log, 1))],
            "deck": self.cards,
            "void_trick": [[self.void_trick(log, seat, suit) for suit in SUITS] for seat in (0, 1)],
            "void_losses": [[self.foreplay_losses_before_void(log, seat, suit) for suit in SUITS] for seat in (0, 1)],
            "tricks": [[tricks[0][0], tricks[1][0]], [tricks[0][1], tricks[1][1]]],
            "top": len(self.cards) - len(self.stock),
            "trump": self.trump,
            "dealer": self.dealer,
            "turn": self.turn,
            "led": self.led,
            "done": self.done,
        }


def points_of(winner: int, loser: int, points: str = "difference", book: int | None = None, slam: int = 0) -> float:
    """What the winner of a deal scores for his and the other's counted tricks; a draw is worth 0."""
    if winner == loser:
        return 0
    if points == "difference":
        return winner - loser
    if points == "over_half":
        return winner - (winner + loser) / 2
    assert points == "over_book"
    if loser == 0 and slam:
        return slam
    if book is None:
        book = (winner + loser) // 2
    return winner - book


def returns_of(deal: ReferenceDeal, reward: str, counts: str, **scoring: Any) -> list[float]:
    """What the two seats get for a finished deal."""
    (fore0, end0), (fore1, end1) = deal.tricks(deal.truth, 0), deal.tricks(deal.truth, 1)
    mine, theirs = (end0, end1) if counts == "endgame" else (fore0 + end0, fore1 + end1)
    if reward == "margin":
        value = float(mine - theirs)
    elif reward == "win":
        value = float((mine > theirs) - (mine < theirs))
    elif mine >= theirs:
        value = float(points_of(mine, theirs, **scoring))
    else:
        value = -float(points_of(theirs, mine, **scoring))
    return [value, -value]


# The generator of deals once more: Philox4x32-10 and a shuffle, in whole numbers without bounds.


def philox(counter: list[int], key: list[int]) -> list[int]:
    """One block of Philox4x32-10 (Salmon et al., SC 2011): four words of the counter, two of the key."""
    a, b, c, d = counter
    left, right = key
    for _ in range(10):
        first, second = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (second >> 32) ^ b ^ left, second % 2**32, (first >> 32) ^ d ^ right, first % 2**32
        left, right = (left + 0x9E3779B9) % 2**32, (right + 0xBB67AE85) % 2**32
    return [a, b, c, d]


def shuffled(cards: list[str], seed: int, index: int) -> list[str]:
    """The deck of deal ``index`` of a seed: each card from the last down changes places with one at or before it."""
    deck = list(cards)
    words: list[int] = []
    block = 0
    for last in reversed(range(1, len(deck))):
        choices = last + 1
        while True:
            if not words:
                words = philox([index % 2**32, index >> 32, block, 0], [seed % 2**32, seed >> 32])
                block += 1
            place, left_over = divmod(words.pop(0) * choices, 2**32)
            # Of the 2**32 words, so many are refused that every place is left with the same number of them.
            if left_over >= 2**32 % choices:
                break
        deck[last], deck[place] = deck[place], deck[last]
    return deck
