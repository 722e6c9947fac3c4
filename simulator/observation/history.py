"""Event histories of a seat, for recurrent and attention networks.

A history has one row per event and four small numbers per row (``COLUMNS``), all from the seat's own side. Rows after
the last event are zeros, and so are cards that the seat did not see.

Histories have perfect recall: two courses of a deal have the same history exactly if the seat cannot tell them apart.
Both seats' histories list the same events in the same rows.

A state does not hold the order of play. Histories are therefore written by replaying the deal from its actions, which
``ActionLog`` keeps.

Version history: 1 — first release.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.state import NON_CARD_ACTIONS

HISTORY_VERSION = 1


class Column(NamedTuple):
    """A column of a history: its name and what its numbers mean."""

    name: str
    meaning: str


class Event(NamedTuple):
    """A kind of event. Its number is its index in ``EVENTS``."""

    name: str
    meaning: str


COLUMNS = (
    Column("event", "the number of the event in the table below"),
    Column("who", "0 nobody, 1 this seat, 2 the opponent"),
    Column("card", "1 + the card's number; 0 for no card, or one that this seat did not see"),
    Column("trick", "the trick in or after which it happened, from 1; 0 before the first"),
)

EVENTS = (
    Event("nothing", "padding after the last event"),
    Event("dealer", "`who` deals"),
    Event("dealt", "`who` is dealt a card; this seat's are shown from low to high, the opponent's are not shown"),
    Event("turned", "a card of the stock is turned up, by nobody; in humbug, the dealer's last card is shown"),
    Event("played", "`who` plays a card to the trick"),
    Event("won", "`who` wins the trick"),
    Event("took", "`who` takes a face-up card of the stock"),
    Event("drew", "`who` takes a card unseen by the other; in humbug, each card of a blind hand, from low to high"),
    *(Event(one.name, f"`who` {one.meaning}") for one in NON_CARD_ACTIONS),
)


def max_game_length(rules: Rules) -> int:
    """Return a bound on the decisions, of both seats together, in a deal."""
    # With open cards, both seats may pick after a trick; in a draft, the winner decides; in humbug, each seat once.
    choices = rules.stock if rules.open_stock > 1 else rules.foreplay if rules.draft else 2 if rules.humbug else 0
    return 2 * rules.tricks + choices


def max_events(rules: str | Rules = "classic") -> int:
    """Return a bound on the events in a deal, which is the number of rows of a history."""
    rules = get_rules(rules)
    opening = 1 + 2 * rules.hand  # the dealer, and a card each
    if rules.humbug:  # the card shown; each seat's choice and its new hand; two cards and a winner for each trick
        return opening + 1 + 2 * (1 + rules.hand) + 3 * rules.tricks
    # After the first open cards, a trick turns up at most one more, since it also takes one that lay face down.
    turned = min(rules.open_stock + max(0, rules.stock - rules.open_stock) // 2, rules.stock) if rules.open_stock else 0
    return opening + turned + rules.stock + 3 * rules.tricks + (rules.foreplay if rules.draft else 0)


def history_high(rules: str | Rules = "classic") -> npt.NDArray[np.int8]:
    """Return the largest value of each entry of a history, int8[max_events, 4]; the smallest is 0."""
    rules = get_rules(rules)
    return np.tile(np.array([len(EVENTS) - 1, 2, 52, rules.tricks], np.int8), (max_events(rules), 1))
