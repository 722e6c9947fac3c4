"""Policy iteration on a deck of eight cards: settings, collectors, runs of a second."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from german_whist.agents.policy.network.layers import LOGITS_PER_TRICK
from german_whist.training.policy_iteration.collector import Collector, Opponents
from german_whist.training.policy_iteration.config import PolicyIterationConfig
from german_whist.training.policy_iteration.networks import Batch, Networks, feature_scale
from german_whist.training.processes import Processes
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.outcome import TrainingOutcome
from german_whist.training.run.records import Callback
from german_whist.training.train import run_training

if TYPE_CHECKING:
    from german_whist.training.policy_iteration.collector import Network, Rollout
    from german_whist.training.policy_iteration.targets import ActionValueTargets

SMALL_SETTINGS: dict[str, Any] = {
    "trainer": "policy_iteration",
    "rules": "tiny",
    "decisions": 1024,
    "num_envs": 8,
    "num_steps": 16,
    "batch_size": 32,
    "hidden": [16],
    "value_hidden": [8],
    "evaluate_every": 512,
    "evaluate_deals": 10,
    "evaluate_against": ["random"],
    "final_deals": 20,
    "checkpoint_every": 256,
}
ALL_PARTS: dict[str, Any] = {
    "opponents": {"self": 0.5, "pool": 0.25, "heuristic": 0.25},
    "hidden": [6, 16, 6],
    "suit_layers": 1,
    "value_hidden": [4, 6],
    "epochs": 2,
}
FINISHED: dict[str, Any] = {"evaluate_against": ["random", "greedy"]}
ROLLOUT = SMALL_SETTINGS["num_envs"] * SMALL_SETTINGS["num_steps"]
ALONE = Processes()


def small_config(**changes: Any) -> PolicyIterationConfig:
    return PolicyIterationConfig(**{**SMALL_SETTINGS, **changes})


def train_small(folder: Path, callback: Callback | None = None, **changes: Any) -> TrainingOutcome:
    config = small_config(**changes)
    return run_training(config, RunDirectory.create("mine", folder), quiet=True, callback=callback)


def collector_of(
    config: PolicyIterationConfig,
    opponents: Opponents | None = None,
    rank: int = 0,
    *,
    history: bool = False,
    solves: bool = False,
) -> Collector:
    return Collector(
        config.rules,
        config.num_envs,
        config.num_steps,
        config.opponents,
        opponents or {},
        seed=config.seed,
        inputs=config.inputs,
        history=history,
        rank=rank,
        solves=solves,
    )


def networks(config: PolicyIterationConfig, collector: Collector, processes: Processes = ALONE) -> Networks:
    """Fresh networks for a collector's deals."""
    return Networks(config, feature_scale(collector.high, None), collector.num_actions, processes)


def some_policy(config: PolicyIterationConfig, collector: Collector, strength: float = 30.0) -> Networks:
    """Networks whose actor has made up its mind."""
    made = networks(config, collector)
    with torch.no_grad():
        made.actor.average.linear_layers()[-1].weight *= strength / LOGITS_PER_TRICK
    made.freeze()
    return made


def play_rollout(
    collector: Collector, policy: Network, targets: ActionValueTargets | None = None, *of_targets: Any
) -> Rollout:
    """Play a rollout, and with targets compute them with the given networks and lookahead."""
    collector.begin_rollout()
    for step in range(collector.num_steps):
        collector.observe(step)
        collector.choose(step, policy)
        if targets is not None:
            targets.compute(step, *of_targets)
        collector.play(step)
    if targets is not None:
        targets.write_returns()
    return collector.rollout


def some_batch(positions: int = 64) -> Batch:
    """Made-up positions."""
    generator = torch.Generator().manual_seed(0)
    features = torch.randint(0, 2, (positions, 20), generator=generator).to(torch.int8)
    masks = torch.rand((positions, 5), generator=generator) < 0.8
    masks[:, :2] = True
    q_targets = torch.randn((positions, 5), generator=generator) * 3
    returns = 3 * torch.randn(positions, generator=generator)
    logits = torch.zeros((positions, 5))
    return Batch(features, masks, q_targets, logits, returns)
