"""Deal sampling: whole deals, drawn uniformly from all that agree with everything a seat has seen, in order.

``world_sampling_kernels`` samples hands that a *view* allows, each equally likely. This module starts from an event
history instead, and every *deal* that agrees with it is equally likely. The two differ once the opponent has shown a
void: cards of that suit can only have come with later draws, so a hand with such cards has fewer pasts.

The hidden past is an assignment of cards to places: the opponent's first hand, each of its unseen draws in order, and
the rest (the face-down stock; in ``humbug`` the cards that nobody plays with). Each card has an interval of places:

- it came before the opponent played it;
- if the opponent has shown a void in its suit, it came after the last void before that (or is in the rest).

The assignments are counted by dynamic programming over the places, from the last to the first. Cards with the same
earliest place are interchangeable, so the number of cards left in each such class is all that has to be remembered.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import comb
from random import Random

import numpy as np
import numpy.typing as npt

from german_whist.agents.inference.seat_record import SeatRecord
from german_whist.envs.engine.rules import Rules

Counts = tuple[int, ...]  # cards left, by class


class DealSampler:
    """Samples decks that agree with a seat's history; every hand is a set, and all deals are equally likely.

    Attributes:
        deals: how many there are, an exact integer. Orders within a hand and within the rest are not counted.
    """

    def __init__(self, rules: Rules, tokens: npt.NDArray[np.int8], length: int) -> None:
        """Count the deals that agree with a history.

        Args:
            rules: the rules of the deal.
            tokens: the events, int8[at least length, 4], as ``DealBatch.history`` returns them.
            length: number of events, at least those of the dealing.

        Raises:
            ValueError: if no deal agrees with the history.
        """
        self._record = SeatRecord(rules, tokens[:length].tolist())
        record = self._record
        places = record.draws
        earliest = sorted({0, *(first for _, first, _ in record.played), *record.void_since})
        self._limits = tuple(earliest)
        hidden = [(card, record.void_since[card // 13]) for card in record.hidden]
        self._hidden = tuple([card for card, first in hidden if first == limit] for limit in earliest)
        # Played cards by class and by the last place they can have come from.
        self._due: list[list[list[int]]] = [[[] for _ in earliest] for _ in range(places + 1)]
        for card, first, last in record.played:
            self._due[last][earliest.index(first)].append(card)
        self._ways = lru_cache(maxsize=None)(self._count)
        self._rests = [(rest, ways) for rest, ways in self._all_rests() if ways]
        self.deals = sum(ways for _, ways in self._rests)
        if not self.deals:
            raise ValueError("no deal agrees with this history")

    def _left(self, rest: Counts) -> Counts:
        return tuple(len(cards) - taken for cards, taken in zip(self._hidden, rest, strict=True))

    def _all_rests(self) -> Iterator[tuple[Counts, int]]:
        """Yield how many hidden cards of each class can be in the rest, and in how many ways."""
        wanted = self._record.rest
        sizes = [len(cards) for cards in self._hidden]
        # No more cards of a class can be out of the rest than there are places from its earliest on.
        fewest = [
            max(0, size - (self._record.draws + 1 - limit)) if limit else 0
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
            ways = self._ways(self._record.draws, self._left(rest))
            for size, taken in zip(sizes, rest, strict=True):
                ways *= comb(size, taken)
            yield rest, ways

    def _entered(self, place: int, left: Counts) -> Counts:
        return tuple(count + len(due) for count, due in zip(left, self._due[place], strict=True))

    def _count(self, place: int, left: Counts) -> int:
        """Return in how many ways the cards left and those played can fill places ``place``, ``place − 1``, …, 0."""
        left = self._entered(place, left)
        if place == 0:
            return int(sum(left) == left[0] == self._record.first_hand)
        ways = 0
        for which, count in enumerate(left):
            if count and self._limits[which] <= place:
                ways += count * self._after(place, left, which)
        return ways

    def _after(self, place: int, left: Counts, which: int) -> int:
        """Return the number of ways to fill the places before ``place`` once a card of a class has filled it."""
        rest = tuple(count - (number == which) for number, count in enumerate(left))
        if any(count and limit >= place for count, limit in zip(rest, self._limits, strict=True)):
            return 0
        return self._ways(place - 1, rest)

    def sample(self, random: Random) -> list[int]:
        """Return a deck in dealing order. Cards that the deal has not reached yet come in random order, too."""
        record = self._record
        rest = self._rests[_pick([ways for _, ways in self._rests], random)][0]
        pools = [random.sample(cards, len(cards)) for cards in self._hidden]
        undealt = [pool.pop() for pool, count in zip(pools, rest, strict=True) for _ in range(count)]
        draws = [0] * (record.draws + 1)
        left = self._left(rest)
        for place in range(record.draws, 0, -1):
            for which, due in enumerate(self._due[place]):
                pools[which] += due
            left = self._entered(place, left)
            which = self._choose(place, left, random)
            pool = pools[which]
            draws[place] = pool.pop(random.randrange(len(pool)))
            left = tuple(count - (number == which) for number, count in enumerate(left))
        first = pools[0] + self._due[0][0]
        return record.deck(first, draws[1:], random.sample(undealt, len(undealt)))

    def _choose(self, place: int, left: Counts, random: Random) -> int:
        """Return the class of the card that fills a place, in proportion to the deals that follow."""
        usable = [which for which, count in enumerate(left) if count and self._limits[which] <= place]
        return usable[_pick([left[which] * self._after(place, left, which) for which in usable], random)]


def _pick(weights: list[int], random: Random) -> int:
    """Return an index, each as likely as its share of the weights."""
    number = random.randrange(sum(weights))
    index = 0
    while number >= weights[index]:
        number -= weights[index]
        index += 1
    return index
