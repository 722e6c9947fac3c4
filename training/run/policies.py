"""Checkpoints of a run as agents."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from german_whist.agents.base import Agent, AgentLike
from german_whist.agents.forms import as_agent
from german_whist.agents.module_checkpoint import AnyCheckpoint
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.registry import module_spec
from german_whist.game.rules import Rules
from german_whist.training.run.directory import RunDirectory


def policy_of(checkpoint: AnyCheckpoint, temperature: float = 0.0, rules: Rules | None = None) -> Agent:
    """Return an agent of a checkpoint as it is now.

    Args:
        checkpoint: the checkpoint.
        temperature: as for ``PolicyAgent``; modules act as they do.
        rules: the rules of the game; by default those of the checkpoint.
    """
    if isinstance(checkpoint, Checkpoint):
        return PolicyAgent(checkpoint, temperature, rules=rules)
    module: Any = copy.deepcopy(checkpoint.module)
    return as_agent(module, rules or checkpoint.rules)


def past_self(run: RunDirectory, path: Path, temperature: float = 0.0) -> AgentLike:
    """Return the agent of a file of a run's checkpoints."""
    return module_spec(run.path, path) or PolicyAgent(load_checkpoint(path), temperature)
