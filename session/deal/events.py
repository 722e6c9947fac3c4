"""What happened in a deal, in order and in words, as one seat saw it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from german_whist.envs.engine.cards import SUIT_NAMES, SUIT_SIZE, card_text, cards_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import DRAFT, EXCHANGE, LEAVE, PLAY, SWAP
from german_whist.envs.text.words import card_name, the_cards
from german_whist.session import schema
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.deal.words import result_text, sentence


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

    kind: schema.EventKind
    seat: int | None
    card: int | None
    trick: int
    text: str
    step: int

    def to_dict(
        self, number: int, side: schema.Side | None, trump: int, table: schema.Table | None
    ) -> schema.GameEvent:
        """Return the event as plain data; ``side`` is who did it, ``table`` what was seen after it."""
        return {
            "number": number,
            "kind": self.kind,
            "by": side,
            "card": None if self.card is None else card_text(self.card),
            "trump": self.card is not None and self.card // SUIT_SIZE == trump,
            "trick": self.trick,
            "text": self.text,
            "table": table,
        }


def deal_events(deal: TableDeal, observer: int | None, names: tuple[str, str]) -> list[Event]:
    """Return the events of a deal so far.

    Args:
        deal: the deal.
        observer: the seat that sees them; ``None`` sees every card.
        names: names of the players by seat; ``You`` is addressed in the second person.
    """
    first = deal.states[0] if deal.states else deal.state
    events = list(_beginning(deal.rules, first, names))
    for step in range(len(deal.actions)):
        events += action_events(deal, step, observer, names)
    if deal.done:
        winner, text = result_text(deal, names)
        events.append(Event("result", winner, None, _trick(deal.state), f"{text}.", len(deal.actions)))
    return events


def action_events(deal: TableDeal, step: int, observer: int | None, names: tuple[str, str]) -> Iterator[Event]:
    """Yield what action ``step``, counted from 0, did; the other arguments are those of :func:`deal_events`."""
    after = deal.states[step + 1] if step + 1 < len(deal.states) else deal.state
    return _events_of(deal.rules, deal.states[step], after, deal.actions[step], step + 1, observer, names)


def move_texts(deal: TableDeal, names: tuple[str, str]) -> list[str]:
    """Return every action of a deal in a sentence: ``You lead the ace of spades``."""
    return [next(action_events(deal, step, None, names)).text for step in range(len(deal.actions))]


def _trick(state: Any) -> int:
    """Return the number of tricks won so far."""
    return int(state["tricks"].sum())


def _beginning(rules: Rules, state: Any, names: tuple[str, str]) -> Iterator[Event]:
    dealer, trump = int(state["dealer"]), int(state["trump"])
    yield Event("deal", dealer, None, 0, sentence(names[dealer], "deal{s}"), 0)
    turned: int | None = None
    if rules.humbug:
        turned = int(state["deck"][len(rules.cards) - 1])
        shown = f"The last card, {the_cards([turned])}, is shown"
    elif rules.open_stock:
        turned = int(state["deck"][2 * rules.hand])
        shown = f"The {card_name(turned)} is turned up"
    text = "There are no trumps." if trump < 0 else f"{shown}: {SUIT_NAMES[trump]} are trumps."
    if rules.high_low:
        text += " The endgame is played low: the fewest tricks win." if state["low"] else " The endgame is played high."
    yield Event("trump", None, None if trump < 0 else turned, 0, text, 0)
    for card in cards_of(int(state["face_up"])):
        if card != turned or trump < 0:
            yield Event("turn_up", None, card, 0, f"The {card_name(card)} is turned up.", 0)


def _events_of(
    rules: Rules, before: Any, after: Any, action: int, step: int, observer: int | None, names: tuple[str, str]
) -> Iterator[Event]:
    """Yield what one action did; ``step`` counts the actions, this one included."""
    actor, decision, trick = int(before["turn"]), int(before["decision"]), _trick(before)
    if decision == EXCHANGE:
        kind: schema.EventKind = "swap" if action == SWAP else "keep"
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
