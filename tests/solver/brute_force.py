"""Perfect endgame play by plain minimax: no pruning, no transposition table.

An independent reference: written from the rules, without the engine and the solver. A card is its name (``"SA"``), a
hand is a list of names, and leader and follower are those of the current trick. A card that has been led is in no hand.
"""

from __future__ import annotations

RANKS = "23456789TJQKA"


def may_play(hand: list[str], led: str | None) -> list[str]:
    if led is None:
        return hand
    return [card for card in hand if card[0] == led[0]] or hand


def follower_wins(led: str, card: str, trump: str | None) -> bool:
    if card[0] == led[0]:
        return RANKS.index(card[1]) > RANKS.index(led[1])
    return card[0] == trump


def without(hand: list[str], card: str) -> list[str]:
    return [other for other in hand if other != card]


def card_values(
    leader: list[str], follower: list[str], trump: str | None = None, low: bool = False, led: str | None = None
) -> dict[str, int]:
    """The tricks of the seat to act, this one included, after each card that it may play."""
    values = {}
    if led is None:
        for card in leader:
            values[card] = len(leader) - best(card_values(without(leader, card), follower, trump, low, card), low)
        return values
    for card in may_play(follower, led):
        rest = without(follower, card)
        if follower_wins(led, card, trump):
            values[card] = 1 + value(rest, leader, trump, low)
        else:
            values[card] = len(rest) - value(leader, rest, trump, low)
    return values


def best(values: dict[str, int], low: bool) -> int:
    return min(values.values()) if low else max(values.values())


def value(
    leader: list[str], follower: list[str], trump: str | None = None, low: bool = False, led: str | None = None
) -> int:
    """The leader's tricks in perfect play."""
    if not follower:
        return 0
    values = card_values(leader, follower, trump, low, led)
    return best(values, low) if led is None else len(follower) - best(values, low)


def race_card_tricks(
    leader: list[str], follower: list[str], trump: str | None, needs: tuple[int, int], led: str | None = None
) -> dict[str, tuple[int, int]]:
    """The tricks of leader and follower until the deal stops, after each card of the seat to act.

    The deal stops when the leader has taken ``needs[0]`` tricks or the follower ``needs[1]``; both play for the margin.
    """
    tricks = {}
    if led is None:
        for card in leader:
            replies = race_card_tricks(without(leader, card), follower, trump, needs, card)
            tricks[card] = min(replies.values(), key=lambda pair: pair[0] - pair[1])
        return tricks
    for card in may_play(follower, led):
        rest = without(follower, card)
        if follower_wins(led, card, trump):
            theirs, own = race_tricks(rest, leader, trump, (needs[1] - 1, needs[0]))
            tricks[card] = (own, theirs + 1)
        else:
            own, theirs = race_tricks(leader, rest, trump, (needs[0] - 1, needs[1]))
            tricks[card] = (own + 1, theirs)
    return tricks


def race_tricks(
    leader: list[str], follower: list[str], trump: str | None, needs: tuple[int, int], led: str | None = None
) -> tuple[int, int]:
    """The tricks of leader and follower until the deal stops, in perfect play for the margin."""
    if not follower or min(needs) <= 0:
        return 0, 0
    tricks = race_card_tricks(leader, follower, trump, needs, led)
    choose = max if led is None else min
    return choose(tricks.values(), key=lambda pair: pair[0] - pair[1])


def race_card_margins(
    leader: list[str], follower: list[str], trump: str | None, needs: tuple[int, int], led: str | None = None
) -> dict[str, int]:
    """The margin of further tricks for the seat to act, after each of its cards."""
    sign = 1 if led is None else -1
    tricks = race_card_tricks(leader, follower, trump, needs, led)
    return {card: sign * (own - theirs) for card, (own, theirs) in tricks.items()}
