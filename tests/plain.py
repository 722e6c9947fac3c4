"""The engine's states and views as the reference writes them, and deals set up and played by card names."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.envs.batch import DealBatch
from german_whist.envs.rules import Rules
from german_whist.envs.state import STATE
from german_whist.envs.views import VIEW
from tests.reference import RANKS, SUITS

NAMES = [suit + rank for suit in SUITS for rank in RANKS]
CARD_SETS = {name for fields in (STATE, VIEW) for name in fields.names if fields[name].base == np.uint64}


def cards(mask: int) -> set[str]:
    return {name for number, name in enumerate(NAMES) if int(mask) >> number & 1}


def plain(record: Any) -> dict[str, Any]:
    """A state or a view as the reference writes it: sets of card names, lists, numbers."""
    fields: dict[str, Any] = {}
    for name in record.dtype.names:
        value = record[name]
        if name in CARD_SETS:
            fields[name] = [cards(mask) for mask in value] if np.ndim(value) else cards(value)
        elif name in ("led", "face_up"):
            fields[name] = NAMES[value] if value >= 0 else None
        elif name == "trump":
            fields[name] = SUITS[value]
        else:
            fields[name] = value.tolist()
    return fields


def state_of(batch: DealBatch, row: int) -> dict[str, Any]:
    state = plain(batch.states[row])
    state["deck"] = [NAMES[card] for card in state["deck"][: len(batch.rules.cards)]]
    return state


def dealt(deck: str, dealer: int = 1, game: str | Rules = "tiny") -> DealBatch:
    batch = DealBatch(game)
    batch.deal_decks([deck], [dealer])
    return batch


def play(batch: DealBatch, *names: str) -> dict[str, Any]:
    for name in names:
        batch.step([NAMES.index(name)])
    return state_of(batch, 0)


def raw(records: np.ndarray[Any, Any]) -> bytes:
    """What states or views hold, without the gaps between their fields, which hold anything."""
    return b"".join(records[name].tobytes() for name in records.dtype.names or ())


def same_views(some: np.ndarray[Any, Any], others: np.ndarray[Any, Any]) -> bool:
    assert some.dtype == others.dtype == VIEW
    return some.shape == others.shape and raw(some) == raw(others)
