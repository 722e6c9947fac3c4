"""Statistics of a person's deals: results, accuracy, luck apart from skill, streaks."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from german_whist.agents.judge import accuracy_of, tricks_taken
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.session import schema
from german_whist.session.catalogue import MEASURED, has_accuracies, plays_like
from german_whist.session.database import VERSION, Database, insert_row
from german_whist.session.game_session import Session
from german_whist.session.recall import score

RECENT = 100

_DEALS = """
SELECT session, deal, time, rules, agent, margin, points, slam, assisted, day, given_away, at_stake, par,
    recalled, held
FROM counted_deals ORDER BY id"""
_MATCHES = "SELECT session, rules, agent, match, won, assisted, time FROM counted_matches ORDER BY rowid"
_MATCH_GROUPS = """
SELECT rules, agent, match, assisted, sum(won) AS won, sum(NOT won) AS lost
FROM counted_matches GROUP BY rules, agent, match, assisted ORDER BY rules, agent, match, assisted
"""


def count_deals(connection: sqlite3.Connection, identifier: str, session: Session, first: int) -> None:
    """Count finished deals of a session, and the match if they have won it.

    Only sessions of kind ``play`` count, and no deal that a side forfeited: nobody won it by playing.

    Args:
        connection: of the transaction that saves these deals for the first time. So none counts twice.
        identifier: the session's id.
        session: the session.
        first: place of the first deal to count, from 0.
    """
    settings, sign = session.settings, 1 if session.seat == 0 else -1
    new = session.finished[first:]
    if settings.kind != "play" or not new:
        return
    played = {"session": identifier, "rules": settings.rules, "agent": settings.agent}
    for number, one in enumerate(new, first + 1):
        if one.deal.forfeit is None:
            deal = {
                **played,
                "deal": number,
                "time": one.time,
                "margin": sign * one.result.margin,
                "points": sign * one.result.points,
                "slam": sign * one.result.margin == one.deal.rules.counted,
                "assisted": one.assisted,
                "day": settings.day,
                "recalled": None,
                "held": None,
            }
            if one.recalled is not None:
                deal["recalled"], deal["held"] = score(one.deal, session.seat, one.recalled)
            insert_row(connection, "counted_deals", deal)
    if session.winner is not None:
        match = {
            **played,
            "match": settings.match,
            "won": session.winner == session.seat,
            "assisted": any(one.assisted for one in session.finished),
            "time": new[-1].time,
        }
        insert_row(connection, "counted_matches", match)


class Rating(NamedTuple):
    """What is worked out of a deal after its end; ``None`` for what is not known.

    Attributes:
        given_away: tricks that the person gave away.
        at_stake: tricks that average actions would have given away.
        par: the margin that the agents make of the same cards.
    """

    given_away: float | None = None
    at_stake: float | None = None
    par: int | None = None


class Statistics:
    """The statistics in a database. All methods can be called from several threads.

    Raises:
        NotReadError: from every method that reads, if the database cannot be read.
        NotSavedError: from every method that writes, if it cannot be written.
    """

    def __init__(self, database: Database) -> None:
        """Use a database."""
        self._database = database

    def rate(self, identifier: str, deal: int, rating: Rating) -> None:
        """Add a rating to a deal that has been counted; what it has already stays."""
        values = {**rating._asdict(), "session": identifier, "deal": deal}
        changes = ", ".join(f"{name} = coalesce({name}, :{name})" for name in Rating._fields)
        with self._database.write() as connection:
            connection.execute(f"UPDATE counted_deals SET {changes} WHERE session = :session AND deal = :deal", values)

    def missing(self, part: str, since: str = "") -> list[tuple[str, int]]:
        """Return session and number of the deals that lack a part of the rating, the last one first.

        Args:
            part: a field of :class:`Rating`.
            since: only of deals that ended then or later, ISO 8601 in UTC.
        """
        query = f"SELECT session, deal FROM counted_deals WHERE {part} IS NULL AND time >= ? ORDER BY id DESC"
        with self._database.read() as connection:
            return [(row["session"], row["deal"]) for row in connection.execute(query, (since,))]

    def clear(self) -> None:
        """Forget everything that has been counted. None of it is counted again."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM counted_deals")
            connection.execute("DELETE FROM counted_matches")

    def export(self) -> str:
        """Return everything as JSON."""
        with self._database.read() as connection:
            data = {
                "format": VERSION,
                "deals": _plain(connection.execute(_DEALS), "slam", "assisted"),
                "matches": _plain(connection.execute(_MATCHES), "won", "assisted"),
            }
        return json.dumps(data, ensure_ascii=False, indent=1)

    def summary(self) -> schema.Statistics:
        """Return the statistics."""
        with self._database.read() as connection:
            deals = _plain(connection.execute(_DEALS), "slam", "assisted")
            matches: Any = _plain(connection.execute(_MATCH_GROUPS), "assisted")
        of_group: dict[tuple[str, str, bool], list[dict[str, Any]]] = {}
        for deal in deals:
            of_group.setdefault((deal["rules"], deal["agent"], deal["assisted"]), []).append(deal)
        comparable = {rules for rules, _, _ in of_group if has_accuracies(rules)}
        unaided = [deal for deal in deals if deal["rules"] in comparable and not deal["assisted"]]
        return {
            "deals": len(deals),
            "since": min(deal["time"] for deal in deals)[:10] if deals else None,
            "groups": [_group(*key, of_group[key]) for key in sorted(of_group)],
            "matches": matches,
            "streak": _streak(deal["margin"] for deal in deals if not deal["assisted"]),
            "accuracy": (accuracy := _accuracy(unaided)),
            "plays_like": plays_like(accuracy, MEASURED),
            "memory": _memory([deal for deal in deals if deal["held"]]),
            "recent": [_recent(deal) for deal in deals[-RECENT:]],
        }


