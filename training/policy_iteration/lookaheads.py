"""Lookaheads, in which actions are tried in copies of the deal, and their queues for network inference."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.canonical_kernels import ROLES
from german_whist.envs.engine.state import STATE
from german_whist.envs.observation.views import VIEW


class InferenceQueue(NamedTuple):
    """Lookaheads that wait for a network's output for the observation of the seat to act.

    Attributes:
        lookaheads: int32[n], their indices.
        features: int8[n, features], the observations, by role.
        legal: uint64[n], legal actions, by role.
        roles: int8[n, ROLES], the cards behind the roles.
        length: int64[1], number of queued lookaheads.
    """

    lookaheads: npt.NDArray[np.int32]
    features: npt.NDArray[np.int8]
    legal: npt.NDArray[np.uint64]
    roles: npt.NDArray[np.int8]
    length: npt.NDArray[np.int64]

    @classmethod
    def empty(cls, capacity: int, features: int) -> InferenceQueue:
        """Return an empty queue for up to ``capacity`` lookaheads."""
        return cls(
            np.zeros(capacity, np.int32),
            np.zeros((capacity, features), np.int8),
            np.zeros(capacity, np.uint64),
            np.zeros((capacity, ROLES), np.int8),
            np.zeros(1, np.int64),
        )

    def observations(self) -> npt.NDArray[np.int8]:
        """Return the queued observations, int8[length, features]."""
        return self.features[: self.length[0]]


class Lookaheads(NamedTuple):
    """Actions to evaluate, each played in its own copy of the deal.

    Attributes:
        states: ``STATE`` array (n,), the copies.
        envs: int32[n], the environment of each.
        actions: uint64[n], the true action and the equivalent ones, as a mask.
        seats: int8[n], the seat whose action it is.
        decisions_left: int8[n], own decisions still to come.
        totals: float64[n], sum of the margins expected at the decisions reached.
        weights: float64[n], of each in its action's target: one over the number of stock rotations.
        value_queue: lookaheads at an own decision, waiting for its value.
        policy_queue: lookaheads waiting for the policy's action.
        length: int64[1], number of lookaheads.
        views: ``VIEW`` array (2,), scratch.
        rotated: ``STATE`` array (1,), scratch.
    """

    states: npt.NDArray[Any]
    envs: npt.NDArray[np.int32]
    actions: npt.NDArray[np.uint64]
    seats: npt.NDArray[np.int8]
    decisions_left: npt.NDArray[np.int8]
    totals: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    value_queue: InferenceQueue
    policy_queue: InferenceQueue
    length: npt.NDArray[np.int64]
    views: npt.NDArray[Any]
    rotated: npt.NDArray[Any]

    @classmethod
    def empty(cls, capacity: int, features: int) -> Lookaheads:
        """Return an empty set with room for ``capacity`` lookaheads."""
        return cls(
            np.zeros(capacity, STATE),
            np.zeros(capacity, np.int32),
            np.zeros(capacity, np.uint64),
            np.zeros(capacity, np.int8),
            np.zeros(capacity, np.int8),
            np.zeros(capacity, np.float64),
            np.zeros(capacity, np.float64),
            InferenceQueue.empty(capacity, features),
            InferenceQueue.empty(capacity, features),
            np.zeros(1, np.int64),
            np.zeros(2, VIEW),
            np.zeros(1, STATE),
        )
