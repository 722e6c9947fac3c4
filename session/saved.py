"""Sessions as plain data, complete enough to go on after any card."""

from __future__ import annotations

from typing import Any

from german_whist.arena.strict_json import check_object
from german_whist.envs.agent import Agent
from german_whist.envs.engine.actions import parse_action
from german_whist.envs.engine.cards import parse_deck
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.utils.checks import whole_number
from german_whist.session import schema
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.game_session import FinishedDeal, Session
from german_whist.session.lesson import DECK, RULES, SEAT, TEACHER, LessonAgent
from german_whist.session.settings import Settings

VERSION = 1

_KEYS = ("format", "settings", "title", "person", "version", "finished", "table", "earlier")
_EARLIER_KEYS = ("text", "swapped")
_DEAL_KEYS = ("deck", "dealer", "actions", "forfeit", "salt", "assisted", "time")


def session_to_dict(session: Session) -> dict[str, Any]:
    """Return a session as plain data. It holds hidden cards: it is not for the person."""
    on_table = session.deal.done and bool(session.finished)
    data: dict[str, Any] = {
        "format": VERSION,
        "settings": session.settings.to_dict(),
        "title": session.title,
        "person": session.person,
        "version": session.version,
        "finished": [one.data for one in session.finished],
        "table": None if on_table else {**session.deal.to_dict(), "salt": session.salt, "assisted": session.assisted},
    }
    return data if session.earlier is None else {**data, "earlier": session.earlier}


def session_from_dict(data: Any, agent: Agent | None = None) -> Session:
    """Return a session from plain data.

    Args:
        data: what :func:`session_to_dict` returned.
        agent: the opponent; by default the agent that the settings name.

    Raises:
        ValueError: if the data are damaged, or of another version.
    """
    try:
        fields = check_object(data, "session", _KEYS, _KEYS[:-1])
        if fields["format"] != VERSION:
            raise ValueError(f"session: format {fields['format']!r:.60} is not supported: only {VERSION} is")
        settings = Settings(**fields["settings"])
        if settings.kind == "lesson":
            if (settings.game, settings.seat) != (rules_named(RULES), SEAT):
                raise ValueError("session: a lesson of another game")
            agent = agent or LessonAgent()
        for name in ("title", "person"):
            if not isinstance(fields[name], str):
                raise ValueError(f"session: {name} {fields[name]!r:.60} is not text")
        rules = settings.game
        finished = [_finished(one, rules) for one in fields["finished"]]
        table = fields["table"]
        deal = finished[-1].deal if table is None else _deal(table, rules)
        session = Session(settings, agent, deal, fields["title"], fields["person"])
        session.finished = finished
        session.version = whole_number("session: version", fields["version"], 0)
        session.earlier = _earlier(fields.get("earlier"))
        session.salt = finished[-1].salt if table is None else str(table["salt"])
        session.assisted = finished[-1].assisted if table is None else bool(table["assisted"])
    except (TypeError, KeyError, IndexError, AttributeError, OverflowError) as error:
        raise ValueError(f"session: damaged: {error}") from None
    return session


def lesson_session() -> Session:
    """Return a session with the lesson."""
    settings = Settings(rules=RULES, agent="heuristic+exact", seat=SEAT, kind="lesson")
    deal = TableDeal(settings.game, parse_deck(DECK, settings.game.cards), 1 - SEAT)
    return Session(settings, LessonAgent(), deal, TEACHER)


def _deal(data: Any, rules: Rules) -> TableDeal:
    fields = check_object(data, "session: deal", _DEAL_KEYS, _DEAL_KEYS[:3])
    actions = [parse_action(word, rules) for word in fields["actions"].split()]
    dealer = whole_number("session: dealer", fields["dealer"], 0, 1)
    deal = TableDeal(rules, parse_deck(fields["deck"], rules.cards), dealer, actions)
    if "forfeit" in fields:
        seat, reason = fields["forfeit"]
        deal.lose(whole_number("session: seat", seat, 0, 1), str(reason))
    return deal


def _earlier(data: Any) -> schema.Earlier | None:
    if data is None:
        return None
    fields = check_object(data, "session: earlier result", _EARLIER_KEYS, _EARLIER_KEYS)
    return {"text": str(fields["text"]), "swapped": bool(fields["swapped"])}


def _finished(data: Any, rules: Rules) -> FinishedDeal:
    deal = _deal(data, rules)
    if not deal.done:
        raise ValueError("session: a finished deal is not over")
    return FinishedDeal(deal, str(data["salt"]), bool(data["assisted"]), str(data["time"]))
