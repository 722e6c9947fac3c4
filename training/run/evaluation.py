"""Strength of a policy during training: mirrored matches on the same deals every time."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from german_whist.agents.bots.base import Agent
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.arena.match import play_match
from german_whist.arena.match_result import MatchResult
from german_whist.envs.engine.rules import Rules
from german_whist.training.run.stopping import StopRequest

EVALUATION_SEED = 1_000_003  # other deals than those of `german-whist evaluate`


def evaluate(
    checkpoint: Checkpoint,
    baselines: Sequence[tuple[str, Agent]],
    deals: int,
    rules: Rules,
    endgame: str = "played",
    stop: StopRequest | None = None,
) -> tuple[MatchResult, ...]:
    """Play a policy, at its best action, against each baseline.

    Args:
        checkpoint: the policy.
        baselines: agents with their names.
        deals: mirrored deals of each match.
        rules: the rules of the deals.
        endgame: ``"played"`` by the agents, or ``"exact"`` for both sides.
        stop: whether to give up, asked at every step of a match.

    Raises:
        Stopped: when it does.
    """
    settings: dict[str, Any] = {"deals": deals, "seed": EVALUATION_SEED, "rules": rules, "endgame": endgame}
    agent = PolicyAgent(checkpoint, name="policy")
    matches = (
        (name, play_match(agent, baseline, progress=None if stop is None else stop.check, **settings))
        for name, baseline in baselines
    )
    return tuple(dataclasses.replace(match, second=name) for name, match in matches)


def forfeit_lines(results: Sequence[MatchResult]) -> list[str]:
    """Return a line for each match in which games were forfeited: such wins say nothing of strength."""
    return [
        f"{result.forfeits[0].agent} lost {len(result.forfeits)} of {2 * result.deals} evaluation games unplayed, "
        f"the first: {result.forfeits[0].reason}"
        for result in results
        if result.forfeits
    ]
