"""The memory quiz: when the stock is gone, which cards does the opponent hold? Whoever has seen everything can know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from german_whist.agents.endgame.open_hands import opponent_hand_known
from german_whist.envs.engine.cards import card_text, cards_of
from german_whist.envs.text.events import Event
from german_whist.envs.text.words import card_name
from german_whist.session import schema
from german_whist.session.deal.events import deal_events
from german_whist.session.deal.table_deal import TableDeal


def quiz_step(deal: TableDeal, seat: int) -> int | None:
    """Return the seat's first decision after the stock was gone, counted in actions from 0.

    ``None`` if the deal has not come so far, or the seats cannot know each other's hands.
    """
    if not deal.rules.stock:
        return None
    views = deal.views_since(0, seat)
    hands = np.array([int(hand).bit_count() for hand in views["hand"]])
    steps = np.flatnonzero(opponent_hand_known(views) & (hands == deal.rules.hand))
    return int(steps[0]) if len(steps) else None


def is_quiz_time(deal: TableDeal, seat: int) -> bool:
    """Return whether the seat is at that decision."""
    if deal.turn != seat or not deal.rules.stock:
        return False
    views = deal.views(seat)
    return bool(opponent_hand_known(views)[0]) and int(views["hand"][0]).bit_count() == deal.rules.hand


def hand_to_recall(deal: TableDeal, seat: int) -> int:
    """Return the cards that the opponent held at that decision, a mask; there has to be one."""
    step = quiz_step(deal, seat)
    assert step is not None
    state = deal.states[step] if step < len(deal.states) else deal.state
    return int(state["hands"][1 - seat])


def score(deal: TableDeal, seat: int, recalled: Iterable[int]) -> tuple[int, int]:
    """Return how many of the recalled cards the opponent held, and how many it held in all."""
    hand = hand_to_recall(deal, seat)
    return sum(hand >> card & 1 for card in recalled), hand.bit_count()


def recall_data(deal: TableDeal, seat: int, names: tuple[str, str], recalled: Sequence[int]) -> schema.Recall:
    """Return the score of a quiz and, once the deal is over, the cards that it was about and how they could be known.

    Args:
        deal: the deal.
        seat: the seat that recalled the cards.
        names: names of the players by seat.
        recalled: the cards that it takes to be in the opponent's hand.
    """
    right, held = score(deal, seat, recalled)
    cards: list[schema.RecalledCard] | None = None
    if deal.done:
        hand, events = hand_to_recall(deal, seat), deal_events(deal, seat, names)
        wanted = hand | sum(1 << card for card in set(recalled))
        cards = [
            {
                "card": card_text(card),
                "name": card_name(card),
                "held": bool(hand >> card & 1),
                "recalled": card in recalled,
                "reason": _reason(card, held=bool(hand >> card & 1), seat=seat, names=names, events=events),
            }
            for card in reversed(list(cards_of(wanted)))
        ]
    return {"right": right, "held": held, "cards": cards}


def _reason(card: int, *, held: bool, seat: int, names: tuple[str, str], events: Sequence[Event]) -> str:
    """Return how a seat could know where a card was when the stock was gone, as a sentence."""
    of_card = {event.kind: event for event in events if event.card == card}
    if not held:
        play = of_card.get("play")
        if play is None or play.seat is None:
            return "It was in your own hand."
        return f"{names[play.seat]} played it in trick {play.trick}."
    take = of_card.get("take")
    if take is not None and take.seat == 1 - seat:
        return f"You saw it taken in trick {take.trick}, and it was not played."
    return "It was in no trick and never in your hand: the opponent was left with it."
