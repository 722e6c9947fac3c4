"""The actions played in each deal of a batch; event histories are replayed from them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from german_whist.game.rules import Rules
from german_whist.game.state import STATE
from german_whist.game.utils.backend import Array, Backend, Records
from german_whist.simulator.observation.history import COLUMNS, max_events, max_game_length
from german_whist.simulator.observation.history_kernels import add_actions, read_actions, write_histories


def actions_told(rules: Rules, deck: list[int], tokens: npt.NDArray[np.int8]) -> list[int]:
    """Return the actions of both seats that a history tells, up to the first that is illegal.

    Args:
        rules: the rules.
        deck: the cards in dealing order, of a deal that agrees with the history.
        tokens: the history of one seat, int8[events, 4].
    """
    state, actions = np.zeros(1, STATE), np.zeros(max_game_length(rules), np.int8)
    state["deck"][0, : len(deck)] = deck
    count = int(read_actions(rules.record[0], state[0], tokens, actions))
    found: list[int] = actions[:count].tolist()
    return found


class ActionLog:
    """The actions played in each deal of a batch, in NumPy arrays or in tensors.

    Attributes:
        shape: that of every deal's history, (size, max_events, 4).
        actions: int8[size, max_game_length].
        counts: number of actions of each deal, int64[size].
    """

    def __init__(self, rules: Rules, size: int, backend: Backend) -> None:
        """Start with no actions, in arrays of ``NumpyBackend`` or on a ``TorchBackend``."""
        self.rules, self.backend = rules, backend
        self.shape = (size, max_events(rules), len(COLUMNS))
        self.actions = backend.zeros((size, max_game_length(rules)), np.int8)
        self.counts = backend.zeros(size, np.int64)

    def clear(self, rows: Array | slice = slice(None)) -> None:
        """Forget the actions of rows, int64[k], that have been dealt again."""
        self.counts[rows] = 0

    def add(self, rows: Array, actions: Array, skipped: Array) -> None:
        """Append one legal action, int64[k], to each of some rows, int64[k], but not where ``skipped``, bool[k]."""
        self.backend.launch(add_actions, len(rows), rows, actions, skipped, self.actions, self.counts)

    def histories(self, states: Records, rows: Array, seats: Array, out: Array | None = None) -> tuple[Array, Array]:
        """Return the event history of one seat in each of some deals, in true cards.

        Args:
            states: ``STATE`` records of shape (size,).
            rows: the deals, int64[k].
            seats: the seat whose history to return for each, int64[k]; −1 for the seat to act.
            out: an array to write the tokens into and return; a new one by default.

        Returns:
            Tokens int8[k, max_events, 4] and lengths int16[k].
        """
        backend, count = self.backend, len(rows)
        tokens = backend.empty((count, *self.shape[1:]), np.int8) if out is None else out
        lengths = backend.empty(count, np.int16)
        game, actions = self.rules.record, self.actions
        backend.launch(write_histories, count, game, states, actions, self.counts, rows, seats, tokens, lengths)
        return tokens, lengths
