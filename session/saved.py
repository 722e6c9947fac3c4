"""Sessions in the database, complete enough to go on after any card."""

from __future__ import annotations

import logging
import sqlite3
import time
from typing import Any, Literal, NamedTuple

from german_whist.envs.agent import Agent
from german_whist.envs.engine.actions import action_text, parse_action
from german_whist.envs.engine.cards import deck_text, parse_deck
from german_whist.envs.engine.rules import Rules
from german_whist.session.database import Database, insert_row
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.game_session import FinishedDeal, Session
from german_whist.session.lesson import DECK, RULES, SEAT, TEACHER, LessonAgent
from german_whist.session.settings import Settings
from german_whist.session.statistics import count_deals

_SETTINGS = ("kind", "rules", "agent", "match", "day", "seat")  # and the seed, which is text

_EARLIER: tuple[Literal["text", "swapped", "session", "deal", "move"], ...] = (
    "text",
    "swapped",
    "session",
    "deal",
    "move",
)

_LOG = logging.getLogger(__name__)


class NoSessionError(LookupError):
    """There is no such session, or not any more."""


class Summary(NamedTuple):
    """A saved session in a few fields.

    Attributes:
        id: its id.
        settings: what is played.
        title: the agent's name.
        updated: when it was last saved, in seconds since 1970.
        finished: whether no further deal follows.
        in_play: whether a deal is not over.
    """

    id: str
    settings: Settings
    title: str
    updated: float
    finished: bool
    in_play: bool


def insert_session(connection: sqlite3.Connection, identifier: str, session: Session) -> None:
    """Save a new session. Its finished deals are counted in the statistics."""
    settings, earlier = session.settings, session.earlier
    row = {
        "id": identifier,
        **{name: getattr(settings, name) for name in _SETTINGS},
        "seed": str(settings.seed),
        "title": session.title,
        "person": session.person,
        **{f"earlier_{name}": None if earlier is None else earlier[name] for name in _EARLIER},
        **_changing(session),
    }
    insert_row(connection, "sessions", row)
    _write_deals(connection, identifier, session)


def update_session(connection: sqlite3.Connection, identifier: str, session: Session) -> None:
    """Save a session again. The deals that have ended since are counted in the statistics.

    Raises:
        NoSessionError: if it has been deleted.
    """
    row = _changing(session)
    changes = ", ".join(f"{name} = :{name}" for name in row)
    if not connection.execute(f"UPDATE sessions SET {changes} WHERE id = :id", {"id": identifier, **row}).rowcount:
        raise NoSessionError(identifier)
    _write_deals(connection, identifier, session)


def delete_session(connection: sqlite3.Connection, identifier: str) -> None:
    """Delete a session and its deals; the statistics keep what they have counted.

    Raises:
        NoSessionError: if there is none.
    """
    if not connection.execute("DELETE FROM sessions WHERE id = ?", (identifier,)).rowcount:
        raise NoSessionError(identifier)


def load_session(database: Database, identifier: str, agent: Agent | None = None) -> Session:
    """Return a saved session.

    Args:
        database: where it is saved.
        identifier: its id.
        agent: the opponent; by default the agent that the settings name.

    Raises:
        NoSessionError: if there is none.
        ValueError: if its rows are damaged.
        NotReadError: if the database cannot be read.
    """
    with database.read() as connection:
        row = connection.execute("SELECT * FROM sessions WHERE id = ?", (identifier,)).fetchone()
        found = connection.execute("SELECT * FROM deals WHERE session = ? ORDER BY number", (identifier,)).fetchall()
    if row is None:
        raise NoSessionError(identifier)
    settings = _settings(row)
    if settings.kind == "lesson":
        agent = agent or LessonAgent()
    deals = [_deal(one, settings.game) for one in found]
    if not deals or any(deal.done != (one["ended"] is not None) for deal, one in zip(deals, found, strict=True)):
        raise ValueError("its deals are damaged")
    session = Session(settings, agent, deals[-1], row["title"], row["person"])
    session.finished = [
        FinishedDeal(deal, one["salt"], bool(one["assisted"]), one["ended"], _cards(one["recalled"], deal))
        for deal, one in zip(deals, found, strict=True)
        if deal.done
    ]
    session.version = row["version"]
    if row["earlier_text"] is not None:
        session.earlier = {
            "text": row["earlier_text"],
            "swapped": bool(row["earlier_swapped"]),
            "session": row["earlier_session"],
            "deal": row["earlier_deal"],
            "move": row["earlier_move"],
        }
    session.salt, session.assisted = found[-1]["salt"], bool(found[-1]["assisted"])
    session.recalled = _cards(found[-1]["recalled"], deals[-1])
    return session


