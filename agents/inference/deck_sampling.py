"""Deck sampling: whole deals that one seat cannot tell from what it saw, each exactly as likely as any other.

``world_sampling_kernels`` samples hands that a *view* allows, each equally likely. Here each *deck* that agrees with an
event history is equally likely. The two differ once the opponent has shown a void: cards of that suit can only have
come with later draws, so a hand with such cards has fewer pasts.

A history fixes the place in the deck of every card that the seat saw, and of every card that the opponent drew unseen.
What is left is which hidden card came from which source: the opponent's hand as dealt, each of its unseen draws, or the
cards that are in no hand. Each card has an interval of sources:

- it came before the opponent played it;
- if the opponent has shown a void in its suit, it came after the last void before that (or is in no hand).

The assignments are counted by dynamic programming over the sources, from the last to the first. Cards with the same
earliest source are interchangeable, so the number of cards left in each such class is all that has to be remembered.
Sampling walks the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import comb, factorial
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.cards import SUIT_SIZE, SUITS
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.observation.history import COLUMNS, EVENTS
from german_whist.envs.utils.checks import whole_number

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


Counts = tuple[int, ...]  # cards left, by class


def sample_decks(
    history: npt.ArrayLike,
    rules: str | Rules = "classic",
    count: int = 1,
    rng: np.random.Generator | int | None = None,
) -> npt.NDArray[np.int8]:
    """Return random decks that agree with what one seat saw of a deal: exactly uniform over all deck orders that do.

    A deck agrees if the same actions are legal with it and leave the seat the same history. How well the opponent has
    played is not taken into account. The decks are to be dealt by the dealer of the history.

    Example:
        >>> batch = german_whist.DealBatch("classic", history=True)
        >>> tokens, length = batch.history(seats=[0])
        >>> german_whist.sample_decks(tokens[0], "classic", count=100, rng=0).shape
        (100, 52)

    Args:
        history: the event history of one seat, int8[events, 4], as ``DealBatch.history`` and
            ``env(observation="history")`` give it; rows of zeros at the end are ignored.
        rules: the rules of the deal.
        count: number of decks, at least 1.
        rng: a NumPy generator or a seed.

    Returns:
        Cards in dealing order, int8[count, cards].

    Raises:
        ValueError: if the array is not a history of these rules, or no deck agrees with it.
    """
    rules = rules_named(rules)
    count = whole_number("count", count, 1)
    sampler = DeckSampler(history, rules)
    generator = Random(int.from_bytes(np.random.default_rng(rng).bytes(32), "little"))
    return np.array([sampler.sample(generator) for _ in range(count)], np.int8)


class DeckSampler:
    """Samples decks that agree with a history: what ``sample_decks`` uses, for many samples one at a time."""

    def __init__(self, history: npt.ArrayLike, rules: Rules) -> None:
        """Count the ways in which the hidden cards can stand in the deck.

        Args:
            history: as ``sample_decks``.
            rules: the rules of the deal.

        Raises:
            ValueError: if the array is not a history of these rules, or no deck agrees with it.
        """
        self._seen = seen = read_history(history, rules)
        self._draws = len(seen.draw_places)
        self._limits = limits = tuple(sorted({0, *seen.void_since, *(card.earliest for card in seen.played)}))
        # Unseen cards by class, and played cards by their last source and class.
        self._unseen: tuple[list[int], ...] = tuple([] for _ in limits)
        for card in seen.unseen:
            self._unseen[limits.index(seen.void_since[card // SUIT_SIZE])].append(card)
        self._due: list[list[list[int]]] = [[[] for _ in limits] for _ in range(self._draws + 1)]
        for card, earliest, latest in seen.played:
            self._due[latest][limits.index(earliest)].append(card)
        self._ways = lru_cache(maxsize=None)(self._count)
        self._rests = [(rest, ways) for rest, ways in self._all_rests() if ways]
        if not self._rests:
            raise ValueError("history: no deck agrees with it")

    def count(self) -> int:
        """Return the number of deck orders."""
        seen = self._seen
        orders = sum(ways for _, ways in self._rests)
        for places in (seen.hand_places, seen.free_places, *seen.own):
            orders *= factorial(len(places))
        return orders

    def sample(self, random: Random) -> list[int]:
        """Return a random deck in dealing order."""
        seen = self._seen
        deck = list(seen.deck)
        for places, cards in seen.own.items():
            _fill(deck, places, random.sample(cards, len(cards)))
        rest = self._rests[_pick([ways for _, ways in self._rests], random)][0]
        pools = [random.sample(cards, len(cards)) for cards in self._unseen]
        free = [pool.pop() for pool, count in zip(pools, rest, strict=True) for _ in range(count)]
        _fill(deck, seen.free_places, random.sample(free, len(free)))
        left = self._held(rest)
        for source in range(self._draws, 0, -1):
            for pool, due in zip(pools, self._due[source], strict=True):
                pool.extend(due)
            left = self._with_due(source, left)
            which = self._draw_class(source, left, random)
            pool = pools[which]
            deck[seen.draw_places[source - 1]] = pool.pop(random.randrange(len(pool)))
            left = _less(left, which)
        hand = pools[0] + self._due[0][0]
        _fill(deck, seen.hand_places, random.sample(hand, len(hand)))
        return deck

    def _all_rests(self) -> Iterator[tuple[Counts, int]]:
        """Yield how many unseen cards of each class can be in no hand, and in how many ways."""
        wanted = len(self._seen.free_places)
        sizes = [len(cards) for cards in self._unseen]
        # A hand holds no more cards of a class than there are draws from its earliest source on.
        fewest = [
            max(0, size - (self._draws + 1 - limit)) if limit else 0
            for size, limit in zip(sizes, self._limits, strict=True)
        ]

        def extend(chosen: Counts) -> Iterator[Counts]:
            which = len(chosen)
            if which == len(sizes):
                if sum(chosen) == wanted:
                    yield chosen
                return
            for count in range(fewest[which], min(sizes[which], wanted - sum(chosen)) + 1):
                yield from extend((*chosen, count))

        for rest in extend(()):
            ways = self._ways(self._draws, self._held(rest))
            for size, taken in zip(sizes, rest, strict=True):
                ways *= comb(size, taken)
            yield rest, ways

    def _held(self, rest: Counts) -> Counts:
        """Return how many unseen cards of each class the opponent holds when the others are in no hand."""
        return tuple(len(cards) - taken for cards, taken in zip(self._unseen, rest, strict=True))

    def _with_due(self, source: int, left: Counts) -> Counts:
        """Add the played cards whose last source this is."""
        return tuple(count + len(due) for count, due in zip(left, self._due[source], strict=True))

    def _count(self, source: int, left: Counts) -> int:
        """Return in how many ways the cards left and those played can come from the sources up to this one."""
        left = self._with_due(source, left)
        if source == 0:
            return int(sum(left) == left[0] == len(self._seen.hand_places))
        return sum(count * self._before(source, left, which) for which, count in enumerate(left) if count)

    def _before(self, source: int, left: Counts, which: int) -> int:
        """Return the number of ways for the earlier sources once a card of a class has come from this one."""
        if self._limits[which] > source:
            return 0
        rest = _less(left, which)
        if any(count and limit >= source for count, limit in zip(rest, self._limits, strict=True)):
            return 0
        return self._ways(source - 1, rest)

    def _draw_class(self, source: int, left: Counts, random: Random) -> int:
        """Return the class of the card of a draw, in proportion to the ways that follow."""
        return _pick([count and count * self._before(source, left, which) for which, count in enumerate(left)], random)


def _less(left: Counts, which: int) -> Counts:
    """Return the counts with one card of a class less."""
    return (*left[:which], left[which] - 1, *left[which + 1 :])


def _pick(weights: list[int], random: Random) -> int:
    """Return an index, each as likely as its share of the weights."""
    number = random.randrange(sum(weights))
    index = 0
    while number >= weights[index]:
        number -= weights[index]
        index += 1
    return index


def _fill(deck: list[int], places: tuple[int, ...], cards: list[int]) -> None:
    """Put cards into places of the deck."""
    for place, card in zip(places, cards, strict=True):
        deck[place] = card
