"""Statistics of a person's deals, in one file of this computer: results, accuracy, luck apart from skill, streaks."""

from __future__ import annotations

import datetime
import itertools
import json
import logging
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from german_whist.arena.strict_json import check_object, read_json_file
from german_whist.envs.utils.files import write_atomically
from german_whist.envs.utils.specs import must_be
from german_whist.session.game_session import Session

VERSION = 1
RECENT = 100

_LOG = logging.getLogger(__name__)

Deal = dict[str, Any]

_Types = dict[str, tuple[type, ...]]

_MAYBE = (int, float, type(None))
_FILE: _Types = {"format": (int,), "cleared": (str,), "deals": (list,), "matches": (list,)}
_MATCH: _Types = {
    **dict.fromkeys(("session", "time", "rules", "agent", "match"), (str,)),
    **dict.fromkeys(("won", "assisted"), (bool,)),
}
_DEAL: _Types = {
    **dict.fromkeys(("session", "time", "rules", "agent"), (str,)),
    **dict.fromkeys(("deal", "margin"), (int,)),
    **dict.fromkeys(("slam", "assisted"), (bool,)),
    **dict.fromkeys(("accuracy", "luck"), _MAYBE),
}


class Statistics:
    """The statistics file. All methods can be called from several threads."""

    def __init__(self, path: Path) -> None:
        """Use a file, which need not exist yet; a damaged one is renamed, with a warning.

        Raises:
            OSError: if the file cannot be read, or a damaged one cannot be renamed.
        """
        self.path = path
        self._lock = threading.Lock()
        self._data = self._read()
        self._known = {(deal["session"], deal["deal"]) for deal in self._data["deals"]}

    def record(self, identifier: str, session: Session) -> None:
        """Count the finished deals, and the match, of a session; what has been counted is not counted again.

        Args:
            identifier: the session's id.
            session: the session; only those of kind ``play`` count.
        """
        if session.settings.kind != "play":
            return
        with self._lock:
            new = [
                _deal(identifier, session, place)
                for place, one in enumerate(session.finished)
                if (identifier, place + 1) not in self._known and one.time > self._data["cleared"]
                if one.deal.forfeit is None  # nobody won it by playing
            ]
            matches = [match["session"] for match in self._data["matches"]]
            won = session.winner is not None and identifier not in matches
            if won and session.finished[-1].time > self._data["cleared"]:
                self._data["matches"].append(_match(identifier, session))
            elif not new:
                return
            self._data["deals"] += new
            self._known |= {(identifier, deal["deal"]) for deal in new}
            self._write()

    def rate(self, identifier: str, deal: int, accuracy: float | None, luck: float) -> None:
        """Add accuracy, if it is known, and luck to a deal that has been counted; what it has already stays."""
        with self._lock:
            for one in self._data["deals"]:
                if (one["session"], one["deal"]) != (identifier, deal):
                    continue
                before = one["accuracy"], one["luck"]
                one["accuracy"] = accuracy if before[0] is None else before[0]
                one["luck"] = luck if before[1] is None else before[1]
                if (one["accuracy"], one["luck"]) != before:
                    self._write()

    def missing(self, part: str, since: str = "") -> list[tuple[str, int]]:
        """Return session and number of the deals that lack a rating, the last one first.

        Args:
            part: ``"luck"`` or ``"accuracy"``.
            since: only of deals that ended then or later, ISO 8601 in UTC.
        """
        with self._lock:
            deals = [deal for deal in self._data["deals"] if deal[part] is None and deal["time"] >= since]
            deals.sort(key=lambda deal: str(deal["time"]), reverse=True)
            return [(deal["session"], deal["deal"]) for deal in deals]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            self._data = {"format": VERSION, "cleared": now, "deals": [], "matches": []}
            self._known = set()
            self._write()

    def export(self) -> str:
        """Return everything as JSON."""
        with self._lock:
            return json.dumps(self._data, ensure_ascii=False, indent=1)

    def summary(self) -> dict[str, Any]:
        """Return the statistics as plain data."""
        with self._lock:
            deals: list[Deal] = sorted(self._data["deals"], key=lambda deal: deal["time"])
            matches: list[Deal] = list(self._data["matches"])
        groups: dict[tuple[str, str, bool], list[Deal]] = {}
        for deal in deals:
            groups.setdefault((deal["rules"], deal["agent"], deal["assisted"]), []).append(deal)
        played: dict[tuple[str, str, str, bool], list[Deal]] = {}
        for match in matches:
            played.setdefault((match["rules"], match["agent"], match["match"], match["assisted"]), []).append(match)
        return {
            "deals": len(deals),
            "since": deals[0]["time"][:10] if deals else None,
            "groups": [_group(key, group) for key, group in sorted(groups.items())],
            "matches": [_match_group(key, group) for key, group in sorted(played.items())],
            "streak": _streak(deal for deal in deals if not deal["assisted"]),
            "recent": [
                {key: value for key, value in deal.items() if key not in ("session", "deal")}
                for deal in deals[-RECENT:]
            ],
        }

    def _read(self) -> dict[str, Any]:
        empty = {"format": VERSION, "cleared": "", "deals": [], "matches": []}
        try:
            return _checked(read_json_file(self.path, "statistics"))
        except FileNotFoundError:
            return empty
        except ValueError as error:
            kept = _set_aside(self.path)
            _LOG.warning("%s is damaged (%s): it is now %s, and the statistics begin anew", self.path, error, kept)
            return empty

    def _write(self) -> None:
        write_atomically(self.path, json.dumps(self._data, ensure_ascii=False, separators=(",", ":")).encode())