def list_sessions(database: Database, most: int) -> list[Summary]:
    """Return the sessions saved last, the last one first; damaged ones are left out.

    Raises:
        NotReadError: if the database cannot be read.
    """
    with database.read() as connection:
        rows = connection.execute("SELECT * FROM sessions ORDER BY updated DESC LIMIT ?", (most,)).fetchall()
    found = []
    for row in rows:
        try:
            settings = _settings(row)
        except ValueError as error:
            _LOG.warning("session %s is left out: %s", row["id"], error)
            continue
        flags = bool(row["finished"]), bool(row["in_play"])
        found.append(Summary(row["id"], settings, row["title"], row["updated"], *flags))
    return found


def lesson_session() -> Session:
    """Return a session with the lesson."""
    settings = Settings(rules=RULES, agent="heuristic+exact", seat=SEAT, kind="lesson")
    deal = TableDeal(settings.game, parse_deck(DECK, settings.game.cards), 1 - SEAT)
    return Session(settings, LessonAgent(), deal, TEACHER)


def _changing(session: Session) -> dict[str, Any]:
    """Return the columns that a save changes."""
    return {
        "version": session.version,
        "updated": time.time(),
        "finished": session.over,
        "in_play": not session.deal.done,
    }


def _write_deals(connection: sqlite3.Connection, identifier: str, session: Session) -> None:
    """Write the deals that were not over when the session was last saved, and count those that are now."""
    query = "SELECT count(*) FROM deals WHERE session = ? AND ended IS NOT NULL"
    (known,) = connection.execute(query, (identifier,)).fetchone()
    rows = [_deal_row(one.deal, one.salt, one.assisted, one.recalled, one.time) for one in session.finished[known:]]
    if not session.deal.done:
        rows.append(_deal_row(session.deal, session.salt, session.assisted, session.recalled, None))
    for number, row in enumerate(rows, known + 1):
        insert_row(connection, "deals", {"session": identifier, "number": number, **row})
    count_deals(connection, identifier, session, known)


def _deal_row(
    deal: TableDeal, salt: str, assisted: bool, recalled: tuple[int, ...] | None, ended: str | None
) -> dict[str, Any]:
    forfeit_seat, forfeit_reason = deal.forfeit or (None, None)
    return {
        "deck": deck_text(deal.deck),
        "dealer": deal.dealer,
        "actions": " ".join(action_text(action, deal.rules) for action in deal.actions),
        "forfeit_seat": forfeit_seat,
        "forfeit_reason": forfeit_reason,
        "salt": salt,
        "assisted": assisted,
        "recalled": None if recalled is None else deck_text(recalled),
        "ended": ended,
    }


def _cards(text: str | None, deal: TableDeal) -> tuple[int, ...] | None:
    """Return the cards of an answer to the memory quiz."""
    return None if text is None else tuple(parse_action(word, deal.rules) for word in text.split())


def _deal(row: sqlite3.Row, rules: Rules) -> TableDeal:
    actions = [parse_action(word, rules) for word in row["actions"].split()]
    deal = TableDeal(rules, parse_deck(row["deck"], rules.cards), row["dealer"], actions)
    if row["forfeit_seat"] is not None:
        deal.lose(row["forfeit_seat"], row["forfeit_reason"])
    return deal


def _settings(row: sqlite3.Row) -> Settings:
    return Settings(**{name: row[name] for name in _SETTINGS}, seed=int(row["seed"]))
