"""The learner of ``trainer: ppo``."""

from __future__ import annotations

from typing import ClassVar

import torch

from german_whist.training.config.schema import PPOConfig
from german_whist.training.learning.learner import Learner, Opponents
from german_whist.training.ppo.ppo import PPO
from german_whist.training.rollouts.collector import Collector, Rollout


class PPOLearner(Learner[Rollout]):
    """A run of our own PPO; see :class:`Learner`."""

    METRICS: ClassVar[tuple[str, ...]] = (
        "charts/SPS",
        "charts/seconds",
        "charts/learning_rate",
        "charts/ent_coef",
        "losses/loss",
        "losses/policy_loss",
        "losses/value_loss",
        "losses/entropy",
        "losses/magnet_kl",
        "losses/approx_kl",
        "losses/clipfrac",
        "losses/explained_variance",
    )

    config: PPOConfig
    collector: Collector

    @property
    def algorithm_name(self) -> str:
        """How the network learns, for the model card."""
        return "self-play PPO"

    def _make_collector(self, opponents: Opponents, history: bool) -> Collector:
        config = self.config
        return Collector(
            config.game,
            config.rollouts,
            opponents,
            seed=config.run.seed,
            ranks=config.network.ranks,
            with_hidden=config.ppo.critic_sees == "all",
            history=history,
            rank=self.processes.rank,
        )

    def _make_algorithm(self, scale: torch.Tensor, num_observations: int, actions: int) -> PPO:
        return PPO(self.config, scale, num_observations, actions, self.processes)

    def _collect(self) -> tuple[Rollout, int]:
        rollout = self.collector.collect(self._policy)
        return rollout, int(rollout.learner_mask.sum())

    @property
    def _trains_value_only(self) -> bool:
        return self.decisions < self.config.ppo.critic_warmup

    @property
    def _endgame(self) -> str:
        return self.config.game.endgame
