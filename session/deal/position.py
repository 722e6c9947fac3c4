"""A deal as one seat sees it, as plain data for interfaces: nothing in it tells a card that the seat has not seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.cards import SUITS, card_text, cards_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import DRAFT, EXCHANGE, PICK, PICK_AFTER, PLAY
from german_whist.envs.text import decisions
from german_whist.envs.text.events import Event, counted_tricks
from german_whist.envs.text.words import action_name, card_name
from german_whist.session import schema
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.deal.words import result_text

SIDES: tuple[schema.Side, schema.Side] = ("you", "opponent")
_KINDS: dict[int, schema.DecisionKind] = {
    PLAY: "card",
    PICK: "pick",
    PICK_AFTER: "pick",
    DRAFT: "take_or_leave",
    EXCHANGE: "keep_or_swap",
}


def side_of(seat: int, you: int) -> schema.Side:
    """Return ``you`` or ``opponent`` for a seat."""
    return SIDES[seat != you]


def side_or_nobody(seat: int | None, you: int) -> schema.Side | None:
    """Return the same, and ``None`` for no seat: ``None`` or −1."""
    return None if seat is None or seat < 0 else side_of(seat, you)


def trump_of(record: Any) -> str | None:
    """Return the trump suit of a state or a view as text; ``None`` without trumps."""
    return SUITS[record["trump"]] if record["trump"] >= 0 else None


def position(deal: TableDeal, seat: int, names: tuple[str, str], events: Sequence[Event]) -> schema.Position:
    """Return what a seat sees of a deal now.

    Args:
        deal: the deal.
        seat: the seat.
        names: names of the players by seat.
        events: the events of the deal as this seat saw them.
    """
    view, rules = deal.views(seat)[0], deal.rules
    return {
        "stage": stage_of(view),
        "trump": trump_of(view),
        "low": bool(view["low"]),
        "trick": trick_number(view, rules, done=deal.done),
        "stock": int(view["stock"]),
        "face_up": card_texts(cards_of(int(view["face_up"]))),
        "led": led_card(deal, seat),
        "hand": _hand(deal, view),
        "opponent": opponent_hand(held_by(1 - seat, deal.state), int(view["opponent_known"]), view),
        "tricks": tricks_of(deal.state, rules, seat),
        "turn": side_or_nobody(deal.turn, seat),
        "decision": decision(deal, view) if deal.turn == seat else None,
        "last_trick": last_trick(events, seat),
        "played": {
            side: card_texts(event.card for event in events if event.kind == "play" and _side(event, seat) == side)
            for side in SIDES
        },
        "discarded": high_to_low(int(view["discarded"])),
        "exchanged": exchanged(rules, events, seat),
        "result": result(deal, seat, names) if deal.done else None,
        "open": _open(deal, seat) if deal.done else None,
    }


def stage_of(view: Any) -> schema.Stage:
    """Return the stage of a deal."""
    return "foreplay" if view["stock"] else "endgame"


def trick_number(view: Any, rules: Rules, *, done: bool) -> int:
    """Return the number of the current trick; between two tricks and after the deal, that of the last one."""
    taken = int(view["tricks_self"].sum() + view["tricks_opponent"].sum())
    between = done or (bool(view["choice"]) and not rules.humbug)
    return taken if between else taken + 1


def held_by(seat: int, state: Any) -> int:
    """Return how many cards a seat holds."""
    return int(state["hands"][seat]).bit_count()


def opponent_hand(cards: int, known: int, view: Any) -> schema.OpponentHand:
    """Return what a seat knows of the other hand: how many cards, a mask of known ones, and the voids in its view."""
    voids = {SUITS[suit]: int(view["void_opponent"][suit]) for suit in range(4) if view["void_opponent"][suit]}
    return {"cards": cards, "known": high_to_low(known), "voids": voids}


def tricks_of(state: Any, rules: Rules, seat: int) -> dict[schema.Side, schema.Tricks]:
    """Return the tricks won so far."""
    tricks, counted = state["tricks"], counted_tricks(state["tricks"], rules)
    return {
        side: {"foreplay": int(tricks[0, place]), "endgame": int(tricks[1, place]), "counted": counted[place]}
        for side, place in zip(SIDES, (seat, 1 - seat), strict=True)
    }


def card_texts(cards: Iterable[int | None]) -> list[str]:
    """Return cards as ``SA``; ``None`` is left out."""
    return [card_text(card) for card in cards if card is not None]


def high_to_low(mask: int) -> list[str]:
    """Return the cards of a mask, spades to clubs, each suit from high to low."""
    return card_texts(reversed(list(cards_of(mask))))


def led_card(deal: TableDeal, seat: int) -> schema.LedCard | None:
    """Return the card led to the current trick, and by which side."""
    led = int(deal.state["led"])
    if led < 0:
        return None
    return {"card": card_text(led), "name": card_name(led), "by": side_of(1 - int(deal.state["turn"]), seat)}


def decision(deal: TableDeal, view: Any) -> schema.Decision:
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
    return decisions.decision_text(view, deal.rules, int(deal.state["decision"]))


def refusal(deal: TableDeal, seat: int, action: int) -> str | None:
    """Return why a seat may not choose an action now, as a sentence; ``None`` if it may."""
    if deal.done:
        return "The deal is over."
    if deal.turn != seat:
        return "It is not your turn."
    return decisions.refusal(deal.views(seat)[0], deal.rules, int(deal.state["decision"]), action)


def refusal_with_choices(deal: TableDeal, seat: int, action: int) -> str | None:
    """Return the same sentence with what is allowed: ``You must follow clubs: you may play CK or C9.``."""
    reason = refusal(deal, seat, action)
    return (
        reason
        if reason is None or deal.turn != seat
        else decisions.with_choices(reason, deal.views(seat)[0], deal.rules)
    )


def result(deal: TableDeal, seat: int, names: tuple[str, str]) -> schema.Result:
    """Return the result of a finished deal, numbers from the side of ``seat``."""
    winner, text = result_text(deal, names)
    outcome, taken = deal.result(), counted_tricks(deal.state["tricks"], deal.rules)
    sign = 1 if seat == 0 else -1
    return {
        "text": text,
        "winner": side_or_nobody(winner, seat),
        "margin": sign * outcome.margin,
        "points": abs(outcome.points),
        "tricks": {"you": taken[seat], "opponent": taken[1 - seat]},
    }


def _side(event: Event, seat: int) -> schema.Side | None:
    return side_or_nobody(event.seat, seat)


def _hand(deal: TableDeal, view: Any) -> list[schema.HandCard]:
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


def last_trick(events: Sequence[Event], seat: int) -> schema.LastTrick | None:
    """Return the last complete trick, and what it brought from the stock."""
    won = next((event for event in reversed(events) if event.kind == "win"), None)
    if won is None or won.seat is None:
        return None
    cards: dict[tuple[bool, schema.Side], str] = {
        (event.kind == "play", side_of(event.seat, seat)): card_text(event.card)
        for event in events
        if event.kind in ("play", "take", "draw") and event.trick == won.trick
        if event.seat is not None and event.card is not None
    }
    return {
        "number": won.trick,
        "leader": next(side for _, side in cards),
        "winner": side_of(won.seat, seat),
        "cards": {side: cards[True, side] for side in SIDES},
        "takes": {side: cards.get((False, side)) for side in SIDES},
    }


def exchanged(rules: Rules, events: Sequence[Event], seat: int) -> dict[schema.Side, bool | None]:
    """Return whether the sides swapped their hands; ``None`` where it is not decided or the game has no swap."""
    decided = {_side(event, seat): event.kind == "swap" for event in events if event.kind in ("keep", "swap")}
    return {side: decided.get(side) if rules.humbug else None for side in SIDES}


def _open(deal: TableDeal, seat: int) -> schema.OpenCards:
    """Return the cards that are left when a deal is over: of both hands, and of the stock."""
    hands, state = deal.state["hands"], deal.state
    stock = [*cards_of(int(state["face_up"])), *deal.deck[int(state["top"]) :]]
    return {
        "you": high_to_low(int(hands[seat])),
        "opponent": high_to_low(int(hands[1 - seat])),
        "stock": [] if deal.rules.humbug else card_texts(stock),
    }