def _set_aside(path: Path) -> Path:
    """Rename a damaged file to a name that is free, and return the new path."""
    names = (path.with_suffix(".damaged" if number == 1 else f".damaged-{number}") for number in itertools.count(1))
    return path.rename(next(name for name in names if not name.exists()))


def _checked(data: Any) -> dict[str, Any]:
    """Return the contents of a statistics file.

    Raises:
        ValueError: if they are damaged, or of another version.
    """
    fields = check_object(data, "statistics", (), tuple(_FILE))
    if fields["format"] != VERSION:
        raise ValueError(f"statistics: format {fields['format']!r:.60} is not supported: only {VERSION} is")
    _check_types(fields, _FILE)
    for deal in fields["deals"]:
        _check_types(check_object(deal, "deals", (), tuple(_DEAL)), _DEAL)
    for match in fields["matches"]:
        _check_types(check_object(match, "matches", (), tuple(_MATCH)), _MATCH)
    return {key: fields[key] for key in _FILE}


def _check_types(fields: dict[str, Any], types: _Types) -> None:
    for name, allowed in types.items():
        if not isinstance(fields[name], allowed):
            kinds = " or ".join("null" if kind is type(None) else kind.__name__ for kind in allowed)
            raise ValueError(must_be(f"statistics: {name}", f"of type {kinds}", fields[name]))


def _deal(identifier: str, session: Session, place: int) -> Deal:
    one, settings = session.finished[place], session.settings
    sign, result = (1 if session.seat == 0 else -1), one.result
    return {
        "session": identifier,
        "deal": place + 1,
        "time": one.time,
        "rules": settings.rules,
        "agent": settings.agent,
        "margin": sign * result.margin,
        "points": sign * result.points,
        "slam": result.margin * sign == one.deal.rules.counted,
        "assisted": one.assisted,
        "day": settings.day,
        "accuracy": None,
        "luck": None,
    }


def _match(identifier: str, session: Session) -> Deal:
    settings = session.settings
    return {
        "session": identifier,
        "rules": settings.rules,
        "agent": settings.agent,
        "match": settings.match,
        "won": session.winner == session.seat,
        "assisted": any(one.assisted for one in session.finished),
        "time": session.finished[-1].time,
    }


def _group(key: tuple[str, str, bool], deals: Sequence[Deal]) -> dict[str, Any]:
    rated = [deal for deal in deals if deal["luck"] is not None]
    return {
        "rules": key[0],
        "agent": key[1],
        "assisted": key[2],
        "deals": len(deals),
        "won": sum(deal["margin"] > 0 for deal in deals),
        "drawn": sum(deal["margin"] == 0 for deal in deals),
        "lost": sum(deal["margin"] < 0 for deal in deals),
        "margin": _mean(deal["margin"] for deal in deals),
        "accuracy": _mean(deal["accuracy"] for deal in rated if deal["accuracy"] is not None),
        "luck": _mean(deal["luck"] for deal in rated),
        "skill": _mean(deal["margin"] - deal["luck"] for deal in rated),
        "slams": sum(deal["slam"] for deal in deals),
        "streak": _streak(deals),
    }


def _match_group(key: tuple[str, str, str, bool], matches: Sequence[Deal]) -> dict[str, Any]:
    rules, agent, match, assisted = key
    won = sum(one["won"] for one in matches)
    lost = len(matches) - won
    return {"rules": rules, "agent": agent, "match": match, "assisted": assisted, "won": won, "lost": lost}


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return round(sum(found) / len(found), 2) if found else None


def _streak(deals: Iterable[Deal]) -> dict[str, int]:
    """Return the numbers of deals won in a row: now, and at the longest."""
    now = longest = 0
    for deal in deals:
        now = now + 1 if deal["margin"] > 0 else 0
        longest = max(longest, now)
    return {"now": now, "longest": longest}
