"""Deals in the middle of play, as arrays that a stopped run resumes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.envs.simulator.batch import DealBatch
from german_whist.envs.simulator.log_check import check_logged_actions
from german_whist.envs.simulator.state_check import check_states
from german_whist.training.rollouts.opponent_mix import OpponentMix

TRAINING_DEALS = 2**62  # evaluations play deals below, so that no run has met them, whatever its seed
DEALS_PER_PROCESS = 2**40  # each process deals from its own range
IMPOSSIBLE = "its deals, moves or seats are impossible"


def first_training_deal(rank: int) -> int:
    """Return the index of the first deal of process ``rank``; its range has ``DEALS_PER_PROCESS`` deals."""
    return TRAINING_DEALS + rank * DEALS_PER_PROCESS


def save_deals(batch: DealBatch, mix: OpponentMix, deals: npt.NDArray[np.uint64]) -> dict[str, npt.NDArray[Any]]:
    """Return deals and seats as arrays with one row per environment.

    Args:
        batch: the deals.
        mix: opponents and seats.
        deals: uint64[num_envs], index of each deal.
    """
    logged: dict[str, npt.NDArray[Any]] = {}
    if batch.log is not None:
        logged = {"log_actions": batch.log.actions.copy(), "log_counts": batch.log.counts.copy()}
    return logged | {
        "states": batch.states.view(np.uint8).reshape(batch.size, -1).copy(),
        "deals": deals.astype(np.int64),
        "deals_of_env": mix.deals_of_env.copy(),
        "learner_seat": mix.learner_seat.copy(),
    }


def check_layout(saved: Mapping[str, npt.NDArray[Any]], own: Mapping[str, npt.NDArray[Any]]) -> None:
    """Refuse saved arrays whose names, shapes or types are not those of ``own``.

    Raises:
        ValueError: if they are of another number of environments or of another version of the engine.
    """
    for name, array in own.items():
        if name not in saved or saved[name].shape != array.shape or saved[name].dtype != array.dtype:
            raise ValueError(f"its {name} are not those of {len(own['states'])} environments of this version")


def load_deals(
    saved: Mapping[str, npt.NDArray[Any]], batch: DealBatch, mix: OpponentMix, deals: npt.NDArray[np.uint64]
) -> None:
    """Restore what :func:`save_deals` returned, in place; nothing changes if it is refused.

    Raises:
        ValueError: if no game leads to these deals, or their layout is another.
    """
    check_layout(saved, save_deals(batch, mix, deals))
    states = np.ascontiguousarray(saved["states"]).view(batch.states.dtype)[:, 0]
    check_states(batch.rules, states)  # kernels do not
    seats, has_opponent = saved["learner_seat"], mix.opponent_of >= 0
    seats_are_known = np.where(has_opponent, (seats == 0) | (seats == 1), seats == -1)
    if not (seats_are_known & (saved["deals"] >= 0) & (saved["deals_of_env"] >= 0)).all():
        raise ValueError(IMPOSSIBLE)
    if batch.log is not None:
        check_logged_actions(batch.rules, states, saved["log_actions"], saved["log_counts"])
        batch.log.actions[:], batch.log.counts[:] = saved["log_actions"], saved["log_counts"]
    batch.states[:] = states
    deals[:] = saved["deals"].astype(np.uint64)
    mix.deals_of_env[:] = saved["deals_of_env"]
    mix.learner_seat[:] = seats
