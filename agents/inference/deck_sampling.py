"""Deck sampling: whole deals that one seat cannot tell from what it saw, each exactly as likely as any other.

A history fixes the place in the deck of every card that the seat saw, and of every card that the opponent drew unseen.
What is left is which hidden card stands where. A card that the opponent played was in its hand by then, and a suit in
which it showed a void was not in its hand at that time.

The deck orders are counted backwards from the hidden cards that the opponent holds now. Before it played a card it held
that card too; before an unseen draw it held one card less, any of them; where it showed a void it held none of that
suit. These constraints name suits only, so the number of ways depends on the number of hidden cards in each suit, and
is found by dynamic programming over these four numbers. Sampling walks the same way back.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import cache
from math import comb, factorial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.inference.seen_deal import SeenDeal, read_history
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.utils.checks import whole_number

Counts = tuple[int, ...]  # hidden cards of the opponent's hand by suit, C D H S


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
    ways = _Ways(read_history(history, rules))
    generator = random.Random(int.from_bytes(np.random.default_rng(rng).bytes(32), "little"))
    return np.array([ways.sample(generator) for _ in range(count)], np.int8)


def count_decks(history: npt.ArrayLike, rules: str | Rules = "classic") -> int:
    """Return how many deck orders agree with what one seat saw of a deal; arguments as ``sample_decks``.

    Raises:
        ValueError: if the array is not a history of these rules, or no deck agrees with it.
    """
    return _Ways(read_history(history, rules_named(rules))).count()


class _Hand(NamedTuple):
    """The numbers of hidden cards that the opponent may hold now, by suit, and how many ways lead there."""

    counts: Counts
    ways: int


class _Ways:
    """The ways in which the hidden cards of a deal can stand in the deck."""

    def __init__(self, seen: SeenDeal) -> None:
        self.seen = seen
        self.before = cache(self._before)
        self.hands = list(self._hands())
        self.total = sum(hand.ways for hand in self.hands)
        if not self.total:
            raise ValueError("history: no deck agrees with it")

    def _before(self, items: int, held: Counts) -> int:
        """Return the number of ways in which the first items can have led to a hidden hand."""
        if items == 0:
            return 1
        kind, suit = self.seen.items[items - 1].kind, self.seen.items[items - 1].suit
        if kind == "played":
            return self.before(items - 1, _changed(held, suit, 1))
        if kind == "void":
            return 0 if held[suit] else self.before(items - 1, held)
        return sum(cards * self.before(items - 1, _changed(held, suit, -1)) for suit, cards in enumerate(held) if cards)

    def _hands(self) -> Iterator[_Hand]:
        lengths = [len(cards) for cards in self.seen.unseen]
        held = self.seen.held
        for counts in itertools.product(*(range(min(length, held) + 1) for length in lengths)):
            if sum(counts) == held:
                ways = self.before(len(self.seen.items), counts)
                for length, cards in zip(lengths, counts, strict=True):
                    ways *= comb(length, cards)
                if ways:
                    yield _Hand(counts, ways)

    def count(self) -> int:
        """Return the number of deck orders."""
        orders = self.total
        for places in (self.seen.hand_places, self.seen.free_places, *self.seen.own):
            orders *= factorial(len(places))
        return orders

    def sample(self, rng: random.Random) -> list[int]:
        """Return a random deck."""
        seen = self.seen
        deck = list(seen.deck)
        for places, cards in seen.own.items():
            _fill(deck, places, list(cards), rng)
        hand = self._hand(rng)
        held = [rng.sample(cards, number) for cards, number in zip(seen.unseen, hand.counts, strict=True)]
        rest = [card for cards, kept in zip(seen.unseen, held, strict=True) for card in cards if card not in kept]
        for number in range(len(seen.items), 0, -1):
            item = seen.items[number - 1]
            if item.kind == "played":
                held[item.suit].append(item.card)
            elif item.kind == "drew":
                suit = self._drawn_suit(number, tuple(map(len, held)), rng)
                deck[item.place] = held[suit].pop(rng.randrange(len(held[suit])))
        _fill(deck, seen.hand_places, [card for cards in held for card in cards], rng)
        _fill(deck, seen.free_places, rest, rng)
        return deck

    def _hand(self, rng: random.Random) -> _Hand:
        number = rng.randrange(self.total)
        for hand in self.hands:
            number -= hand.ways
            if number < 0:
                return hand
        raise AssertionError

    def _drawn_suit(self, items: int, held: Counts, rng: random.Random) -> int:
        """Return the suit of the card that was drawn as the last of the first items."""
        number = rng.randrange(self.before(items, held))
        for suit, cards in enumerate(held):
            if cards:
                number -= cards * self.before(items - 1, _changed(held, suit, -1))
                if number < 0:
                    return suit
        raise AssertionError


def _changed(held: Counts, suit: int, by: int) -> Counts:
    return (*held[:suit], held[suit] + by, *held[suit + 1 :])


def _fill(deck: list[int], places: tuple[int, ...], cards: list[int], rng: random.Random) -> None:
    """Put cards into places of the deck in random order."""
    rng.shuffle(cards)
    for place, card in zip(places, cards, strict=True):
        deck[place] = card
