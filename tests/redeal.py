"""Deals that a seat cannot tell apart, in which its observations and choices must be the same."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from german_whist.game.cards import cards_of, mask_of
from german_whist.game.rules import Rules
from german_whist.simulator.batch import DealBatch
from tests.players import play_randomly


class Redeal:
    """A random deal, and other deals in which one seat saw exactly the same.

    Attributes:
        course: the deal itself, one row.
        others: deals that the seat cannot tell from it after ``actions``, one per row; the first is the deal itself.
        actions: the actions of both seats.
    """

    def __init__(self, rules: str | Rules, seed: int, seat: int, steps: int, attempts: int = 64) -> None:
        """Play up to ``steps`` random actions of a deal, then redistribute the cards that ``seat`` never saw."""
        rng = np.random.default_rng(seed)
        self.seat = seat
        self.course = DealBatch(rules, 1, seed, history=True)
        play_randomly(self.course, rng, steps)
        log = self.course.log
        assert log is not None
        self.actions = log.actions[0, : log.counts[0]].tolist()
        decks = self._decks(rng, attempts)
        self.course.reset(0)
        self.others = DealBatch(rules, len(decks), seed, history=True)
        self.others.deal_decks(decks, [int(self.course.states["dealer"][0])] * len(decks))

    def _decks(self, rng: np.random.Generator, attempts: int) -> list[npt.NDArray[np.int64]]:
        state = self.course.states[0]
        deck = state["deck"][: len(self.course.rules.cards)].astype(np.int64)
        unseen = np.array(list(cards_of(self.course.views(seats=[self.seat])["unseen"][0])), np.int64)
        decks = [deck]
        for attempt in range(attempts):
            new = np.arange(52)
            # Small changes are more often consistent with the suits followed; large ones explore more.
            moved = unseen if attempt % 2 else rng.permutation(unseen)[:2]
            new[moved] = rng.permutation(moved)
            decks.append(new[deck])
        return [decks[row] for row in self._possible(decks)]

    def _possible(self, decks: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
        """Return the decks with which the actions are legal: the opponent followed suit whenever possible."""
        batch = DealBatch(self.course.rules, len(decks))
        batch.deal_decks(decks, [int(self.course.states["dealer"][0])] * len(decks))
        rows = np.arange(len(decks))
        for action in self.actions:
            rows = rows[batch.legal()[rows] & np.uint64(mask_of([action])) != 0]
            batch.step(np.full(len(rows), action), rows)
        return rows

    def steps(self) -> Iterator[tuple[DealBatch, DealBatch]]:
        """Play the actions once more in all deals, giving the deal and its likes before the first and after each."""
        yield self.course, self.others
        for action in self.actions:
            self.course.step([action])
            self.others.step(np.full(self.others.size, action))
            yield self.course, self.others
