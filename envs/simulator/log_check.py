"""Checks of action logs from a file: their actions must lead to the states beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.rules import Rules
from german_whist.envs.simulator.batch import DealBatch


def check_logged_actions(
    rules: Rules, states: np.ndarray[Any, Any], actions: npt.NDArray[np.int8], counts: npt.NDArray[np.int64]
) -> None:
    """Refuse actions that do not lead from the deck to the state of each deal.

    Args:
        rules: the rules of the deals.
        states: ``STATE`` array of shape (k,), as ``check_states`` accepts them.
        actions: int8[k, max_game_length].
        counts: number of actions of each deal, int64[k].

    Raises:
        ValueError: if an action is illegal, or they lead to another state; the message names the row.
    """
    out_of_range = (counts < 0) | (counts > actions.shape[1])
    if out_of_range.any():
        raise ValueError(f"the number of actions in row {np.argmax(out_of_range)} is out of range")
    replayed = DealBatch(rules, len(states))
    replayed.deal_decks(states["deck"][:, : len(rules.cards)].tolist(), states["dealer"])
    for number in range(counts.max(initial=0)):
        rows = np.flatnonzero(counts > number)
        replayed.step(actions[rows, number], rows)
    for name in states.dtype.names or ():
        if name != "deck":  # dealt from
            differs = (replayed.states[name] != states[name]).reshape(len(states), -1).any(axis=1)
            if differs.any():
                raise ValueError(f"the actions in row {np.argmax(differs)} lead to another {name}")
