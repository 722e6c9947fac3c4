"""Titles of games and matches for people."""

from __future__ import annotations

from functools import lru_cache

from german_whist.envs.engine.match_format import FIRST_TO, MatchFormat
from german_whist.envs.engine.rules import Rules
from german_whist.envs.text.rules_text import rules_spec

TITLES = {
    "classic": "Classic",
    "small": "Small whist",
    "seventh": "From the seventh trick",
    "all": "Every trick counts",
    "small_all": "Small whist, every trick counts",
    "short": "Short",
    "draft": "Take or leave",
    "open_stock": "Two cards open",
    "no_trump": "No trumps",
    "high_low": "High and low",
    "race": "Race to seven",
    "race9": "Race to nine",
    "humbug": "Humbug",
    "tiny": "Tiny",
    "six_cards": "Six cards",
}


@lru_cache
def rules_title(rules: str | Rules) -> str:
    """Return rules as a title for people."""
    spec = rules_spec(rules)
    return TITLES.get(spec, spec)


def match_title(match: MatchFormat | None) -> str:
    """Return a match as a title: ``First to 25``."""
    if match is None:
        return "No end"
    return f"First to {match.number}" if match.kind == FIRST_TO else f"Best of {match.number}"
