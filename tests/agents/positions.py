"""Views set up by hand, as the engine would write them; positions from play, and what searchers try there."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.agents.inference.sampling import write_states
from german_whist.agents.registry import make_agent
from german_whist.game.cards import SUITS, card_text, parse_card, parse_hand
from german_whist.game.rules import Rules
from german_whist.game.state import STATE
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from german_whist.simulator.observation.views import VIEW

CLASSIC = 2**52 - 1
HEURISTIC = make_agent("heuristic")


def view(
    hand: str,
    trump: str,
    *,
    face_up: str | None = None,
    played: str = "...",
    opponent: str | None = None,
    opponent_void: str = "",
) -> np.ndarray[Any, Any]:
    """The view of a seat that is to lead, as an array of one.

    Hands are written as ``S.H.D.C``. Cards not named are unseen: in the opponent's hand or face down. ``opponent``
    names the unseen cards instead, and then all others have been played. ``opponent_void`` are suits that it did not
    follow in the first trick, since when it has drawn nothing.
    """
    own, turned = parse_hand(hand), 0 if face_up is None else 1 << parse_card(face_up)
    unseen = CLASSIC & ~own & ~turned & ~parse_hand(played) if opponent is None else parse_hand(opponent)
    row = np.zeros(1, VIEW)
    row["hand"] = row["legal"] = own
    row["played_opponent"] = CLASSIC & ~unseen & ~own & ~turned
    row["unseen"], row["face_up"], row["led"] = unseen, turned, -1
    row["trump"], row["turn"] = SUITS.index(trump), 1
    row["stock"] = unseen.bit_count() - own.bit_count() + turned.bit_count()
    for suit in opponent_void:
        row["void_opponent"][0, SUITS.index(suit)] = 1
    return row


def choice(bot: Any, row: np.ndarray[Any, Any]) -> str:
    """The card a bot plays."""
    [card] = bot.act(Decisions(row))
    return card_text(card)


def draw(rules: Rules, view: Any, keys: list[int], worlds: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The game, and worlds of a view as states."""
    states = np.zeros((len(keys), worlds), STATE)
    for key, row in zip(keys, states, strict=True):
        write_states(rules.record, np.array([view]), np.uint64(key), row)
    return rules.record, states.ravel()


class Fixed:
    """Randomness that gives every row the same key."""

    def __init__(self, key: int) -> None:
        self.key = key

    def integers(self, low: int, high: int, size: int) -> np.ndarray[Any, Any]:
        return np.full(size, self.key)


def some_positions(game: str | Rules, size: int, steps: int, seed: int = 1) -> DealBatch:
    """Deals after some actions of the heuristic bot."""
    batch = DealBatch(game, size, seed)
    for _ in range(steps):
        decisions = batch.decisions()
        batch.step(HEURISTIC.act(decisions), decisions.rows)
    return batch
