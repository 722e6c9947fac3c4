"""Our own trainer on a deck of eight cards: settings, collectors, runs of a second."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from german_whist.training.actor_critic import cell_scale
from german_whist.training.distributed import Processes
from german_whist.training.ppo import SelfPlayPPO
from german_whist.training.rollout import Collector
from german_whist.training.run_directory import RunDirectory
from german_whist.training.settings import SelfPlayConfig

if TYPE_CHECKING:
    from german_whist.training.trainer import TrainingOutcome

OWN_SETTINGS: dict[str, Any] = {
    "trainer": "selfplay",
    "rules": "tiny",
    "decisions": 1024,
    "rows": 8,
    "steps": 16,
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
ROLLOUT = OWN_SETTINGS["rows"] * OWN_SETTINGS["steps"]
ALONE = Processes()


def own_config(**changes: Any) -> SelfPlayConfig:
    return SelfPlayConfig(**{**OWN_SETTINGS, **changes})


def begin_own(folder: Path, **changes: Any) -> TrainingOutcome:
    from german_whist.training.trainer import train  # which draws pictures too: not all tests need that

    config = own_config(**changes)
    return train(config, RunDirectory.create(config, "mine", folder), quiet=True)


def networks(config: SelfPlayConfig, collector: Collector, processes: Processes = ALONE) -> SelfPlayPPO:
    """Fresh networks for a collector's deals."""
    scale = cell_scale(collector.high, None)
    return SelfPlayPPO(config, scale, collector.num_observations, collector.batch.num_actions, processes)


def some_policy(config: SelfPlayConfig, collector: Collector, strength: float = 30.0) -> SelfPlayPPO:
    """Networks whose actor has made up its mind."""
    ppo = networks(config, collector)
    with torch.no_grad():
        for network in (ppo.actor, ppo.magnet):
            network.linear_layers()[-1].weight *= strength
    return ppo
