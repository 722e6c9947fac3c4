"""Conversion between the engine's records and the reference's plain values; deals set up by card names."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.game.cards import SUITS
from german_whist.game.rules import Rules
from german_whist.game.state import STATE
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.views import VIEW
from tests.reference.game import RANKS, ReferenceDeal

NAMES = [suit + rank for suit in SUITS for rank in RANKS]
NUMBERS = {name: number for number, name in enumerate(NAMES)} | {"take": 52, "leave": 53, "keep": 52, "swap": 53}
_BITS = {name: 1 << number for name, number in NUMBERS.items()}
CARD_SETS = {name for fields in (STATE, VIEW) for name in fields.names if fields[name].base == np.uint64}


def number(action: str) -> int:
    """The action number of a card or a choice."""
    return NUMBERS[action]


def cards(mask: int) -> set[str]:
    return {name for number, name in enumerate(NAMES) if int(mask) >> number & 1}


def actions(mask: int, rules: Rules) -> set[str]:
    """The names of the actions in a mask, including the choices of draft and humbug."""
    words = ["keep", "swap"] if rules.humbug else ["take", "leave"]
    return cards(mask) | {word for word in words if int(mask) >> NUMBERS[word] & 1}


def plain(record: Any, rules: Rules | None = None) -> dict[str, Any]:
    """A state or a view as plain values: sets of card names, lists, numbers."""
    fields: dict[str, Any] = {}
    for name in record.dtype.names:
        value = record[name]
        if name == "legal":
            fields[name] = actions(value, rules or Rules())
        elif name in CARD_SETS:
            fields[name] = [cards(mask) for mask in value] if np.ndim(value) else cards(value)
        elif name == "led":
            fields[name] = NAMES[value] if value >= 0 else None
        elif name == "trump":
            fields[name] = SUITS[value] if value >= 0 else None
        else:
            fields[name] = value.tolist()
    return fields


def state_of(batch: DealBatch, row: int) -> dict[str, Any]:
    state = plain(batch.states[row])
    state["deck"] = [NAMES[card] for card in state["deck"][: len(batch.rules.cards)]]
    return state


def _mask(names: Any) -> int:
    return sum(map(_BITS.__getitem__, names))


def _number_of(name: str, value: Any) -> Any:
    """A card, a suit or a deck as the engine writes it."""
    if name == "led":
        return NUMBERS[value] if value else -1
    if name == "trump":
        return SUITS.index(value) if value else -1
    return [*map(NUMBERS.__getitem__, value), *[0] * (52 - len(value))]


def _records(rows: list[dict[str, Any]], fields: np.dtype[Any]) -> np.ndarray[Any, Any]:
    assert all(row.keys() == set(fields.names or ()) for row in rows)
    columns = []
    for name in fields.names or ():
        if name in ("led", "trump", "deck"):
            columns.append([_number_of(name, row[name]) for row in rows])
        elif name not in CARD_SETS:
            columns.append([row[name] for row in rows])
        elif fields[name].shape:
            columns.append([tuple(map(_mask, row[name])) for row in rows])
        else:
            columns.append([_mask(row[name]) for row in rows])
    return np.array(list(zip(*columns, strict=True)), fields)


def expected_views(deals: list[ReferenceDeal], seat: int) -> np.ndarray[Any, Any]:
    """A seat's views of the reference's deals, as a ``VIEW`` array."""
    return _records([deal.view(seat) for deal in deals], VIEW)


def expected_states(deals: list[ReferenceDeal]) -> np.ndarray[Any, Any]:
    """The reference's deals as a ``STATE`` array."""
    return _records([deal.state() for deal in deals], STATE)


def dealt(deck: str, dealer: int = 1, rules: str | Rules = "tiny") -> DealBatch:
    batch = DealBatch(rules)
    batch.deal_decks([deck], [dealer])
    return batch


def raw(records: np.ndarray[Any, Any]) -> bytes:
    """The bytes of states or views without the padding between fields, which is undefined."""
    return b"".join(records[name].tobytes() for name in records.dtype.names or ())


def same_views(some: np.ndarray[Any, Any], others: np.ndarray[Any, Any]) -> bool:
    assert some.dtype == others.dtype == VIEW
    return some.shape == others.shape and raw(some) == raw(others)
