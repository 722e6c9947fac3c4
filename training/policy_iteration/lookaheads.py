"""Lookaheads: actions that are tried in the deal, and the queues in which they wait for a network."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.canonical_kernels import ROLES
from german_whist.envs.engine.state import STATE
from german_whist.envs.observation.views import VIEW


class InferenceQueue(NamedTuple):
    """Lookaheads that wait for a network's output on what the seat to act sees.

    Attributes:
        lookaheads: int32[n], their indices.
        features: int8[n, features], the observations, by role.
        legal: uint64[n], legal actions, by role.
        roles: int8[n, ROLES], the cards behind the roles.
        length: int64[1], how many wait.
    """

    lookaheads: npt.NDArray[np.int32]
    features: npt.NDArray[np.int8]
    legal: npt.NDArray[np.uint64]
    roles: npt.NDArray[np.int8]
    length: npt.NDArray[np.int64]

    @classmethod
    def of(cls, capacity: int, features: int) -> InferenceQueue:
        """Return an empty queue for up to ``capacity`` lookaheads."""
        return cls(
            np.zeros(capacity, np.int32),
            np.zeros((capacity, features), np.int8),
            np.zeros(capacity, np.uint64),
            np.zeros((capacity, ROLES), np.int8),
            np.zeros(1, np.int64),
        )

    def observations(self) -> npt.NDArray[np.int8]:
        """Return the observations of those that wait, int8[length, features]."""
        return self.features[: self.length[0]]


class Lookaheads(NamedTuple):
    """Actions that are tried in some environments, each in a copy of the deal.

    Attributes:
        states: ``STATE`` array (n,), the copies.
        envs: int32[n], the environment of each.
        actions: uint64[n], the true action and its neighbours, a set.
        seats: int8[n], the seat whose action it is.
        decisions_left: int8[n], own decisions that it has yet to reach.
        totals: float64[n], sum of the margins expected at the decisions reached.
        weights: float64[n], of each in its action's target: one over the number of stock rotations.
        value_queue: those at an own decision, which wait for its value.
        policy_queue: those in which the policy is to choose.
        length: int64[1], how many there are.
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
    def of(cls, capacity: int, features: int) -> Lookaheads:
        """Return none, with room for ``capacity`` of them."""
        return cls(
            np.zeros(capacity, STATE),
            np.zeros(capacity, np.int32),
            np.zeros(capacity, np.uint64),
            np.zeros(capacity, np.int8),
            np.zeros(capacity, np.int8),
            np.zeros(capacity, np.float64),
            np.zeros(capacity, np.float64),
            InferenceQueue.of(capacity, features),
            InferenceQueue.of(capacity, features),
            np.zeros(1, np.int64),
            np.zeros(2, VIEW),
            np.zeros(1, STATE),
        )
