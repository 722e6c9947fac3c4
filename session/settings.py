"""What is played in a session: rules, agent, match, seed and seat, checked before the first card."""

from __future__ import annotations

import dataclasses
import datetime
import re
import secrets
from typing import get_args

from german_whist.envs.engine.match_format import MatchFormat, match_format_of
from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.rules import rules as rules_named
from german_whist.envs.text.rules_text import rules_spec
from german_whist.envs.utils.checks import check_seed, is_whole_number
from german_whist.envs.utils.specs import must_be, unknown_name_error
from german_whist.session.schema import SessionKind

KINDS: tuple[SessionKind, ...] = get_args(SessionKind)
SEED_BITS = 53  # of seeds chosen at random

DAY_RULES = "classic"
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclasses.dataclass(frozen=True)
class Settings:
    """What is played.

    Attributes:
        rules: specification of the rules.
        agent: specification of the agent.
        match: specification of the match; ``None`` for deal after deal without end.
        seed: seed of the deals and of the agent's random choices.
        seat: the person's seat; seat 0 deals the first deal.
        day: the date of a deal of the day, as ``2026-11-21``; there is one deal then.
        kind: ``play``, ``practice`` (not counted), ``recording`` (finished deals, read only) or ``lesson``.

    Raises:
        ValueError: if a value is not allowed.
    """

    rules: str = "classic"
    agent: str = "heuristic"
    match: str | None = None
    seed: int = 0
    seat: int = 0
    day: str | None = None
    kind: SessionKind = "play"

    def __post_init__(self) -> None:
        """Check the values and write rules in their shortest form."""
        for name in ("rules", "agent"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(must_be(name, "a name", getattr(self, name)))
        object.__setattr__(self, "rules", rules_spec(self.rules))
        if self.match is not None:
            match_format_of(self.match)
        check_seed(self.seed)
        if not is_whole_number(self.seat, 0, 1):
            raise ValueError(must_be("seat", "0 or 1", self.seat))
        if self.kind not in KINDS:
            raise unknown_name_error("kind of session", self.kind, KINDS)
        if self.day is not None:
            check_day(self.day)

    @property
    def game(self) -> Rules:
        """The rules."""
        return rules_named(self.rules)

    @property
    def match_format(self) -> MatchFormat | None:
        """The format of the match, if there is one."""
        return None if self.match is None else match_format_of(self.match)


def random_seed() -> int:
    """Return a new seed, of 53 bits: the page keeps seeds as JavaScript numbers, which are exact below 2⁵³."""
    return secrets.randbits(SEED_BITS)


def check_day(day: object) -> datetime.date:
    """Return the date of a deal of the day.

    Raises:
        ValueError: if it is not a date such as ``2026-11-21``.
    """
    try:
        if isinstance(day, str) and _DATE.fullmatch(day):
            return datetime.date.fromisoformat(day)
    except ValueError:
        pass
    raise ValueError(must_be("day", "a date such as 2026-11-21", day))


def day_settings(day: str, agent: str) -> Settings:
    """Return the settings of the deal of a day: the same deal for everybody, from the date alone.

    The seed is the date as a number, 20261121; whoever leads the first trick, seat 1, is the person.

    Raises:
        ValueError: if it is not a date such as ``2026-11-21``.
    """
    seed = int(check_day(day).strftime("%Y%m%d"))
    return Settings(rules=DAY_RULES, agent=agent, seed=seed, seat=1, day=day)
