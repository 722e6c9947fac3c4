"""A reference implementation of every game in plain Python: short, slow and obviously correct.

It was written from the rules alone, independently of the engine, so that the two can be compared. A card is its name
(``"SA"``), a hand is a list of names. Each event goes to those who can see it, and a view is made from the events that
its seat saw. ``rules`` is any object with the settings of the rules as attributes.
"""

from __future__ import annotations

from typing import Any

from tests.reference.observer import SUITS, Event, Observer

RANKS = "23456789TJQKA"
BLACK = "CS"
EVERYBODY = (0, 1)

# What the seat to act decides.
PLAY, PICK, PICK_AFTER, DRAFT, EXCHANGE = DECISIONS = (
    "play",
    "pick",
    "pick after the winner",
    "take or leave",
    "keep or swap",
)


def full_deck(suits: int, ranks: int) -> list[str]:
    """The deck's cards by suit, each suit from low to high; short suits go from the ace down."""
    return [suit + rank for suit in SUITS[:suits] for rank in RANKS[13 - ranks :]]


def follower_wins(led: str, card: str, trump: str | None) -> bool:
    if card[0] == led[0]:
        return RANKS.index(card[1]) > RANKS.index(led[1])
    return card[0] == trump


def may_play(hand: Any, led: str | None) -> list[str]:
    if led is None:
        return list(hand)
    return [card for card in hand if card[0] == led[0]] or list(hand)


