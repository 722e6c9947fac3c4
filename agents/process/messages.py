"""The messages of the line protocol, version 1: views as JSON with cards in words, and the actions in bots' replies."""

from __future__ import annotations

import json
from typing import Any

from german_whist.envs.engine.cards import SUITS, card_text, cards_of
from german_whist.envs.utils.specs import short_repr

PROTOCOL = 1

_STAGES = ("foreplay", "endgame")
_CHOICES = {"draft": ("take", "leave"), "exchange": ("keep", "swap")}


def hello() -> dict[str, Any]:
    """Return the first message to a bot."""
    return {"type": "hello", "game": "german-whist", "protocol": PROTOCOL}


def check_ready(reply: dict[str, Any]) -> None:
    """Check a bot's reply to the first message.

    Raises:
        ValueError: if the bot is not ready, or speaks another version of the protocol.
    """
    if reply.get("type") != "ready" or reply.get("protocol") != PROTOCOL:
        raise ValueError(f'the bot did not answer {{"type": "ready", "protocol": {PROTOCOL}}}')


def request(number: int, view: Any, seed: int) -> dict[str, Any]:
    """Return the message that asks a bot for an action.

    Args:
        number: the number of the request, which the reply must repeat.
        view: a ``VIEW`` record.
        seed: a random number, for bots that play randomly.
    """
    return {"type": "act", "id": number, "seed": seed, "view": view_words(view)}


def check_id(reply: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a reply if it belongs to the request with this number.

    Raises:
        ValueError: if it does not.
    """
    if reply.get("id") != number:
        raise ValueError(f"it replied to request {short_repr(reply.get('id'))} instead of {number}")
    return reply


def action_of(reply: dict[str, Any], view: Any) -> int:
    """Return the action in a bot's reply, as its number.

    Raises:
        ValueError: if it is not a legal action; the message lists those that are.
    """
    given = reply.get("action")
    legal = dict(zip(_legal_words(view), cards_of(int(view["legal"])), strict=True))
    if not isinstance(given, str) or given not in legal:
        raise ValueError(f"illegal action {short_repr(given)}: it may choose {' '.join(legal)}")
    return int(legal[given])


def view_words(view: Any) -> dict[str, Any]:
    """Return a view as plain data, with words for cards (``"SA"``) and seats (``"me"``, ``"opponent"``)."""
    decision = _decision(view)
    words: dict[str, Any] = {
        "decision": decision,
        "legal": _legal_words(view),
        "hand": _cards(view["hand"]),
        "led": None if view["led"] < 0 else card_text(int(view["led"])),
        "trump": None if view["trump"] < 0 else SUITS[int(view["trump"])],
        "face_up": _cards(view["face_up"]),
        "stock": int(view["stock"]),
        "played_by_me": _cards(view["played_self"]),
        "played_by_opponent": _cards(view["played_opponent"]),
        "opponent_holds": _cards(view["opponent_known"]),
        "opponent_saw_me_take": _cards(view["own_known"]),
        "unseen": _cards(view["unseen"]),
        "out_of_play": _cards(view["discarded"]),
        "voids": {"me": _voids(view, "self"), "opponent": _voids(view, "opponent")},
        "tricks": {
            "me": dict(zip(_STAGES, view["tricks_self"].tolist(), strict=True)),
            "opponent": dict(zip(_STAGES, view["tricks_opponent"].tolist(), strict=True)),
        },
        "dealer": "me" if view["dealer"] else "opponent",
        "swapped": {"me": bool(view["exchanged_self"]), "opponent": bool(view["exchanged_opponent"])},
        "counts": "all" if view["all_count"] else "endgame",
        "low": bool(view["low"]),
        "race": int(view["race"]),
    }
    return words


def encode(message: dict[str, Any]) -> bytes:
    """Return a message as one line of JSON, with a line break."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def decode(line: bytes) -> dict[str, Any]:
    """Parse the message in a line.

    Raises:
        ValueError: if the line is not a JSON object.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        printed = short_repr(line.decode("utf-8", "replace").strip())
        raise ValueError(f"it printed {printed}, which is not a JSON object")
    return message


def _decision(view: Any) -> str:
    if not view["choice"]:
        return "play"
    if int(view["legal"]) >> 52:
        return "draft" if view["draft"] else "exchange"
    return "pick"


def _legal_words(view: Any) -> list[str]:
    decision = _decision(view)
    return list(_CHOICES[decision]) if decision in _CHOICES else _cards(view["legal"])


def _cards(mask: Any) -> list[str]:
    return [card_text(card) for card in cards_of(int(mask))]


def _voids(view: Any, who: str) -> dict[str, dict[str, int]]:
    voids = zip(SUITS, view[f"void_{who}"].tolist(), view[f"drawn_{who}"].tolist(), strict=True)
    return {suit: {"trick": trick, "drawn_unseen_since": drawn} for suit, trick, drawn in voids if trick}