def _group(rules: str, agent: str, assisted: bool, deals: Sequence[dict[str, Any]]) -> schema.DealGroup:
    game, margins = rules_named(rules), [deal["margin"] for deal in deals]
    accuracy = _accuracy(deals)
    rated = [deal for deal in deals if deal["par"] is not None]
    luck = [tricks_taken(deal["par"], game) for deal in rated]
    skill = [tricks_taken(deal["margin"], game) - tricks for deal, tricks in zip(rated, luck, strict=True)]
    return {
        "rules": rules,
        "agent": agent,
        "assisted": assisted,
        "deals": len(deals),
        "won": sum(margin > 0 for margin in margins),
        "drawn": sum(not margin for margin in margins),
        "lost": sum(margin < 0 for margin in margins),
        "tricks": _mean([tricks_taken(margin, game) for margin in margins]),
        "accuracy": accuracy,
        "plays_like": plays_like(accuracy, rules),
        "luck": _mean(luck),
        "skill": _mean(skill),
        "slams": sum(deal["slam"] for deal in deals),
        "streak": _streak(margins),
    }


def _memory(deals: Sequence[dict[str, Any]]) -> schema.Memory | None:
    if not deals:
        return None
    return {
        "deals": len(deals),
        "share": round(sum(deal["recalled"] for deal in deals) / sum(deal["held"] for deal in deals), 3),
        "perfect": sum(deal["recalled"] == deal["held"] for deal in deals),
    }


def _recent(deal: dict[str, Any]) -> schema.RecentDeal:
    return {
        "time": deal["time"],
        "rules": deal["rules"],
        "agent": deal["agent"],
        "margin": deal["margin"],
        "points": deal["points"],
        "slam": deal["slam"],
        "assisted": deal["assisted"],
        "accuracy": _accuracy([deal]),
        "day": deal["day"],
    }


def _accuracy(deals: Sequence[dict[str, Any]]) -> float | None:
    """Return the accuracy of all decisions of some deals together; ``None`` until one is reviewed."""
    reviewed = [deal for deal in deals if deal["given_away"] is not None]
    return accuracy_of(*(sum(deal[part] for deal in reviewed) for part in ("given_away", "at_stake")))


def _mean(numbers: Sequence[float]) -> Any:
    return round(sum(numbers) / len(numbers), 2) if numbers else None


def _plain(rows: Iterable[sqlite3.Row], *flags: str) -> list[dict[str, Any]]:
    """Return rows as plain data; flags are true or false, which SQLite keeps as numbers."""
    return [{**dict(row), **{name: bool(row[name]) for name in flags}} for row in rows]


def _streak(margins: Iterable[int]) -> schema.Streak:
    """Return the numbers of deals won in a row: now, and at the longest."""
    now = longest = 0
    for margin in margins:
        now = now + 1 if margin > 0 else 0
        longest = max(longest, now)
    return {"now": now, "longest": longest}
