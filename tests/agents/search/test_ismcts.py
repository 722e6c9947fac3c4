"""Information set Monte Carlo tree search: it finds the best action where that is known, and its settings."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.agents.endgame.open_hands import card_margins, open_hands
from german_whist.agents.search.ismcts import ISMCTSAgent
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.rules import rules
from german_whist.envs.simulator.batch import DealBatch
from german_whist.evaluation.match import play_match
from tests.agents.open_games import OPEN_GAME, action_margins
from tests.conftest import play_randomly


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 4, 5])
def test_where_nothing_is_hidden_it_finds_perfect_play(steps: int) -> None:
    batch = DealBatch(OPEN_GAME, 8, 5)
    play_randomly(batch, np.random.default_rng(1), steps)
    agent = ISMCTSAgent(1500, reward="margin", rules=OPEN_GAME)
    actions = agent.act(batch.views(), AgentRng(1, np.arange(8)))
    for row in range(8):
        margins = action_margins(OPEN_GAME, batch.states[row : row + 1])
        assert margins[int(actions[row])] == max(margins.values())


@pytest.mark.parametrize("preset", ["classic", "high_low", "no_trump"])
def test_in_an_open_endgame_it_plays_a_best_card_without_the_exact_wrapper(preset: str) -> None:
    batch = DealBatch(preset, 20, 6)
    play_randomly(batch, np.random.default_rng(3), rules(preset).stock + 3)
    views = batch.views()
    cards = ISMCTSAgent(600, reward="margin", rules=preset).act(views, AgentRng(1, np.arange(20)))
    margins = card_margins(open_hands(views))
    assert (margins[np.arange(20), cards] == margins.max(axis=1)).all()


def test_more_iterations_play_stronger() -> None:
    match = play_match("ismcts:iterations=300", "ismcts:iterations=10", deals=100, seed=1, rules="small")
    assert match.interval[0] > 0.5
