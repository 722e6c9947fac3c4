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

import numpy as np
import numpy.typing as npt

from german_whist.agents.inference.seen_deal import read_history
from german_whist.envs.engine.cards import SUIT_SIZE
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.utils.checks import whole_number

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


def count_decks(history: npt.ArrayLike, rules: str | Rules = "classic") -> int:
    """Return how many deck orders agree with what one seat saw of a deal; arguments as ``sample_decks``.

    Raises:
        ValueError: if the array is not a history of these rules, or no deck agrees with it.
    """
    return DeckSampler(history, rules_named(rules)).count()


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
