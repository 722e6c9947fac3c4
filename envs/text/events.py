"""Events of a deal in words, as one seat sees them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Literal

from german_whist.envs.engine.cards import SUIT_NAMES, cards_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import DRAFT, EXCHANGE, LEAVE, PLAY, SWAP
from german_whist.envs.text.scene import clause
from german_whist.envs.text.words import card_name, count_text, the_cards

EventKind = Literal[
    "deal",
    "trump",
    "turn_up",
    "keep",
    "swap",
    "play",
    "win",
    "leave",
    "take",
    "draw",
    "endgame",
    "result",
    "match",
]


@dataclasses.dataclass(frozen=True)
class Event:
    """One event of a deal.

    Attributes:
        kind: what happened.
        seat: the seat that did it; ``None`` for nobody.
        card: the card, if there is one and the observer saw it.
        trick: number of the trick, from 1; 0 before the first.
        text: the event in words.
        step: number of actions played when it happened.
    """

    kind: EventKind
    seat: int | None
    card: int | None
    trick: int
    text: str
    step: int


def sentence(name: str, words: str) -> str:
    """Return a sentence about a player; the arguments are those of :func:`clause`."""
    return f"{clause(name, words)}."


def counted_tricks(tricks: Any, rules: Rules) -> tuple[int, int]:
    """Return the counted tricks of seats 0 and 1 from tricks by stage and seat, int[2, 2]."""
    counted = tricks if rules.counts == "all" else tricks[1:]
    return sum(int(stage[0]) for stage in counted), sum(int(stage[1]) for stage in counted)


def result_text(
    tricks: Any, margin: float, rules: Rules, names: tuple[str, str], *, low: bool
) -> tuple[int | None, str]:
    """Return the winning seat of a deal, ``None`` for a draw, and the result in words: ``You win 8 to 5``.

    Args:
        tricks: tricks by stage and seat, int[2, 2].
        margin: the margin of seat 0.
        rules: the rules.
        names: names of the players by seat; ``You`` is addressed in the second person.
        low: whether the endgame was played low.
    """
    taken = counted_tricks(tricks, rules)
    if not margin:
        return None, f"The deal is drawn, {count_text(taken[0], 'trick')} each"
    winner = 0 if margin > 0 else 1
    text = clause(names[winner], f"win{{s}} {taken[winner]} to {taken[1 - winner]}")
    return winner, f"{text}, played low" if low else text


def result_sentence(
    tricks: Any, margin: float, points: float, rules: Rules, names: tuple[str, str], *, low: bool
) -> str:
    """Return the result with the winner's points: ``You win 8 to 5: 3 points.``. ``points`` are seat 0's."""
    winner, text = result_text(tricks, margin, rules, names, low=low)
    return f"{text}." if winner is None else f"{text}: {count_text(abs(points), 'point')}."


def first_events(rules: Rules, state: Any, names: tuple[str, str]) -> Iterator[Event]:
    """Yield the events before the first action: who deals, trumps, cards turned up.

    Args:
        rules: the rules.
        state: the state before the first action, a ``STATE`` record.
        names: names of the players by seat; ``You`` is addressed in the second person.
    """
    dealer, trump = int(state["dealer"]), int(state["trump"])
    yield Event("deal", dealer, None, 0, sentence(names[dealer], "deal{s}"), 0)
    turned: int | None = None
    if rules.humbug:
        turned = int(state["deck"][len(rules.cards) - 1])
        shown = f"The last card, {the_cards([turned])}, is shown"
    elif rules.open_stock:
        turned = int(state["deck"][2 * rules.hand])
        shown = f"The {card_name(turned)} is turned up"
    text = f"{shown}: {SUIT_NAMES[trump]} are trumps." if trump >= 0 else "There are no trumps."
    if rules.humbug and trump < 0:
        text = f"{shown}. {text}"
    if rules.high_low:
        text += " The endgame is played low: the fewest tricks win." if state["low"] else " The endgame is played high."
    yield Event("trump", None, None if trump < 0 else turned, 0, text, 0)
    for card in cards_of(int(state["face_up"])):
        if card != turned or trump < 0:
            yield Event("turn_up", None, card, 0, f"The {card_name(card)} is turned up.", 0)


def action_events(
    rules: Rules, before: Any, after: Any, action: int, step: int, observer: int | None, names: tuple[str, str]
) -> Iterator[Event]:
    """Yield the events of one action.

    Args:
        rules: the rules.
        before: the state before it, a ``STATE`` record.
        after: the state after it.
        action: the action.
        step: number of actions played, including this one.
        observer: the seat that sees the events; ``None`` sees every card.
        names: names of the players by seat; ``You`` is addressed in the second person.
    """
    actor, decision, trick = int(before["turn"]), int(before["decision"]), int(before["tricks"].sum())
    if decision == EXCHANGE:
        kind: EventKind = "swap" if action == SWAP else "keep"
        words = "swap{s} the hand for a blind one" if action == SWAP else "keep{s} the hand"
        yield Event(kind, actor, None, 0, sentence(names[actor], words), step)
        return
    if decision == PLAY:
        trick += 1
        verb = "lead{s}" if before["led"] < 0 else "play{s}"
        yield Event("play", actor, action, trick, sentence(names[actor], f"{verb} the {card_name(action)}"), step)
        if after["led"] >= 0:
            return
        winner = int(after["winner"])
        yield Event("win", winner, None, trick, sentence(names[winner], "win{s} the trick"), step)
    elif decision == DRAFT and action == LEAVE:
        left = next(cards_of(int(before["face_up"])))
        yield Event("leave", actor, left, trick, sentence(names[actor], f"leave{{s}} the {card_name(left)}"), step)
    yield from _drawing(before, after, trick, step, observer, names)
    for card in cards_of(int(after["face_up"] & ~before["face_up"])):
        yield Event("turn_up", None, card, trick, f"The {card_name(card)} is turned up.", step)
    if _stock(rules, before) and not _stock(rules, after):
        leader = names[int(after["turn"])]
        text = f"The stock is gone: the endgame begins. {sentence(leader, 'lead{s}')}"
        yield Event("endgame", None, None, trick, text, step)


def _drawing(
    before: Any, after: Any, trick: int, step: int, observer: int | None, names: tuple[str, str]
) -> Iterator[Event]:
    """Yield the cards that both seats get from the stock, the winner of the trick first."""
    for seat in (int(after["winner"]), 1 - int(after["winner"])):
        gained = int(after["hands"][seat] & ~before["hands"][seat])
        seen = int(after["known"][seat]) & gained
        for card in cards_of(seen):
            yield Event("take", seat, card, trick, sentence(names[seat], f"take{{s}} the {card_name(card)}"), step)
        for card in cards_of(gained & ~seen):
            visible = observer in (None, seat)
            words = f"draw{{s}} the {card_name(card)}" if visible else "draw{s} a card unseen"
            yield Event("draw", seat, card if visible else None, trick, sentence(names[seat], words), step)


def _stock(rules: Rules, state: Any) -> int:
    """Return the number of cards left in the stock."""
    return int(state["face_up"]).bit_count() + len(rules.cards) - int(state["top"])
