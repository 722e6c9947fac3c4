"""OpenSpiel observers: a seat's information states and observations, as text and as tensors.

The information state is the seat's event history (``simulator.observation.history``), which has perfect recall. The
observation is the environments' vector, which summarises the deal without the order of play.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from german_whist.game.cards import card_text, hand_text
from german_whist.game.rules import Rules
from german_whist.openspiel.deal import Deal, Setup
from german_whist.simulator.observation.history import EVENTS, max_events
from german_whist.simulator.observation.vector import observation_high
from german_whist.simulator.observation.vector_kernels import write_observations
from german_whist.simulator.observation.views import VIEW

_WHO = ("", " me", " opponent")
_CARD_SETS = ("hand", "played_self", "played_opponent", "opponent_known", "own_known", "unseen", "face_up", "discarded")
_OTHERS = tuple(name for name in VIEW.names or () if name not in (*_CARD_SETS, "legal"))


@cache
def _event_text(row: bytes) -> str:
    """Return the event in one row of a history as text, without the trick, which follows from the order of events."""
    event, who, card, _ = row
    return EVENTS[event].name + _WHO[who] + (f" {card_text(card - 1)}" if card else "")


def history_text(tokens: npt.NDArray[np.int8], length: int) -> str:
    """Return the first ``length`` events of a history, int8[n, 4], as text: ``dealer opponent; dealt me C2; …``."""
    rows = tokens[:length].tobytes()
    return "; ".join(_event_text(rows[start : start + 4]) for start in range(0, len(rows), 4))


def view_text(view: Any) -> str:
    """Return a view as text, without empty sets and zeros."""
    sets = (f"{name} {hand_text(int(view[name]))}" for name in _CARD_SETS if view[name])
    others = (f"{name} {view[name].tolist()}" for name in _OTHERS if np.any(view[name]))
    return "; ".join([*sets, *others])


class HistoryObserver:
    """Information states: a seat's event history.

    The tensor has a row per event: the kind of event, the seat, and the card, each one-hot. Rows after the last event
    are zeros, and so is a card that the seat did not see.
    """

    def __init__(self, rules: Rules) -> None:
        """Make the tensor."""
        cards = np.array(rules.cards)
        self._shape = (max_events(rules), len(EVENTS) - 1 + 2 + len(cards))
        self._card_columns = np.zeros(53, np.int64)
        self._card_columns[cards + 1] = len(EVENTS) + 1 + np.arange(len(cards))
        self.tensor = np.zeros(self._shape[0] * self._shape[1], np.float32)
        self.dict = {"history": self.tensor.reshape(self._shape)}

    def set_from(self, state: Any, player: int) -> None:
        """Write a seat's information state into the tensor."""
        out = self.dict["history"]
        out.fill(0)
        tokens, length = state.deal.history(player)
        if not length:
            return
        rows = np.arange(length)
        event, who, card = tokens[:length, :3].T.astype(np.int64)
        out[rows, event - 1] = 1
        out[rows[who > 0], len(EVENTS) - 2 + who[who > 0]] = 1
        out[rows[card > 0], self._card_columns[card[card > 0]]] = 1

    def string_from(self, state: Any, player: int) -> str:
        """Return a seat's information state as text."""
        return f"player {player}: {history_text(*state.deal.history(player))}"


class ViewObserver:
    """Observations: the vector that the environments give, as float32."""

    def __init__(self, rules: Rules) -> None:
        """Make the tensor."""
        self._game = rules.record
        self._row = np.zeros((1, observation_high(rules).size), np.int8)
        self.tensor = np.zeros(self._row.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: Any, player: int) -> None:
        """Write a seat's observation into the tensor."""
        deal: Deal = state.deal
        self._row[:] = 0
        if not deal.is_dealing:
            write_observations(1, self._game, deal.view(player), self._row)
        self.tensor[:] = self._row[0]

    def string_from(self, state: Any, player: int) -> str:
        """Return a seat's view as text."""
        deal: Deal = state.deal
        return f"player {player}: " + ("" if deal.is_dealing else view_text(deal.view(player)[0]))


def make_observer(setup: Setup, kind: Any, parameters: Any) -> HistoryObserver | ViewObserver:
    """Return the observer of a kind of observation, a ``pyspiel.IIGObservationType`` (``None``: the default).

    Raises:
        ValueError: if there are parameters, or the kind is not that of a single player.
    """
    if parameters:
        raise ValueError(f"observers have no parameters, but got {parameters}")
    if kind is None:
        return ViewObserver(setup.rules)
    if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
        raise ValueError("only what a player sees can be observed: public_info=True and SINGLE_PLAYER")
    return HistoryObserver(setup.rules) if kind.perfect_recall else ViewObserver(setup.rules)
