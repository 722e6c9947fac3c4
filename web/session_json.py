"""Sessions as the JSON that the page gets: what the person's seat has seen, and nothing more."""

from __future__ import annotations

import datetime
from functools import lru_cache

from german_whist.envs.engine.cards import SUITS, deck_text
from german_whist.envs.engine.rules import Rules
from german_whist.envs.text.rules_text import rules_text
from german_whist.session.catalogue import match_title, rules_title
from german_whist.session.deal.events import deal_events, event_data
from german_whist.session.deal.position import position, result, side_of, side_or_nobody
from german_whist.session.deal.tables import event_tables
from german_whist.session.game_session import FinishedDeal, Session
from german_whist.session.lesson import lesson_data
from german_whist.session.recall import recall_data
from german_whist.session.saved import Summary
from german_whist.session.schema import GameEvent, Recall
from german_whist.session.settings import Settings
from german_whist.web import schema


def session_json(session: Session) -> schema.SessionState:
    """Return what the page may know of a session, but for its id."""
    settings, deal = session.settings, session.deal
    events = deal_events(deal, session.seat, session.names)
    trump = int(deal.state["trump"])
    tables = event_tables(deal, session.seat, events, 0 if session.last_own is None else session.last_own + 1)
    listed = [
        event_data(event, number, side_or_nobody(event.seat, session.seat), trump, tables[number])
        for number, event in enumerate(events)
    ]
    if deal.done and session.winner is not None:
        listed.append(_match_event(session, len(listed)))
    acts = deal.turn == session.seat
    return {
        "version": session.version,
        "kind": settings.kind,
        "title": session_title(settings, session.title),
        "rules": settings.rules,
        "game": game_json(deal.rules),
        "agent": {"spec": settings.agent, "title": session.title},
        "day": settings.day,
        "match": _match(session),
        "deals": [_finished(session, number, one) for number, one in enumerate(session.finished, 1)],
        "deal": {
            "number": session.number,
            "seat": session.seat,
            "dealer": side_of(deal.dealer, session.seat),
            "assisted": session.assisted,
            "commitment": session.commitment,
            "disclosure": _disclosure(session),
        },
        "position": position(deal, session.seat, session.names, events),
        "events": listed,
        "can": {
            "act": acts,
            "hint": acts,
            "take_back": session.can_take_back,
            "next": deal.done and not session.over,
            "recall": session.can_recall,
            "review": bool(session.finished),
            "swap": bool(session.finished) and settings.kind != "lesson",
        },
        "earlier": session.earlier,
        "hint": session.hint,
        "recall": _recall(session),
        "lesson": lesson_data(deal) if settings.kind == "lesson" else None,
    }


def _recall(session: Session) -> Recall | None:
    if session.recalled is None:
        return None
    return recall_data(session.deal, session.seat, session.names, session.recalled)


def session_title(settings: Settings, agent: str) -> str:
    """Return a session's title, given what the agent is called: ``Classic against Champion``."""
    if settings.kind == "recording":
        return f"Recording: {rules_title(settings.rules)}"
    if settings.kind == "lesson":
        return "Lesson"
    title = f"{rules_title(settings.rules)} against {agent}"
    if settings.kind == "practice":
        return f"Practice: {title}"
    return title if settings.day is None else f"Deal of {settings.day}: {title}"


def summary_json(saved: Summary) -> schema.ListedSession:
    """Return a saved session in a few fields, for the list of sessions."""
    settings = saved.settings
    return {
        "id": saved.id,
        "kind": settings.kind,
        "title": session_title(settings, saved.title),
        "rules": settings.rules,
        "agent": settings.agent,
        "match": settings.match,
        "day": settings.day,
        "updated": datetime.datetime.fromtimestamp(saved.updated, datetime.UTC).isoformat(timespec="seconds"),
        "finished": saved.finished,
        "in_play": saved.in_play,
    }


@lru_cache
def game_json(rules: Rules) -> schema.Game:
    """Return rules in figures."""
    return {
        "title": rules_title(rules),
        "text": rules_text(rules),
        "hand": rules.hand,
        "stock": rules.stock,
        "foreplay": rules.foreplay,
        "tricks": rules.tricks,
        "counts": "all" if rules.counts == "all" else "endgame",
        "counted": rules.counted,
        "race": rules.race,
        "suits": SUITS[: rules.suits],
        "open_stock": rules.open_stock,
        "choices": rules.has_choices,
    }


def _match(session: Session) -> schema.Match:
    match, score, you = session.settings.match_format, session.score, session.seat
    points = score.in_match(match)
    return {
        "format": None if match is None else str(match),
        "title": match_title(match),
        "target": None if match is None else match.target,
        "score": {"you": points[you], "opponent": points[1 - you]},
        "deals_won": {"you": score.won[you], "opponent": score.won[1 - you]},
        "deals_drawn": score.drawn,
        "deals": len(session.finished),
        "winner": side_or_nobody(session.winner, you),
    }


def _match_event(session: Session, number: int) -> GameEvent:
    winner = session.winner
    assert winner is not None  # asked for a match that is won
    points = session.score.in_match(session.settings.match_format)
    verb = "win" if winner == session.seat else "wins"
    text = f"{session.names[winner]} {verb} the match, {points[winner]:g} to {points[1 - winner]:g}."
    side = side_of(winner, session.seat)
    return {
        "number": number,
        "kind": "match",
        "by": side,
        "card": None,
        "trump": False,
        "trick": 0,
        "text": text,
        "table": None,
    }


def _finished(session: Session, number: int, one: FinishedDeal) -> schema.FinishedDeal:
    found = result(one.deal, session.seat, session.names)
    return {
        "deal": number,
        "text": found["text"],
        "winner": found["winner"],
        "margin": found["margin"],
        "points": found["points"],
        "assisted": one.assisted,
    }


def _disclosure(session: Session) -> schema.Disclosure | None:
    text = session.disclosure
    if text is None:
        return None
    return {"salt": session.salt, "deck": deck_text(session.deal.deck), "text": text}
