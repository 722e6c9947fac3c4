"""Statistics of a person's deals: results, accuracy, luck apart from skill, streaks."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import Any

from german_whist.session.database import VERSION, Database, insert_row
from german_whist.session.game_session import Session

RECENT = 100

_DEALS = """
SELECT session, deal, time, rules, agent, margin, points, slam, assisted, day, accuracy, luck
FROM counted_deals ORDER BY id"""
_MATCHES = "SELECT session, rules, agent, match, won, assisted, time FROM counted_matches ORDER BY rowid"
_GROUPS = """
SELECT rules, agent, assisted, count(*) AS deals,
    sum(margin > 0) AS won, sum(margin = 0) AS drawn, sum(margin < 0) AS lost, round(avg(margin), 2) AS margin,
    round(avg(accuracy), 2) AS accuracy, round(avg(luck), 2) AS luck, round(avg(margin - luck), 2) AS skill,
    sum(slam) AS slams
FROM counted_deals GROUP BY rules, agent, assisted ORDER BY rules, agent, assisted
"""
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
            }
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


class Statistics:
    """The statistics in a database. All methods can be called from several threads.

    Raises:
        NotReadError: from every method that reads, if the database cannot be read.
        NotSavedError: from every method that writes, if it cannot be written.
    """

    def __init__(self, database: Database) -> None:
        """Use a database."""
        self._database = database

    def rate(self, identifier: str, deal: int, accuracy: float | None, luck: float) -> None:
        """Add accuracy, if it is known, and luck to a deal that has been counted; what it has already stays."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE counted_deals SET accuracy = coalesce(accuracy, ?), luck = coalesce(luck, ?)"
                " WHERE session = ? AND deal = ?",
                (accuracy, luck, identifier, deal),
            )

    def missing(self, part: str, since: str = "") -> list[tuple[str, int]]:
        """Return session and number of the deals that lack a rating, the last one first.

        Args:
            part: ``"luck"`` or ``"accuracy"``.
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

    def summary(self) -> dict[str, Any]:
        """Return the statistics as plain data, ``schema.Statistics``: rows of SQLite, which mypy cannot check."""
        with self._database.read() as connection:
            margins = connection.execute(
                "SELECT rules, agent, assisted, margin FROM counted_deals ORDER BY id"
            ).fetchall()
            (since,) = connection.execute("SELECT min(time) FROM counted_deals").fetchone()
            recent = _plain(connection.execute(f"{_DEALS} DESC LIMIT {RECENT}"), "slam", "assisted")
            groups = _plain(connection.execute(_GROUPS), "assisted")
            matches = _plain(connection.execute(_MATCH_GROUPS), "assisted")
        of_group: dict[tuple[str, str, bool], list[int]] = {}
        for rules, agent, assisted, margin in margins:
            of_group.setdefault((rules, agent, bool(assisted)), []).append(margin)
        return {
            "deals": len(margins),
            "since": since and since[:10],
            "groups": [
                {**group, "streak": _streak(of_group[group["rules"], group["agent"], group["assisted"]])}
                for group in groups
            ],
            "matches": matches,
            "streak": _streak(margin for _, _, assisted, margin in margins if not assisted),
            "recent": [
                {key: value for key, value in deal.items() if key not in ("session", "deal")} for deal in recent[::-1]
            ],
        }


def _plain(rows: Iterable[sqlite3.Row], *flags: str) -> list[dict[str, Any]]:
    """Return rows as plain data; flags are true or false, which SQLite keeps as numbers."""
    return [{**dict(row), **{name: bool(row[name]) for name in flags}} for row in rows]


def _streak(margins: Iterable[int]) -> dict[str, int]:
    """Return the numbers of deals won in a row: now, and at the longest."""
    now = longest = 0
    for margin in margins:
        now = now + 1 if margin > 0 else 0
        longest = max(longest, now)
    return {"now": now, "longest": longest}
