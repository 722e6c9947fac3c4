"""A deal as one seat sees it, as plain data for interfaces: nothing in it tells a card that the seat has not seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.cards import NUM_CARDS, SUIT_SIZE, SUITS, card_text, cards_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import DRAFT, EXCHANGE, PICK, PICK_AFTER, PLAY
from german_whist.session.deal.events import Event
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.deal.words import (
    SUIT_NAMES,
    action_name,
    card_name,
    counted_tricks,
    join_words,
    result_text,
    the_cards,
)

SIDES = ("you", "opponent")
_KINDS = {PLAY: "card", PICK: "pick", PICK_AFTER: "pick", DRAFT: "take_or_leave", EXCHANGE: "keep_or_swap"}


def side_of(seat: int | None, you: int) -> str | None:
    """Return ``you`` or ``opponent`` for a seat, ``None`` for no seat."""
    return None if seat is None or seat < 0 else SIDES[seat != you]


def trump_of(record: Any) -> str | None:
    """Return the trump suit of a state or a view as text; ``None`` without trumps."""
    return SUITS[record["trump"]] if record["trump"] >= 0 else None


def position(deal: TableDeal, seat: int, names: tuple[str, str], events: Sequence[Event]) -> dict[str, Any]:
    """Return what a seat sees of a deal now.

    Args:
        deal: the deal.
        seat: the seat.
        names: names of the players by seat.
        events: the events of the deal as this seat saw them.
    """
    view, rules = deal.views(seat)[0], deal.rules
    taken = int(view["tricks_self"].sum() + view["tricks_opponent"].sum())
    between = deal.done or (bool(view["choice"]) and not rules.humbug)
    known = int(view["opponent_known"])
    in_hand = int(deal.state["hands"][1 - seat]).bit_count()
    voids = {SUITS[suit]: int(view["void_opponent"][suit]) for suit in range(4) if view["void_opponent"][suit]}
    return {
        "stage": "foreplay" if view["stock"] else "endgame",
        "trump": trump_of(view),
        "low": bool(view["low"]),
        "trick": taken if between else taken + 1,
        "stock": int(view["stock"]),
        "face_up": card_texts(cards_of(int(view["face_up"]))),
        "led": led_card(deal, seat),
        "hand": _hand(deal, view),
        "opponent": {"cards": in_hand, "known": high_to_low(known), "voids": voids},
        "tricks": _tricks(deal, seat),
        "turn": side_of(deal.turn, seat),
        "decision": decision(deal, view) if deal.turn == seat else None,
        "last_trick": _last_trick(events, seat),
        "played": {
            side: card_texts(event.card for event in events if event.kind == "play" and _side(event, seat) == side)
            for side in SIDES
        },
        "discarded": high_to_low(int(view["discarded"])),
        "exchanged": _exchanged(rules, events, seat),
        "result": result(deal, seat, names) if deal.done else None,
        "open": _open(deal, seat) if deal.done else None,
    }


def card_texts(cards: Iterable[int | None]) -> list[str]:
    """Return cards as ``SA``; ``None`` is left out."""
    return [card_text(card) for card in cards if card is not None]


def high_to_low(mask: int) -> list[str]:
    """Return the cards of a mask, spades to clubs, each suit from high to low."""
    return card_texts(reversed(list(cards_of(mask))))


def led_card(deal: TableDeal, seat: int) -> dict[str, Any] | None:
    """Return the card led to the current trick, and by which side."""
    led = int(deal.state["led"])
    if led < 0:
        return None
    return {"card": card_text(led), "name": card_name(led), "by": side_of(1 - int(deal.state["turn"]), seat)}


def decision(deal: TableDeal, view: Any) -> dict[str, Any]:
    """Return the decision of the seat to act, whose view it is: its kind, a sentence, and the legal actions."""
    actions = reversed(list(cards_of(int(view["legal"])))) if not view["choice"] else cards_of(int(view["legal"]))
    return {
        "kind": _KINDS[int(deal.state["decision"])],
        "text": decision_text(deal, view),
        "actions": [
            {"action": action_text(action, deal.rules), "name": action_name(action, deal.rules)} for action in actions
        ],
    }


def decision_text(deal: TableDeal, view: Any) -> str:
    """Return what the seat to act has to do, as a sentence."""
    kind = int(deal.state["decision"])
    if kind == EXCHANGE:
        return "Keep your hand, or swap it for a blind one."
    if kind == DRAFT:
        return f"Take {the_cards(cards_of(int(view['face_up'])))}, or leave it."
    if kind in (PICK, PICK_AFTER):
        return "Pick one of the face-up cards."
    if view["led"] < 0:
        return "Lead a card."
    suit = int(view["led"]) // SUIT_SIZE
    if _follows(view, suit):
        return f"Follow {SUIT_NAMES[suit]}."
    return f"You have no {SUIT_NAMES[suit]}: play any card."


def refusal(deal: TableDeal, seat: int, action: int) -> str | None:
    """Return why a seat may not choose an action now, as a sentence; ``None`` if it may."""
    if deal.done:
        return "The deal is over."
    if deal.turn != seat:
        return "It is not your turn."
    view, rules = deal.views(seat)[0], deal.rules
    if int(view["legal"]) >> action & 1:
        return None
    if view["choice"]:
        return decision_text(deal, view)
    if action >= len(SUITS) * SUIT_SIZE:
        return f"There is nothing to {action_name(action, rules)} now."
    if not int(view["hand"]) >> action & 1:
        return f"You do not hold the {card_name(action)}."
    return f"You must follow {SUIT_NAMES[int(view['led']) // SUIT_SIZE]}."


def refusal_with_choices(deal: TableDeal, seat: int, action: int) -> str | None:
    """Return the same sentence with what is allowed: ``You must follow clubs: you may play CK or C9.``."""
    reason = refusal(deal, seat, action)
    if reason is None or deal.turn != seat:
        return reason
    legal = list(cards_of(deal.legal))
    words = [action_text(one, deal.rules) for one in (legal if legal[0] >= NUM_CARDS else reversed(legal))]
    may = "" if deal.views(seat)[0]["choice"] else "you may play "
    return f"{reason.removesuffix('.')}: {may}{join_words(words, 'or')}."


def result(deal: TableDeal, seat: int, names: tuple[str, str]) -> dict[str, Any]:
    """Return the result of a finished deal, numbers from the side of ``seat``."""
    winner, text = result_text(deal, names)
    outcome, taken = deal.result(), counted_tricks(deal)
    sign = 1 if seat == 0 else -1
    return {
        "text": text,
        "winner": side_of(winner, seat),
        "margin": sign * outcome.margin,
        "points": abs(outcome.points),
        "tricks": {"you": taken[seat], "opponent": taken[1 - seat]},
    }


def _side(event: Event, seat: int) -> str | None:
    return side_of(event.seat, seat)


def _follows(view: Any, suit: int) -> bool:
    """Return whether the hand has a card of a suit."""
    return any(card // SUIT_SIZE == suit for card in cards_of(int(view["hand"])))


def _hand(deal: TableDeal, view: Any) -> list[dict[str, Any]]:
    seat = deal.turn if view["turn"] else (1 - deal.turn if not deal.done else -1)
    return [
        {
            "card": card_text(card),
            "name": card_name(card),
            "playable": bool(view["turn"] and not view["choice"] and int(view["legal"]) >> card & 1),
            "reason": refusal(deal, seat, card),
            "seen": bool(int(view["own_known"]) >> card & 1),
        }
        for card in reversed(list(cards_of(int(view["hand"]))))
    ]


def _tricks(deal: TableDeal, seat: int) -> dict[str, Any]:
    tricks, counted = deal.state["tricks"], counted_tricks(deal)
    return {
        side: {"foreplay": int(tricks[0, place]), "endgame": int(tricks[1, place]), "counted": counted[place]}
        for side, place in zip(SIDES, (seat, 1 - seat), strict=True)
    }


def _last_trick(events: Sequence[Event], seat: int) -> dict[str, Any] | None:
    """Return the last complete trick, and what it brought from the stock."""
    won = next((event for event in reversed(events) if event.kind == "win"), None)
    if won is None:
        return None
    cards = [event for event in events if event.kind == "play" and event.trick == won.trick]
    taken = [event for event in events if event.kind in ("take", "draw") and event.trick == won.trick]
    return {
        "number": won.trick,
        "leader": _side(cards[0], seat),
        "winner": _side(won, seat),
        "cards": {str(_side(event, seat)): card_texts([event.card])[0] for event in cards},
        "takes": {
            side: next((card_text(e.card) for e in taken if _side(e, seat) == side and e.card is not None), None)
            for side in SIDES
        },
    }


def _exchanged(rules: Rules, events: Sequence[Event], seat: int) -> dict[str, bool | None]:
    """Return whether the sides swapped their hands; ``None`` where it is not decided or the game has no swap."""
    decided = {_side(event, seat): event.kind == "swap" for event in events if event.kind in ("keep", "swap")}
    return {side: decided.get(side) if rules.humbug else None for side in SIDES}


def _open(deal: TableDeal, seat: int) -> dict[str, list[str]]:
    """Return the cards that are left when a deal is over: of both hands, and of the stock."""
    hands, state = deal.state["hands"], deal.state
    stock = [*cards_of(int(state["face_up"])), *deal.deck[int(state["top"]) :]]
    left = {"you": high_to_low(int(hands[seat])), "opponent": high_to_low(int(hands[1 - seat]))}
    return {**left, "stock": [] if deal.rules.humbug else card_texts(stock)}
