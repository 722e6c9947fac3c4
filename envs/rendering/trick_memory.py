"""The last complete trick. A state holds no complete trick, only the card led, so pictures need this memory."""

from __future__ import annotations

from typing import NamedTuple

from german_whist.game.cards import NO_CARD
from german_whist.simulator.batch import DealBatch


class Trick(NamedTuple):
    """A complete trick.

    Attributes:
        cards: the card of each seat.
        winner: the seat that won.
    """

    cards: tuple[int, int]
    winner: int


class TrickMemory:
    """Remembers the last complete trick of a batch of one; :meth:`update` must be called after every action.

    Attributes:
        trick: the last complete trick, or ``None``.
    """

    def __init__(self, batch: DealBatch) -> None:
        """Start from the current position."""
        self.reset(batch)

    def reset(self, batch: DealBatch) -> None:
        """Start with a new deal, or a position whose past is unknown."""
        self.trick: Trick | None = None
        self._played = self._masks(batch)
        self._led = int(batch.states["led"][0])

    def update(self, batch: DealBatch) -> None:
        """Record the position after one action."""
        played = self._masks(batch)
        if any(self._played[seat] & ~played[seat] for seat in range(2)):
            self.reset(batch)  # the next deal of a match has begun
            return
        new = [played[seat] & ~self._played[seat] for seat in range(2)]
        if self._led >= 0 and any(new):
            follower = 0 if new[0] else 1
            cards = [NO_CARD, NO_CARD]
            cards[follower] = new[follower].bit_length() - 1
            cards[1 - follower] = self._led
            winner = int(batch.states["winner"][0])
            self.trick = Trick((cards[0], cards[1]), winner)
        self._played, self._led = played, int(batch.states["led"][0])

    @staticmethod
    def _masks(batch: DealBatch) -> tuple[int, int]:
        first, second = batch.states["played"][0]
        return int(first), int(second)
