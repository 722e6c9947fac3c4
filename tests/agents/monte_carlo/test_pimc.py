"""Perfect information Monte Carlo: the values of its actions, and that it plays the best one."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from german_whist.agents.monte_carlo.bot import MonteCarloBot, PIMCAgent
from german_whist.arena.match import play_match
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.rules import rules
from german_whist.envs.simulator.batch import DealBatch
from tests.agents.inference.world_states import draw
from tests.agents.open_games import OPEN_GAME, action_margins
from tests.agents.positions import Fixed, tried_actions
from tests.conftest import play_randomly


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 4, 5])
def test_where_nothing_is_hidden_the_margins_are_those_of_perfect_play(steps: int) -> None:
    batch = DealBatch(OPEN_GAME, 12, 5)
    play_randomly(batch, np.random.default_rng(1), steps)
    views = batch.views()
    totals = PIMCAgent(worlds=3, depth=4, rules=OPEN_GAME).totals(views, AgentRng(1, np.arange(12)))
    actions = PIMCAgent(worlds=3, depth=4, rules=OPEN_GAME).act(views, AgentRng(1, np.arange(12)))
    for row in range(12):
        margins = action_margins(OPEN_GAME, batch.states[row : row + 1])
        tried = tried_actions(views[row])
        if len(tried) > 1:
            assert [totals[row, action] for action in tried] == [margins[action] for action in tried]
        assert margins[int(actions[row])] == max(margins.values())


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
@pytest.mark.parametrize("changes", [{}, {"draft": True}, {"high_low": True}, {"open_stock": 2}, {"counts": "all"}])
def test_worlds_are_solved_if_the_depth_reaches_the_endgame(changes: dict[str, Any], steps: int) -> None:
    game = dataclasses.replace(rules("tiny"), **changes)
    batch = DealBatch(game, 4, 3)
    play_randomly(batch, np.random.default_rng(2), steps)
    for row in batch.views():
        [totals] = PIMCAgent(worlds=3, depth=2, rules=game).totals(np.array([row]), Fixed(7))
        tried = tried_actions(row)
        if len(tried) == 1:
            assert not totals.any()
            continue
        _, states = draw(game, row, [7], 3)
        is_open = int(row["stock"]) == int(row["face_up"]).bit_count()  # nothing is hidden: one world is enough
        worlds = [action_margins(game, states[world : world + 1]) for world in range(1 if is_open else 3)]
        assert [totals[action] for action in tried] == [sum(world[action] for world in worlds) for action in tried]


def test_a_search_to_the_end_of_the_current_trick_is_flat_monte_carlo_when_following_suit_is_forced() -> None:
    """With no more than one trick searched, a follower's card ends the search: the rollouts are those of ``mc``."""
    batch = DealBatch("classic", 8, 2)
    play_randomly(batch, np.random.default_rng(4), 7)
    views = batch.views()
    assert (views["led"] >= 0).all()
    rngs = [AgentRng(1, np.arange(8)) for _ in range(2)]
    assert (PIMCAgent(6, 1).totals(views, rngs[0]) == MonteCarloBot(6).totals(views, rngs[1])).all()


def test_more_worlds_play_stronger() -> None:
    match = play_match("pimc:worlds=60,depth=1", "pimc:worlds=2,depth=1", 100, seed=1, rules="small")
    assert match.interval[0] > 0.5
