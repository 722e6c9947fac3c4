"""Targets of actions: of the positions of a collector, with any networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from german_whist.agents.base import Agent
from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.policy.network.forward import PackedNetwork, forward
from german_whist.game.cards import cards_of
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.canonical import canonical_views, decode_values
from german_whist.simulator.observation.vector import observe
from german_whist.training.policy_iteration.collector import Collector, Network, Opponents
from german_whist.training.policy_iteration.config import PolicyIterationConfig
from german_whist.training.policy_iteration.targets import ActionValueTargets
from tests.training.policy_iteration_runs import collector_of, play_rollout


def uniform(features: torch.Tensor) -> torch.Tensor:
    return torch.zeros((len(features), 54))


class Targets:
    """A collector, and targets from networks.

    Attributes:
        collector: plays the deals.
        made: the targets of its last rollout.
    """

    def __init__(
        self,
        config: PolicyIterationConfig,
        opponents: Opponents | None = None,
        *,
        reply: Network = uniform,
        value: Network = lambda features: uniform(features)[:, :1],
        lookahead: int = 1,
    ) -> None:
        self.collector: Collector = collector_of(config, opponents)
        self.made = ActionValueTargets(self.collector, config)
        self._networks = reply, value, lookahead

    def collect(self, policy: Network | None = None) -> None:
        actions = self.collector.num_actions
        anything = policy or (lambda features: torch.zeros((len(features), actions)))
        play_rollout(self.collector, anything, self.made, *self._networks)

    def now(self) -> np.ndarray[Any, Any]:
        """The targets of the current positions, float32[envs, actions], by true action."""
        self.collector.observe(0)
        self.made.look_ahead(0, torch.ones(self.collector.batch.size, dtype=torch.bool), *self._networks)
        return decode_values(self.made.q_targets[0].numpy(), self.collector.relabeling.numpy())


def by_looking_ahead(
    collector: Collector, row: int, bots: Sequence[Agent], value: PackedNetwork, left: int
) -> dict[int, float]:
    """The target of each action of a row: the mean of ``value`` at the seat's next ``left`` choices."""
    deals, seat = collector.batch, int(collector.batch.turn[row])
    q_target = {}
    for action in cards_of(int(deals.legal()[row])):
        batch = DealBatch(deals.rules, 1)
        batch.states[:] = deals.states[row : row + 1]
        batch.step([action])
        values: list[float] = []
        while len(values) < left and batch.views()["stock"][0] and not batch.done.all():
            if batch.turn[0] == seat and int(batch.legal()[0]).bit_count() > 1:
                views, _ = canonical_views(batch.views(), "live")
                values.append(float(forward(value, observe(views, deals.rules))[0, 0]))
            batch.step(bots[int(batch.turn[0])].act(batch.decisions()))
        if len(values) < left:  # the endgame
            players = [ExactEndgame(bot) for bot in bots]
            while not batch.done.all():
                batch.step(players[int(batch.turn[0])].act(batch.decisions()))
            values += [float(batch.returns("margin")[0, seat])] * (left - len(values))
        q_target[action] = sum(values) / left
    return q_target
