"""Environments whose episode is a whole match."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from german_whist.envs.engine.match_format import MAX_TARGET, MatchFormat, match_format_of
from german_whist.envs.engine.rules import rules
from german_whist.envs.engine.scoring import REWARDS
from german_whist.envs.gymnasium_env import GermanWhistEnv
from german_whist.envs.observation.full_state import state_layout
from german_whist.envs.observation.history import max_events
from german_whist.envs.observation.vector import observation_high, observation_layout, observe, view_from_observation
from german_whist.envs.pettingzoo_env import env, raw_env
from german_whist.envs.simulator.batch import DealBatch
from tests.envs.players import HALF_POINTS, Lowest, random_legal
from tests.presets import PRESETS

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, seed_test

pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
]


# The PettingZoo environment


@pytest.mark.parametrize(
    ("match", "observation"),
    [("first_to:10", "vector"), ("best_of:3", "vector"), (None, "history"), ("best_of:3", "history")],
)
@pytest.mark.parametrize("make", [env, raw_env])
def test_passes_pettingzoos_api_test(make: Any, match: str | None, observation: str) -> None:
    api_test(make(rules="tiny", observation=observation, match=match), num_cycles=200)


@pytest.mark.parametrize("options", [{"match": "best_of:3"}, {"observation": "history"}])
def test_passes_pettingzoos_seed_test(options: dict[str, Any]) -> None:
    seed_test(lambda: env(**options))


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("rules", [*PRESETS, HALF_POINTS], ids=str)
@pytest.mark.parametrize(("match", "observation"), [("first_to:7", "vector"), ("best_of:3", "history")])
def test_every_observation_of_a_match_is_in_its_space_and_no_reward_beyond_the_limit(
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


@pytest.mark.parametrize("reward", REWARDS)
def test_both_seats_are_paid_for_the_match_at_its_last_step_and_not_before(
    reward: str, rng: np.random.Generator
) -> None:
    environment = raw_env("small", reward=reward, match="first_to:15")
    environment.reset(seed=3)
    seen = set()
    while not any(environment.terminations.values()):
        assert environment.rewards == {"player_0": 0, "player_1": 0}
        seen.add(environment.deal)
        environment.step(random_legal(environment.observe(environment.agent_selection)["action_mask"], rng))
    mine, theirs = environment.scores
    assert max(mine, theirs) >= 15 > min(mine, theirs)
    won = np.sign(mine - theirs) if reward == "win" else mine - theirs
    assert environment.rewards == {"player_0": won, "player_1": -won}
    assert all(environment.terminations.values())
    assert seen == {(3, index) for index in range(len(seen))}
    assert len(seen) >= 3
    assert not environment.observe("player_0")["action_mask"].any()


def test_an_illegal_action_loses_the_most_that_a_match_can_lose() -> None:
    for match, reward, lost in (
        ("first_to:10", "win", 1),
        ("first_to:10", "points", 9 + 13),
        ("best_of:5", "margin", 3),
    ):
        environment = env("classic", reward=reward, match=match)
        environment.reset(seed=0)
        agent = environment.agent_selection
        environment.step(int(np.flatnonzero(environment.observe(agent)["action_mask"] == 0)[0]))
        assert environment.rewards[agent] == -lost


def test_a_match_address_is_played_and_later_resets_continue_from_it() -> None:
    environment = env("tiny", match="best_of:3")
    environment.reset(seed=1, options={"match": (7, 3), "deal": None})
    assert environment.unwrapped.deal == (7, 3 * 4096 + 1)
    environment.reset()
    assert environment.unwrapped.deal == (7, 4 * 4096)
    environment.reset(seed=7)
    assert environment.unwrapped.deal == (7, 0)


def test_scores_are_at_the_end_of_observation_and_state(rng) -> None:
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


def test_half_points_and_large_targets_fit_their_features() -> None:
    half = match_format_of("first_to:10")
    assert half.features(HALF_POINTS, (9.5, 0.5)).tolist() == [19, 1, 20]
    assert half.block(HALF_POINTS).high == 2 * (9.5 + 1.5)
    large = match_format_of("first_to:1000")
    assert large.features(rules("classic"), (999, 130)).tolist() == [7, 103, 1, 2, 7, 104]
    assert observation_high("classic", "first_to:1000")[443:].tolist() == [127] * 6
    assert "128 * first + second" in observation_layout("classic", "first_to:1000")["match"].meaning
    for target in range(1, MAX_TARGET + 1):
        for game_rules in (HALF_POINTS, rules("seventh")):
            match = MatchFormat("first_to", target)
            features = match.features(game_rules, (match.largest_score(game_rules), 0)).astype(int)
            assert (features >= 0).all()
            assert (features <= match.block(game_rules).high).all()


def test_the_history_of_a_match_is_that_of_its_current_deal_with_the_scores(rng) -> None:
    environment = raw_env("tiny", match="best_of:3", observation="history")
    environment.reset(seed=3)
    while environment.deal == (3, 0):
        environment.step(random_legal(environment.observe(environment.agent_selection)["action_mask"], rng))
    seen = environment.observe("player_1")
    fresh = DealBatch("tiny", 1, seed=3, first=1, history=True)
    tokens, lengths = fresh.history(seats=[1])
    np.testing.assert_array_equal(seen["observation"], tokens[0])
    assert seen["observation"].shape == (max_events("tiny"), 4)
    assert seen["length"].tolist() == lengths.tolist()
    assert seen["match"].tolist() == [*map(int, environment.scores[::-1]), 2]


# The Gymnasium environment


def test_a_learner_plays_whole_matches_and_is_paid_at_their_end(rng) -> None:
    environment = GermanWhistEnv(Lowest(), "tiny", reward="points", match="first_to:3")
    scores = environment._episode.scores[0]
    learners = set()
    for episode in range(6):
        observation, info = environment.reset(seed=2 if episode == 0 else None)
        learners.add(environment.learner)
        over, total = False, 0.0
        while not over:
            assert total == 0
            assert environment.observation_space.contains(observation)
            observation, total, over, _, info = environment.step(random_legal(info["action_mask"], rng))
        own, other = scores[environment.learner], scores[1 - environment.learner]
        assert max(own, other) >= 3
        assert total == own - other
        assert observation[-3:].tolist() == [own, other, 3]
        assert not info["action_mask"].any()
    assert learners == {0, 1}
