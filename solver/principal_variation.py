"""The principal variation of an endgame: one line of perfect play, for people to read."""

from __future__ import annotations

from typing import NamedTuple

from german_whist.envs.engine.state_kernels import beats
from german_whist.solver.endgames import endgame_move_values


class Trick(NamedTuple):
    """A trick of the line.

    Attributes:
        seat: the seat that led: 0 for the leader of the first trick, 1 for the other.
        led: the card led.
        reply: the other seat's card.
        winner: the seat that took it.
    """

    seat: int
    led: int
    reply: int
    winner: int


def principal_variation(leader: int, follower: int, trump: int = -1, low: bool = False, led: int = -1) -> list[Trick]:
    """Return a line in which both seats always play a best card; of several, the lowest of the first suit.

    Args:
        leader: card mask of the leader's hand, with or without the card led.
        follower: card mask of the follower's hand.
        trump: the trump suit (C D H S = 0 … 3), −1 for none.
        low: whether the fewest tricks win.
        led: the card that the leader has led, −1 for none.

    Raises:
        ValueError: as ``solve_endgames``.
        TableError: if there is no endgame table and none can be built.
    """
    hands = [int(leader), int(follower)]
    seat, tricks = 0, []
    while hands[1 - seat]:
        if led < 0:
            led = best_cards(hands[seat], hands[1 - seat], trump, low)[0]
        hands[seat] &= ~(1 << led)
        reply = best_cards(hands[seat], hands[1 - seat], trump, low, led)[0]
        hands[1 - seat] &= ~(1 << reply)
        winner = 1 - seat if beats(reply, led, trump) else seat
        tricks.append(Trick(seat, led, reply, winner))
        seat, led = winner, -1
    return tricks


def best_cards(leader: int, follower: int, trump: int, low: bool, led: int = -1) -> list[int]:
    """Return the best cards of the seat to act, in ascending order."""
    values = endgame_move_values([leader], [follower], trump, low, led)[0]
    legal = [card for card in range(len(values)) if values[card] >= 0]
    best = (min if low else max)(values[card] for card in legal)
    return [card for card in legal if values[card] == best]
