"""The heuristic bot's rules for the endgame once more, in plain Python over card names: both hands are open."""

from __future__ import annotations

from german_whist.envs.engine.cards import SUITS
from tests.reference.game import RANKS, follower_wins, may_play

Hand = list[str]


def rank(card: str) -> int:
    return RANKS.index(card[1])


def number(card: str) -> int:
    return 13 * SUITS.index(card[0]) + rank(card)


def of_suit(hand: Hand, suit: str) -> Hand:
    return [card for card in hand if card[0] == suit]


def others_above(card: str, opponent: Hand) -> Hand:
    return [other for other in of_suit(opponent, card[0]) if rank(other) > rank(card)]


def is_winner(card: str, opponent: Hand) -> bool:
    """Whether the opponent must follow and cannot beat a card that is led."""
    return bool(of_suit(opponent, card[0])) and not others_above(card, opponent)


def cost(card: str, opponent: Hand, trump: str | None) -> int:
    if card[0] == trump:
        return rank(card) + 40
    return rank(card) + (20 if is_winner(card, opponent) else 0)


def cheapest(cards: Hand, opponent: Hand, trump: str | None) -> str:
    return min(sorted(cards, key=number), key=lambda card: cost(card, opponent, trump))


def follow(hand: Hand, opponent: Hand, led: str, trump: str | None) -> str:
    legal = may_play(hand, led)
    winners = [card for card in legal if follower_wins(led, card, trump)]
    return cheapest(winners or legal, opponent, trump)


def lead(hand: Hand, opponent: Hand, trump: str | None) -> str:
    by_number = sorted(hand, key=number)
    ours, theirs = of_suit(by_number, trump), of_suit(opponent, trump)
    side = [card for card in by_number if card[0] != trump]
    safe = [card for card in side if is_winner(card, opponent) or (not of_suit(opponent, card[0]) and not theirs)]
    if ours and theirs:
        ours_are_higher = max(map(rank, ours)) > max(map(rank, theirs))
        if ours_are_higher and (len(ours) > len(theirs) or not safe):
            return max(ours, key=rank)
    if safe:
        return max(safe, key=lambda card: (len(of_suit(opponent, card[0])), rank(card)))
    # From the longest suit, low; trumps last. A card more weighs as much as thirteen ranks.
    return max(
        by_number, key=lambda card: 13 * len(of_suit(hand, card[0])) - rank(card) - (100 if card[0] == trump else 0)
    )


def can_duck(card: str, opponent: Hand) -> int:
    """How many cards the opponent can play under a card."""
    return len([other for other in of_suit(opponent, card[0]) if rank(other) < rank(card)])


def follow_low(hand: Hand, opponent: Hand, led: str, trump: str | None) -> str:
    legal = sorted(may_play(hand, led), key=number)
    losers = [card for card in legal if not follower_wins(led, card, trump)]
    if losers:
        return max(losers, key=lambda card: 13 * can_duck(card, opponent) + rank(card))
    if of_suit(legal, led[0]):
        return max(legal, key=rank)
    return min(legal, key=rank)


def lead_low(hand: Hand, opponent: Hand) -> str:
    def danger(card: str) -> int:
        return can_duck(card, opponent) if of_suit(opponent, card[0]) else 20  # nobody but us could win

    return max(sorted(hand, key=number), key=lambda card: rank(card) - 13 * danger(card))


def rule_card(hand: Hand, opponent: Hand, led: str | None, trump: str | None, low: bool = False) -> str:
    if low:
        return lead_low(hand, opponent) if led is None else follow_low(hand, opponent, led, trump)
    return lead(hand, opponent, trump) if led is None else follow(hand, opponent, led, trump)


def result_of(card: str, hand: Hand, opponent: Hand, led: str | None, trump: str | None, low: bool = False) -> int:
    """Tricks won minus lost by the side to act when it plays a card and the rules of thumb go on for both."""
    rest = [other for other in hand if other != card]
    if led is None:
        return -rollout_margin(opponent, rest, card, trump, low)
    if follower_wins(led, card, trump):
        return 1 + rollout_margin(rest, opponent, None, trump, low)
    return -1 - rollout_margin(opponent, rest, None, trump, low)


def rollout_margin(hand: Hand, opponent: Hand, led: str | None, trump: str | None, low: bool = False) -> int:
    if not hand:
        return 0
    return result_of(rule_card(hand, opponent, led, trump, low), hand, opponent, led, trump, low)


def look_ahead(hand: Hand, opponent: Hand, led: str | None, trump: str | None, low: bool = False) -> str:
    """The card that brings most; of equals the one that the rules play, else the cheapest."""
    return look_ahead_in_all(hand, [opponent], led, trump, low)


def look_ahead_in_all(hand: Hand, worlds: list[Hand], led: str | None, trump: str | None, low: bool = False) -> str:
    """The same over several hands that the opponent may hold; the rules and the costs look at the first."""
    opponent = worlds[0]
    ruled = rule_card(hand, opponent, led, trump, low)
    legal = sorted(may_play(hand, led), key=number)
    return max(
        legal,
        key=lambda card: (
            sum(result_of(card, hand, world, led, trump, low) for world in worlds) * (-1 if low else 1),
            card == ruled,
            can_duck(card, opponent) if low else -cost(card, opponent, trump),
            -number(card),
        ),
    )


def even_samples(known: Hand, possible: Hand, size: int) -> list[Hand]:
    """Hands of a size: the known cards, filled up with possible ones that lie evenly apart and are in one hand only."""
    hidden = size - len(known)
    if hidden == 0:
        return [known]
    step = len(possible) // hidden
    return [known + sorted(possible, key=number)[first::step][:hidden] for first in range(step)]
