"""Short runs of policy iteration, and its targets computed another way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from german_whist.agents.bots.base import Agent
from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.registry import make_agent
from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.state import PLAY
from german_whist.envs.simulator.batch import DealBatch
from german_whist.training.config.game_settings import PPOGameSettings
from german_whist.training.config.schema import PolicyIterationConfig
from german_whist.training.policy_iteration.collector import ActionValueCollector
from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.session import TrainingOutcome
from german_whist.training.train import train

SETTINGS: dict[str, Any] = {
    "rules": "tiny",
    "decisions": 1024,
    "num_envs": 16,
    "num_steps": 4,
    "batch_size": 32,
    "hidden": [16],
    "evaluate_every": 512,
    "evaluate_deals": 10,
    "evaluate_against": ["random"],
    "final_deals": 20,
    "checkpoint_every": 256,
    "precision": "float32",
    "value_deals": 0,
}


ALL_PARTS: dict[str, Any] = {
    "opponents": {"self": 0.5, "pool": 0.25, "heuristic": 0.25},
    "hidden": [6, 16, 6],
    "suit_layers": 1,
    "value_hidden": [4, 6],
    "value_start": 300,
    "distill_hidden": 8,
    "lookahead_policy": "distilled",
    "epochs": 2,
    "optimizer": "muon",
}


def config(**changes: Any) -> PolicyIterationConfig:
    return PolicyIterationConfig.of(**{**SETTINGS, **changes})


def run(folder: Path, **changes: Any) -> TrainingOutcome:
    settings = config(**changes)
    return train(settings, RunDirectory.create(settings, "policy_iteration", folder), quiet=True)


def collector_of(
    settings: PolicyIterationConfig,
    opponents: Mapping[str, Callable[[int], Agent]] | None = None,
    *,
    history: bool = False,
) -> ActionValueCollector:
    phases = settings.network.phases
    return ActionValueCollector(
        PPOGameSettings(settings.game.rules, endgame="exact"),
        settings.rollouts,
        settings.policy_iteration,
        opponents or {},
        seed=settings.run.seed,
        ranks=settings.network.ranks,
        inputs=settings.network.inputs,
        last_phase=phases[-1] if phases else None,
        history=history,
    )


def play_at_random(collector: ActionValueCollector) -> None:
    collector.collect(lambda features: torch.zeros((len(features), collector.batch.num_actions)))


def targets_now(collector: ActionValueCollector) -> np.ndarray[Any, Any]:
    """The targets of the current positions, float32[envs, actions], by true action."""
    collector._compute_targets(np.ones(collector.batch.size, np.bool_))
    return collector._true_q_targets.copy()


def by_playing_on(collector: ActionValueCollector, row: int, bots: Sequence[Agent] | None = None) -> dict[int, float]:
    """The final margin after each action of a row: these bots play the foreplay on, perfect play the endgame.

    Of cards with no card in play between them, the lowest stands for all.
    """
    deals, seat = collector.batch, int(collector.batch.turn[row])
    state = deals.states[row]
    in_play = int(deals.rules.game[0]["deck"]) & ~int(state["played"][0] | state["played"][1])
    in_play |= 1 << int(state["led"]) if state["led"] >= 0 else 0
    players = [ExactEndgame(bot) for bot in bots or [make_agent("heuristic")] * 2]
    targets: dict[int, float] = {}
    for action in cards_of(int(deals.legal()[row])):
        below = [card for card in cards_of(in_play) if card < action and card // 13 == action // 13]
        if below and below[-1] in targets and state["decision"] == PLAY:
            targets[action] = targets[below[-1]]
            continue
        batch = DealBatch(deals.rules, 1)
        batch.states[:] = deals.states[row : row + 1]
        batch.step([action])
        while not batch.done.all():
            batch.step(players[int(batch.turn[0])].act(batch.views(), None))
        targets[action] = float(batch.returns("margin")[0, seat])
    return targets
