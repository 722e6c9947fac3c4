"""Environments whose episode is a whole match."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from german_whist.envs.pettingzoo_env import raw_env
from german_whist.game.match_format import MAX_TARGET, MatchFormat, match_format_of
from german_whist.game.rules import rules
from german_whist.simulator.observation.full_state import state_layout
from german_whist.simulator.observation.vector import (
    observation_high,
    observation_layout,
    observe,
    view_from_observation,
)
from tests.players import HALF_POINTS, random_legal

# The PettingZoo environment


@pytest.mark.parametrize(
    ("rules", "match", "observation", "reward"),
    [
        ("classic", "first_to:7", "vector", "points"),
        ("draft", "best_of:3", "history", "margin"),
        ("humbug", "best_of:3", "vector", "win"),
        ("race", "first_to:7", "history", "points"),
        (HALF_POINTS, "first_to:7", "vector", "margin"),
    ],
    ids=str,
)
def test_match_observations_fit_their_spaces(
    rules: Any, match: str, observation: Any, reward: str, rng: np.random.Generator
) -> None:
    environment = raw_env(rules, reward=reward, match=match, observation=observation)
    environment.reset(seed=2)
    while not any(environment.terminations.values()):
        for agent in environment.agents:
            seen, spaces = environment.observe(agent), environment.observation_space(agent)
            assert [name for name, space in spaces.items() if seen[name] not in space] == []
        environment.step(random_legal(environment.action_masks(), rng))
    assert max(environment.rewards.values()) <= environment.reward_limit


def test_observation_has_the_scores(rng) -> None:
    environment = raw_env("small", match="first_to:25")
    block, bare = observation_layout("small", match="first_to:25")["match"], observation_layout("small")
    assert [*observation_layout("small", match="first_to:25")] == [*bare, "match"]
    truth = state_layout("small", match="first_to:25")["match"]
    environment.reset(seed=1)
    while any(environment.scores) is False:
        environment.step(random_legal(environment.observe(environment.agent_selection)["action_mask"], rng))
    mine, theirs = environment.scores
    seen = [environment.observe(agent)["observation"] for agent in environment.possible_agents]
    assert seen[0][block.start : block.stop].tolist() == [mine, theirs, 25]
    assert seen[1][block.start : block.stop].tolist() == [theirs, mine, 25]
    assert environment.state()[truth.start : truth.stop].tolist() == [mine, theirs, 25]
    for row in seen:
        views = view_from_observation(row, "small", match="first_to:25")
        np.testing.assert_array_equal(observe(views, "small")[0], row[: block.start])


def test_score_features_count_half_points() -> None:
    half = match_format_of("first_to:10")
    assert half.features(HALF_POINTS, np.array([[9.5, 0.5]])).tolist() == [[19, 1, 20]]
    assert half.block(HALF_POINTS).high == 2 * (9.5 + 1.5)
    large = match_format_of("first_to:1000")
    assert large.features(rules("classic"), np.array([[999.0, 130.0]])).tolist() == [[7, 103, 1, 2, 7, 104]]
    assert observation_high("classic", "first_to:1000")[443:].tolist() == [127] * 6
    assert "128 * first + second" in observation_layout("classic", "first_to:1000")["match"].meaning
    for target in range(1, MAX_TARGET + 1):
        for game_rules in (HALF_POINTS, rules("seventh")):
            match = MatchFormat("first_to", target)
            features = match.features(game_rules, np.array([[match.largest_score(game_rules), 0]]))[0].astype(int)
            assert (features >= 0).all()
            assert (features <= match.block(game_rules).high).all()
