"""Saved deals: the states of some rows of a batch with the actions that led to them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.action_log import ActionLog

Rows = npt.NDArray[np.int64]


class BatchState(NamedTuple):
    """Deals saved by ``DealBatch.get_state``. It can be pickled.

    Attributes:
        rules: the rules of the deals.
        states: ``STATE`` array of shape (k,), hidden cards included.
        actions: the actions played, int8[k, max_game_length]; ``None`` without ``history=True``.
        counts: how many they are, int64[k]; ``None`` without ``history=True``.
    """

    rules: Rules
    states: np.ndarray[Any, Any]
    actions: npt.NDArray[np.int8] | None
    counts: npt.NDArray[np.int64] | None


def save_rows(rules: Rules, states: np.ndarray[Any, Any], log: ActionLog | None, rows: Rows) -> BatchState:
    """Return a copy of some rows of a batch."""
    if log is None:
        return BatchState(rules, states[rows], None, None)
    return BatchState(rules, states[rows], log.actions[rows], log.counts[rows])


def restore_rows(
    saved: BatchState, rules: Rules, states: np.ndarray[Any, Any], log: ActionLog | None, rows: Rows
) -> None:
    """Put saved deals into some rows of a batch.

    Raises:
        ValueError: if the rules or the number of deals differ, or the batch keeps histories and none are saved; then
            nothing has changed.
    """
    if saved.rules != rules:
        raise ValueError(f"the state is of other rules: {saved.rules} instead of {rules}")
    if saved.states.dtype != states.dtype or saved.states.shape != rows.shape:
        raise ValueError(f"the state holds {len(saved.states)} deals for {len(rows)} rows: as many are needed")
    if log is not None:
        if saved.actions is None or saved.counts is None:
            raise ValueError("the state has no history: get it from a batch made with history=True")
        log.actions[rows], log.counts[rows] = saved.actions, saved.counts
    states[rows] = saved.states
