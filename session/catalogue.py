"""What can be played: games with their scorings and agents, and matches."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any

from german_whist.envs.engine.match_format import match_format_of
from german_whist.envs.engine.rules import Rules, rule_names
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.text.rules_text import preset_summary, rules_spec, rules_text
from german_whist.session.levels import agents_for
from german_whist.session.titles import TITLES, match_title

_FIRST = tuple(TITLES)
_SLAMS = {13: 10, 7: 5}  # by cards of a hand
_BOOKS = {14: 6}  # of small whist when every trick counts; elsewhere half of them
_TARGETS = (None, "first_to:10", "first_to:25", "first_to:50", "best_of:3", "best_of:5")


def matches() -> list[dict[str, Any]]:
    """Return the matches that interfaces suggest."""
    formats = [None if target is None else match_format_of(target) for target in _TARGETS]
    return [{"match": None if one is None else str(one), "title": match_title(one)} for one in formats]


@lru_cache
def games() -> tuple[dict[str, Any], ...]:
    """Return all presets as plain data, with the scorings and the agents of each."""
    names = sorted(rule_names(), key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    return tuple(_game(name) for name in names)


def _game(name: str) -> dict[str, Any]:
    rules = rules_named(name)
    return {
        "id": name,
        "title": TITLES.get(name, name),
        "summary": preset_summary(name),
        "rules": rules_text(name),
        "hand": rules.hand,
        "stock": rules.stock,
        "cards": len(rules.cards),
        "choices": rules.has_choices,
        "scorings": _scorings(name, rules),
        "agents": agents_for(rules),
    }


def _scorings(name: str, rules: Rules) -> list[dict[str, Any]]:
    """Return the scorings of a game, its own first; games with one scoring of their own have that alone."""
    own = {"id": "own", "title": _scoring_title(rules), "rules": name, "agents": agents_for(rules)}
    if rules.high_low or rules.race or rules.humbug:
        return [own]
    found: list[dict[str, Any]] = [own]
    for counts in ("endgame", "all"):
        for points in ("difference", "over_book"):
            book, slam = _over_book(rules, counts) if points == "over_book" else (None, 0)
            changed = dataclasses.replace(rules, counts=counts, points=points, book=book, slam=slam)
            if all(rules_named(one["rules"]).game.tolist() != changed.game.tolist() for one in found):
                found.append(
                    {
                        "id": f"{counts}_{points}",
                        "title": _scoring_title(changed),
                        "rules": rules_spec(changed),
                        "agents": agents_for(changed),
                    }
                )
    return found


def _over_book(rules: Rules, counts: str) -> tuple[int, int]:
    """Return book and slam of ``over_book``: half the counted tricks, and the bonus where the game has one."""
    if counts == "endgame":
        return rules.hand // 2, _SLAMS.get(rules.hand, 0)
    return _BOOKS.get(rules.tricks, rules.tricks // 2), 0


def _scoring_title(rules: Rules) -> str:
    which = f"Last {rules.hand} tricks" if rules.counts == "endgame" and rules.stock else "Every trick"
    if rules.points == "difference":
        return f"{which}, difference"
    if rules.points == "over_half":
        return f"{which}, over half"
    book = int(rules.game["book"][0])
    return f"{which}, over {book}{f', {rules.slam} for all' if rules.slam else ''}"
