"""Every variant, setting of a seed, match format and named agent, each used once."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import german_whist as gw
from tests.cli.commands import runner

PRESETS = (
    "all", "classic", "draft", "high_low", "humbug", "no_trump", "open_stock", "race", "race9", "seventh", "short",
    "six_cards", "small", "small_all", "tiny",
)  # fmt: skip
SEED_SETTINGS = (
    "classic:counts=all,points=over_half",
    "classic:points=over_book,book=6,slam=10",
    "small:points=over_book,book=3,slam=5",
    "small_all:points=over_book,book=6",
    "classic:high_low=true,trump=none",
    "no_trump:counts=all",
    "open_stock:open_stock=3",
    "draft:counts=all",
    "race:race=5,counts=endgame",
    "humbug:trump=turned",
    "classic:suits=2,ranks=4,hand=2,stock=4",
)
MATCHES = ("first_to:10", "first_to:25", "first_to:50", "first_to:7", "best_of:3", "best_of:5")


def finish(env: Any) -> dict[str, float]:
    """Play lowest legal actions to the end of an episode and return the rewards by agent."""
    rewards = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        rewards[agent] += reward
        env.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
    return rewards


@pytest.mark.parametrize("rules", [*PRESETS, *SEED_SETTINGS])
def test_rules_are_played(rules: str) -> None:
    assert gw.play_match("heuristic", "random", deals=4, rules=rules).deals == 4


@pytest.mark.parametrize("match", MATCHES)
def test_match_formats(match: str) -> None:
    env = gw.env(rules="small:points=over_book,book=3", match=match)
    env.reset(seed=1)
    assert sum(finish(env).values()) == 0


@pytest.mark.parametrize("name", ["random", "greedy", "heuristic", "champion", "small", "mc:worlds=4", "greedy+exact"])
def test_agents_by_name(name: str) -> None:
    views = gw.DealBatch("classic", 2).views()
    actions = gw.make_agent(name).act(views, np.random.default_rng(0))
    assert all(int(view["legal"]) >> int(action) & 1 for view, action in zip(views, actions, strict=True))


def test_results_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    run = runner(capsys)
    match = gw.play_match("greedy", "random", deals=20)
    assert json.loads(json.dumps(match.to_dict()))["wins"] == match.wins
    for command in (
        "evaluate greedy random --deals 20",
        "arena greedy random heuristic --deals 20",
        "exploit random --rules tiny:ranks=3,stock=2",
        "evaluate greedy random --sprt 0,200 --deals 400",
        "rules classic",
        "agents",
    ):
        assert json.loads(run(*command.split(), "--json").out), command
