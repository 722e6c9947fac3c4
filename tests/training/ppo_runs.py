"""Our own trainer on a deck of eight cards: settings, collectors, runs of a second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from german_whist.agents.bots.base import Agent
from german_whist.training.config.schema import PPOConfig
from german_whist.training.networks.mlp import feature_scale
from german_whist.training.ppo.ppo import PPO
from german_whist.training.rollouts.collector import Collector
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.distributed import Processes

if TYPE_CHECKING:
    from german_whist.training.run.session import TrainingOutcome

OWN_SETTINGS: dict[str, Any] = {
    "trainer": "ppo",
    "rules": "tiny",
    "decisions": 1024,
    "num_envs": 8,
    "num_steps": 16,
    "batch_size": 64,
    "epochs": 2,
    "hidden": [16],
    "critic_hidden": [8],
    "evaluate_every": 512,
    "evaluate_deals": 10,
    "evaluate_against": ["random"],
    "final_deals": 20,
    "checkpoint_every": 256,
    "precision": "float32",
}
ROLLOUT = OWN_SETTINGS["num_envs"] * OWN_SETTINGS["num_steps"]
ALONE = Processes()


def own_config(**changes: Any) -> PPOConfig:
    return PPOConfig.of(**{**OWN_SETTINGS, **changes})


def begin_own(folder: Path, **changes: Any) -> TrainingOutcome:
    from german_whist.training.train import train  # which draws pictures too: not all tests need that

    config = own_config(**changes)
    return train(config, RunDirectory.create(config, "mine", folder), quiet=True)


def collector_of(
    config: PPOConfig,
    opponents: Mapping[str, Callable[[int], Agent]] | None = None,
    rank: int = 0,
    *,
    history: bool = False,
) -> Collector:
    return Collector(
        config.game,
        config.rollouts,
        opponents or {},
        seed=config.run.seed,
        ranks=config.network.ranks,
        with_hidden=config.ppo.critic_sees == "all",
        history=history,
        rank=rank,
    )


def networks(config: PPOConfig, collector: Collector, processes: Processes = ALONE) -> PPO:
    """Fresh networks for a collector's deals."""
    scale = feature_scale(collector.high, None)
    return PPO(config, scale, collector.num_observations, collector.batch.num_actions, processes)


def some_policy(config: PPOConfig, collector: Collector, strength: float = 30.0) -> PPO:
    """Networks whose actor has made up its mind."""
    ppo = networks(config, collector)
    with torch.no_grad():
        for network in (ppo.actor, ppo.magnet):
            network.linear_layers()[-1].weight *= strength
    return ppo