class ReferenceDeal:
    """One deal. ``all`` observes everything, ``players[seat]`` only what that seat can see."""

    def __init__(self, deck: list[str], rules: Any, dealer: int) -> None:
        self.rules = rules
        self.cards = list(deck)
        self.dealer = dealer
        self.hands: list[list[str]] = [[], []]
        self.pile = list(deck)  # the face-down cards of the stock, top first
        self.blinds: list[list[str]] = [[], []]
        self.all = Observer(rules.stock)
        self.players = [Observer(rules.stock), Observer(rules.stock)]
        self.turn = self.leader = 1 - dealer
        self.led: str | None = None
        self.done = False
        if rules.humbug:
            first_turned = self._deal_four_hands()
            self.decision = EXCHANGE
        else:
            first_turned = self._deal_two_hands()
            self.decision = PLAY
        self.trump = first_turned[0] if rules.trump == "turned" else None
        self.low = rules.high_low and first_turned[0] in BLACK

    def _happens(self, what: str, seat: int | None = None, card: str | None = None, seen_by: Any = EVERYBODY) -> None:
        self.all.sees(Event(what, seat, card))
        for player in EVERYBODY:
            self.players[player].sees(Event(what, seat, card if player in seen_by else None))

    # Dealing.

    def _deal_two_hands(self) -> str:
        for _ in range(self.rules.hand):
            for seat in (1 - self.dealer, self.dealer):
                self._receives(seat, self.pile.pop(0))
        first_turned = self.pile[0]
        self._turn_up()
        return first_turned

    def _deal_four_hands(self) -> str:
        first_blind, second_blind = self.blinds
        last = self.pile[-1]
        for _ in range(self.rules.hand):
            self._receives(1 - self.dealer, self.pile.pop(0))
            first_blind.append(self.pile.pop(0))
            second_blind.append(self.pile.pop(0))
            self._receives(self.dealer, self.pile.pop(0))
        self._happens("shown", self.dealer, last)
        return last

    def _receives(self, seat: int, card: str) -> None:
        self.hands[seat].append(card)
        self._happens("dealt", seat, card, seen_by=[seat])

    def _turn_up(self) -> None:
        while len(self.all.row) < self.rules.open_stock and self.pile:
            self._happens("turned", None, self.pile.pop(0))

    # Acting.

    def legal(self) -> list[str]:
        return [] if self.done else self._choices(self.hands[self.turn])

    def _choices(self, hand: Any) -> list[str]:
        if self.decision == PLAY:
            return may_play(hand, self.led)
        if self.decision == DRAFT:
            return ["take", "leave"]
        if self.decision == EXCHANGE:
            return ["keep", "swap"]
        return list(self.all.row)

    def play(self, choice: str) -> None:
        assert choice in self.legal()
        if self.decision == PLAY:
            self._plays(choice)
        elif self.decision == EXCHANGE:
            self._exchanges(choice)
        elif self.decision == DRAFT:
            self._drafts(choice)
        else:
            self._picks(choice)

    def _exchanges(self, choice: str) -> None:
        seat = self.turn
        if choice == "keep":
            self._happens("kept", seat)
        else:
            self._happens("swapped", seat)
            self.hands[seat] = []
            for card in self.blinds.pop(0):
                self._receives(seat, card)
        self.turn = 1 - seat
        if seat == self.dealer:
            self.decision = PLAY

    def _plays(self, card: str) -> None:
        seat = self.turn
        self.hands[seat].remove(card)
        self._happens("played", seat, card)
        if self.led is None:
            self.led = card
            self.turn = 1 - seat
            return
        winner = seat if follower_wins(self.led, card, self.trump) else 1 - seat
        self.led = None
        self.turn = self.leader = winner
        self._happens("won", winner)
        if self.rules.race and self.counted(winner) == self.rules.race:
            self.done = True
        elif self.all.stock == 0:
            self.done = self.hands == [[], []]
        elif self.rules.draft:
            self.decision = DRAFT
        elif self.rules.open_stock >= 2:
            self.decision = PICK
        else:
            self._draws(winner)

    def _draws(self, winner: int) -> None:
        """The winner takes the face-up card (the top card if all lie face down), the loser the next one."""
        if self.all.row:
            self._takes_open(winner, self.all.row[0])
        else:
            self._takes_unseen(winner)
        self._takes_unseen(1 - winner)
        self._turn_up()

    def _drafts(self, choice: str) -> None:
        winner, loser = self.leader, 1 - self.leader
        taker, other = (winner, loser) if choice == "take" else (loser, winner)
        self._takes_open(taker, self.all.row[0])
        self._takes_unseen(other)
        self._goes_on()

    def _picks(self, card: str) -> None:
        winner, loser = self.leader, 1 - self.leader
        self._takes_open(self.turn, card)
        if self.turn == winner:
            if self.pile:
                self._takes_unseen(loser)
            elif len(self.all.row) == 1:
                self._takes_open(loser, self.all.row[0])
            else:
                self.turn = loser
                self.decision = PICK_AFTER
                return
        self._goes_on()

    def _takes_open(self, seat: int, card: str) -> None:
        self.hands[seat].append(card)
        self._happens("took open", seat, card)

    def _takes_unseen(self, seat: int) -> None:
        card = self.pile.pop(0)
        self.hands[seat].append(card)
        self._happens("took unseen", seat, card, seen_by=[seat])

    def _goes_on(self) -> None:
        self._turn_up()
        self.decision = PLAY
        self.turn = self.leader

    def counted(self, seat: int) -> int:
        """The number of counted tricks that a seat has taken."""
        foreplay, endgame = self.all.tricks[seat]
        return endgame + foreplay if self.rules.counts == "all" else endgame

    # What is known.

    def view(self, me: int) -> dict[str, Any]:
        """What a seat knows, from the events it saw and the rules; cards are in no particular order."""
        player, opponent, rules = self.players[me], 1 - me, self.rules
        mine = self.turn == me and not self.done
        return {
            "hand": player.held[me],
            "legal": self._choices(player.held[me]) if mine else [],
            "played_self": player.played[me],
            "played_opponent": player.played[opponent],
            "opponent_known": player.held[opponent],
            "own_known": player.open[me],
            "unseen": set(self.cards) - player.seen,
            "face_up": player.row,
            "discarded": player.discarded,
            "void_self": list(player.void_trick[me].values()),
            "void_opponent": list(player.void_trick[opponent].values()),
            "drawn_self": player.drawn_since_void(me),
            "drawn_opponent": player.drawn_since_void(opponent),
            "tricks_self": player.tricks[me],
            "tricks_opponent": player.tricks[opponent],
            "led": player.led,
            "trump": self.trump,
            "low": int(self.low),
            "stock": player.stock,
            "dealer": int(self.dealer == me),
            "turn": int(mine),
            "choice": int(self.decision != PLAY),
            "exchanged_self": player.swapped[me],
            "exchanged_opponent": player.swapped[opponent],
            "all_count": int(rules.counts == "all"),
            "draft": int(rules.draft),
            "race": rules.race,
        }

    def state(self) -> dict[str, Any]:
        """The full state."""
        everything = self.all
        return {
            "hands": self.hands,
            "known": everything.open,
            "played": everything.played,
            "discarded": [self.players[0].discarded, self.players[1].discarded],
            "face_up": everything.row,
            "deck": self.cards,
            "void_trick": [list(suits.values()) for suits in everything.void_trick],
            "void_drawn": [list(suits.values()) for suits in everything.drawn_before_void],
            "drawn": everything.drawn,
            "tricks": [list(stage) for stage in zip(*everything.tricks, strict=True)],
            "exchanged": everything.swapped,
            "top": len(self.cards) - len(self.pile),
            "trump": self.trump,
            "low": int(self.low),
            "dealer": self.dealer,
            "turn": self.turn,
            "decision": DECISIONS.index(self.decision),
            "winner": self.leader,
            "led": everything.led,
            "done": self.done,
        }


def points_of(winner: int, loser: int, points: str = "difference", book: int | None = None, slam: int = 0) -> float:
    """The points of the winner of a deal; ``winner`` is the larger number of tricks, in low games too."""
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


def returns_of(deal: ReferenceDeal, reward: str) -> list[float]:
    """Both seats' returns of a finished deal; in a low game the seat with fewer tricks wins."""
    rules = deal.rules
    tricks = [deal.counted(0), deal.counted(1)]
    more, fewer = max(tricks), min(tricks)
    if reward == "margin":
        value: float = more - fewer
    elif reward == "win":
        value = int(more > fewer)
    else:
        value = points_of(more, fewer, rules.points, rules.book, rules.slam)
    wanted = fewer if deal.low else more
    return [value, -value] if tricks[0] == wanted else [-value, value]
