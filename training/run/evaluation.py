"""Strength of a policy during training: mirrored matches on the same deals every time."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from german_whist.agents.bots.base import Agent
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.arena.match import play_match
from german_whist.arena.match_result import MatchResult
from german_whist.envs.engine.rules import Rules

EVALUATION_SEED = 1_000_003  # other deals than those of `german-whist evaluate`


def evaluate(
    checkpoint: Checkpoint, baselines: Sequence[tuple[str, Agent]], deals: int, rules: Rules, endgame: str = "played"
) -> tuple[MatchResult, ...]:
    """Play a policy, at its best action, against each baseline.

    Args:
        checkpoint: the policy.
        baselines: agents with their names.
        deals: mirrored deals of each match.
        rules: the rules of the deals.
        endgame: ``"played"`` by the agents, or ``"exact"`` for both sides.
    """
    agent = PolicyAgent(checkpoint, name="policy")
    matches = (
        (name, play_match(agent, baseline, deals=deals, seed=EVALUATION_SEED, rules=rules, endgame=endgame))
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
