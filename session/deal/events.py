"""The events of a table's deal, in order, as one seat saw them."""

from __future__ import annotations

from collections.abc import Iterator

from german_whist.envs.engine.cards import SUIT_SIZE, card_text
from german_whist.envs.text import events
from german_whist.envs.text.events import Event
from german_whist.session import schema
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.deal.words import result_text


def deal_events(deal: TableDeal, observer: int | None, names: tuple[str, str]) -> list[Event]:
    """Return the events of a deal so far.

    Args:
        deal: the deal.
        observer: the seat that sees them; ``None`` sees every card.
        names: names of the players by seat; ``You`` is addressed in the second person.
    """
    first = deal.states[0] if deal.states else deal.state
    found = list(events.first_events(deal.rules, first, names))
    for step in range(len(deal.actions)):
        found += action_events(deal, step, observer, names)
    if deal.done:
        winner, text = result_text(deal, names)
        found.append(Event("result", winner, None, int(deal.state["tricks"].sum()), f"{text}.", len(deal.actions)))
    return found


def action_events(deal: TableDeal, step: int, observer: int | None, names: tuple[str, str]) -> Iterator[Event]:
    """Yield what action ``step``, counted from 0, did; the other arguments are those of :func:`deal_events`."""
    after = deal.states[step + 1] if step + 1 < len(deal.states) else deal.state
    return events.action_events(deal.rules, deal.states[step], after, deal.actions[step], step + 1, observer, names)


def move_texts(deal: TableDeal, names: tuple[str, str]) -> list[str]:
    """Return every action of a deal in a sentence: ``You lead the ace of spades``."""
    return [next(action_events(deal, step, None, names)).text for step in range(len(deal.actions))]


def event_data(
    event: Event, number: int, side: schema.Side | None, trump: int, table: schema.Table | None
) -> schema.GameEvent:
    """Return the event as plain data; ``side`` is who did it, ``table`` what was seen after it."""
    return {
        "number": number,
        "kind": event.kind,
        "by": side,
        "card": None if event.card is None else card_text(event.card),
        "trump": event.card is not None and event.card // SUIT_SIZE == trump,
        "trick": event.trick,
        "text": event.text,
        "table": table,
    }
