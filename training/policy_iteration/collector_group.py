"""Rollouts of several games for one network: a collector for each game, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.training.config.settings import RolloutSettings
from german_whist.training.policy_iteration.collector import ActionValueCollector, Network


class CollectorGroup:
    """Collectors with the same features and actions, as networks with universal inputs have them.

    Attributes:
        parts: a collector for each game.
        high: largest value of each feature, int8[features].
        num_observations: features that the policy sees.
        num_actions: actions that the policy chooses from.
    """

    def __init__(
        self,
        shares: Mapping[str, float],
        rollouts: RolloutSettings,
        make: Callable[[str, RolloutSettings], ActionValueCollector],
    ) -> None:
        """Divide the environments among the games.

        Args:
            shares: share of each game; the sum is 1.
            rollouts: size of a rollout, all games together.
            make: makes the collector of a game, with its part of the environments.

        Raises:
            ValueError: when a share is less than one environment.
        """
        ends = np.round(np.cumsum([0.0, *shares.values()]) * rollouts.num_envs).astype(int)
        for (game, share), envs in zip(shares.items(), np.diff(ends), strict=True):
            if not envs:
                raise ValueError(
                    f"games: a share of {share:.3g} for {game!r} is less than one environment of "
                    f"{rollouts.num_envs} (num_envs)"
                )
        self.parts = [
            make(game, replace(rollouts, num_envs=int(envs))) for game, envs in zip(shares, np.diff(ends), strict=True)
        ]
        first = self.parts[0]
        self.high, self.num_observations, self.num_actions = first.high, first.num_observations, first.num_actions

    def collect(self, policy: Network) -> None:
        """Play a rollout of each game; see :class:`ActionValueCollector`."""
        for part in self.parts:
            part.collect(policy)

    def bootstrap_from(self, policy: Network, value: Network, lookahead: int) -> None:
        """Compute targets from networks from now on; see :class:`ActionValueCollector`."""
        for part in self.parts:
            part.bootstrap_from(policy, value, lookahead)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything but the policy that the next rollouts depend on, by game and name."""
        return {f"{i}.{name}": array for i, part in enumerate(self.parts) for name, array in part.state().items()}

    def load_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what :meth:`state` returned.

        Raises:
            ValueError: when it is of other games or another number of environments.
        """
        for i, part in enumerate(self.parts):
            prefix = f"{i}."
            part.load_state(
                {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}
            )
