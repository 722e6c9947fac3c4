"""Perfect endgame play by plain minimax: no pruning, no transposition table.

An independent reference: written from the rules, without the engine and the solver. A card is its name (``"SA"``), a
hand is a list of names, and leader and follower are those of the current trick. A card that has been led is in no hand.
"""

from __future__ import annotations

from tests.reference.game import follower_wins, may_play

NO_RACE = (99, 99)

Tricks = tuple[int, int]  # leader's and follower's


def without(hand: list[str], card: str) -> list[str]:
    return [other for other in hand if other != card]


def card_tricks(
    leader: list[str], follower: list[str], trump: str | None, low: bool, needs: Tricks, led: str | None
) -> dict[str, Tricks]:
    """The tricks of both after each card that the seat to act may play.

    A race stops when the leader has taken ``needs[0]`` tricks or the follower ``needs[1]``; both play for the margin.
    """
    tricks = {}
    if led is None:
        for card in leader:
            tricks[card] = _tricks(without(leader, card), follower, trump, low, needs, card)
        return tricks
    for card in may_play(follower, led):
        rest = without(follower, card)
        if follower_wins(led, card, trump):
            theirs, own = _tricks(rest, leader, trump, low, (needs[1] - 1, needs[0]), None)
            tricks[card] = (own, theirs + 1)
        else:
            own, theirs = _tricks(leader, rest, trump, low, (needs[0] - 1, needs[1]), None)
            tricks[card] = (own + 1, theirs)
    return tricks


def _tricks(
    leader: list[str], follower: list[str], trump: str | None, low: bool, needs: Tricks, led: str | None
) -> Tricks:
    if not follower or min(needs) <= 0:
        return 0, 0
    choose = max if (led is None) != low else min
    return choose(card_tricks(leader, follower, trump, low, needs, led).values(), key=lambda pair: pair[0] - pair[1])


def card_values(
    leader: list[str], follower: list[str], trump: str | None = None, low: bool = False, led: str | None = None
) -> dict[str, int]:
    """The tricks of the seat to act, this one included, after each card that it may play."""
    tricks = card_tricks(leader, follower, trump, low, NO_RACE, led)
    return {card: pair[led is not None] for card, pair in tricks.items()}


def value(
    leader: list[str], follower: list[str], trump: str | None = None, low: bool = False, led: str | None = None
) -> int:
    """The leader's tricks in perfect play."""
    return _tricks(leader, follower, trump, low, NO_RACE, led)[0]


def race_tricks(
    leader: list[str], follower: list[str], trump: str | None, needs: Tricks, led: str | None = None
) -> Tricks:
    """The tricks of leader and follower until a race stops, in perfect play for the margin."""
    return _tricks(leader, follower, trump, False, needs, led)


def race_card_margins(
    leader: list[str], follower: list[str], trump: str | None, needs: Tricks, led: str | None = None
) -> dict[str, int]:
    """The margin of further tricks for the seat to act, after each of its cards."""
    sign = 1 if led is None else -1
    tricks = card_tricks(leader, follower, trump, False, needs, led)
    return {card: sign * (own - theirs) for card, (own, theirs) in tricks.items()}
