"""What lies on the table when a trick is complete: a state keeps only the card led, so somebody has to watch."""

from __future__ import annotations

from typing import NamedTuple

from german_whist.envs.engine.cards import NO_CARD
from german_whist.envs.simulator.batch import DealBatch


class Trick(NamedTuple):
    """The last two cards that lay on the table.

    Attributes:
        cards: by seat, −1 where there is none.
        leader: seat that led.
        winner: seat that took it.
    """

    cards: tuple[int, int]
    leader: int
    winner: int


class TrickMemory:
    """Remembers the last complete trick of one deal; look after every action.

    Attributes:
        trick: the last complete trick, ``None`` before there is one.
    """

    def __init__(self, batch: DealBatch, row: int = 0) -> None:
        """Begin with the position as it is."""
        self.restart(batch, row)

    def restart(self, batch: DealBatch, row: int = 0) -> None:
        """Begin with a new deal, or a position whose past is not known."""
        self.trick: Trick | None = None
        self._played = self._seen(batch, row)
        self._led = int(batch.states["led"][row])

    def look(self, batch: DealBatch, row: int = 0) -> None:
        """Take note of the position after one action."""
        played = self._seen(batch, row)
        if any(self._played[seat] & ~played[seat] for seat in range(2)):
            self.restart(batch, row)  # the next deal of a match has begun
            return
        new = [played[seat] & ~self._played[seat] for seat in range(2)]
        if self._led >= 0 and any(new):
            follower = 0 if new[0] else 1
            cards = [NO_CARD, NO_CARD]
            cards[follower] = new[follower].bit_length() - 1
            cards[1 - follower] = self._led
            winner = int(batch.states["winner"][row])
            self.trick = Trick((cards[0], cards[1]), 1 - follower, winner)
        self._played, self._led = played, int(batch.states["led"][row])

    @staticmethod
    def _seen(batch: DealBatch, row: int) -> tuple[int, int]:
        masks = batch.states["played"][row]
        return int(masks[0]), int(masks[1])
