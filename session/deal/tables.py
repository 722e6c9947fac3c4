"""What a seat saw of the table after each event of a deal: how interfaces show an action step by step."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from german_whist.envs.engine.cards import card_text, cards_of
from german_whist.envs.text.events import Event
from german_whist.session import schema
from german_whist.session.deal.position import (
    SIDES,
    card_texts,
    exchanged,
    held_by,
    high_to_low,
    last_trick,
    opponent_hand,
    side_of,
    side_or_nobody,
    stage_of,
    trick_number,
    tricks_of,
)
from german_whist.session.deal.table_deal import TableDeal


def event_tables(deal: TableDeal, seat: int, events: Sequence[Event], since: int = 0) -> list[schema.Table | None]:
    """Return what a seat saw of the table after each event.

    All of it comes from the seat's views and events up to that moment, so it tells no card that the seat had not seen.

    Args:
        deal: the deal.
        seat: the seat.
        events: the events of the deal as this seat saw them.
        since: events after fewer actions get ``None``.
    """
    first = max(since - 1, 0)
    states, views = [*deal.states, deal.state], deal.views_since(first, seat)
    found: list[schema.Table | None] = []
    trick: dict[schema.Side, str | None] = dict.fromkeys(SIDES)
    winner: schema.Side | None = None
    cards = _Cards.of(views[0], states[first], seat)
    if not since:
        cards.face_up = 0  # nothing is turned up when the cards are dealt
    for place, event in enumerate(events):
        if winner is not None:
            trick, winner = dict.fromkeys(SIDES), None
        if event.kind == "play" and event.seat is not None and event.card is not None:
            trick = {**trick, side_of(event.seat, seat): card_text(event.card)}
        elif event.kind == "win" and event.seat is not None:
            winner = side_of(event.seat, seat)
        if event.step < since:
            found.append(None)
            continue
        # An action is several events. After the last of them the table is what the next decision begins with.
        is_last = place + 1 == len(events) or events[place + 1].step > event.step
        now = event.step if is_last else max(event.step - 1, 0)
        view, done = views[now - first], deal.done and now == len(deal.actions)
        if is_last:
            cards = _Cards.of(view, states[now], seat)
        else:
            cards.change(event, own=event.seat == seat)
        turn = deal.turn if now == len(deal.actions) else deal.actor(now)
        lies = any(trick.values())
        before = events[: place if winner is not None else place + 1]
        found.append(
            {
                "stage": stage_of(view),
                "trick": event.trick if lies else trick_number(view, deal.rules, done=done),
                "stock": cards.stock,
                "face_up": card_texts(cards_of(cards.face_up)),
                "opponent": opponent_hand(cards.held, cards.known, view),
                "tricks": tricks_of(states[event.step if winner is not None else now], deal.rules, seat),
                "turn": side_or_nobody(turn, seat) if is_last and winner is None else None,
                "last_trick": last_trick(before, seat),
                "exchanged": exchanged(deal.rules, events[: place + 1], seat),
                "hand": high_to_low(cards.hand),
                "cards": trick,
                "winner": winner,
            }
        )
    return found


@dataclasses.dataclass
class _Cards:
    """Where cards are, as a seat sees it.

    Attributes:
        hand: the seat's hand, a mask.
        held: number of cards in the other hand.
        known: those of them that the seat knows, a mask.
        stock: number of cards in the stock.
        face_up: its face-up cards, a mask.
    """

    hand: int
    held: int
    known: int
    stock: int
    face_up: int

    @classmethod
    def of(cls, view: Any, state: Any, seat: int) -> _Cards:
        """Return them between two actions."""
        hand, known, face_up = (int(view[name]) for name in ("hand", "opponent_known", "face_up"))
        return cls(hand, held_by(1 - seat, state), known, int(view["stock"]), face_up)

    def change(self, event: Event, *, own: bool) -> None:
        """Move the card of an event that is not the last one of its action."""
        card = 0 if event.card is None else 1 << event.card
        if event.kind == "play":
            self.hand, self.known = self.hand & ~card, self.known & ~card
            self.held -= not own
        elif event.kind in ("take", "draw"):
            self.stock -= 1
            self.face_up &= ~card
            if own:
                self.hand |= card
            else:
                self.held, self.known = self.held + 1, self.known | card
        elif event.kind in ("trump", "turn_up"):
            self.face_up |= card
