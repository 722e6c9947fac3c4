"""The actions played in each deal of a batch; event histories are replayed from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.rules import Rules
from german_whist.envs.engine.state import STATE
from german_whist.envs.observation.history import COLUMNS, max_events, max_game_length
from german_whist.envs.observation.history_kernels import write_histories


class ActionLog:
    """The actions played in each deal of a batch.

    Attributes:
        actions: int8[size, max_game_length].
        counts: number of actions of each deal, int64[size].
    """

    def __init__(self, rules: Rules, size: int) -> None:
        """Start with no actions."""
        self.rules = rules
        self._scratch: np.ndarray[Any, Any] = np.zeros(1, STATE)
        self.shape = (size, max_events(rules), len(COLUMNS))
        self.actions = np.zeros((size, max_game_length(rules)), np.int8)
        self.counts = np.zeros(size, np.int64)

    def clear(self, rows: npt.NDArray[np.int64] | slice = slice(None)) -> None:
        """Forget the actions of rows, int64[k], that have been dealt again."""
        self.counts[rows] = 0

    def add(self, rows: npt.NDArray[np.int64] | int, actions: npt.NDArray[np.int64] | int) -> None:
        """Append one legal action to each row; ``rows`` and ``actions`` are int64[k], or one int each."""
        self.actions[rows, self.counts[rows]] = actions
        self.counts[rows] += 1

    def histories(
        self,
        states: np.ndarray[Any, Any],
        rows: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int64],
        out: npt.NDArray[np.int8] | None = None,
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]:
        """Return the event history of one seat in each of some deals.

        Args:
            states: ``STATE`` array of shape (size,).
            rows: the deals, int64[k].
            seats: the seat whose history to return for each, int64[k]; −1 for the seat to act.
            out: an array to write the tokens into and return; a new one by default.

        Returns:
            Tokens int8[k, max_events, 4] and lengths int16[k].

        Raises:
            ValueError: if ``out`` has another shape.
        """
        shape = (len(rows), *self.shape[1:])
        if out is None:
            out = np.empty(shape, np.int8)
        elif out.shape != shape:
            raise ValueError(f"out must have shape {shape}, got {out.shape}")
        lengths = np.empty(len(rows), np.int16)
        write_histories(self.rules.game, states, self.actions, self.counts, rows, seats, self._scratch, out, lengths)
        return out, lengths
