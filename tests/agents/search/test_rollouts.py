"""Rollouts: the values of the actions of flat Monte Carlo and of networks, and that the best one is played."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.network.layers import UNIVERSAL
from german_whist.agents.pretrained import load_pretrained
from german_whist.agents.search import agent as agent_module
from german_whist.agents.search.agent import SearchAgent
from german_whist.agents.search.rollout_kernels import distinct_actions
from german_whist.evaluation.match import play_match
from german_whist.game.cards import cards_of
from german_whist.game.rules import Rules, rules
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from german_whist.solver.exact_endgame import ExactEndgameHook
from tests.agents.networks import suit_network
from tests.agents.positions import HEURISTIC, Fixed, draw, some_positions
from tests.presets import PRESETS


def rollout_margin(game: Rules, states: np.ndarray[Any, Any], action: int, agent: Any = HEURISTIC) -> float:
    """What seat 0 gets in all, when it plays an action in some states and an agent plays on for both."""
    batch = DealBatch(game, len(states), endgame="played" if game.humbug else ExactEndgameHook())
    batch.states[:] = states
    batch.step(np.full(len(states), action))
    while not batch.done.all():
        decisions = batch.decisions()
        batch.step(agent.act(decisions), decisions.rows)
    return float(batch.returns()[:, 0].sum())


def one_decision(row: np.void, game: Rules) -> Decisions:
    """A decision whose worlds are those of key 99."""
    return Decisions(np.array([row]), game, Fixed(99))  # type: ignore[arg-type]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("steps", [0, 7, 11])
def test_gains_are_mean_rollout_margins(preset: str, steps: int) -> None:
    game = rules(preset)
    views = some_positions(game, 3, steps).views()
    views = views[(views["legal"] > 0) & ((views["stock"] > 0) | game.humbug)]
    for row in views:
        [chosen], [gains] = SearchAgent.flat(worlds=4, rules=game).search(one_decision(row, game))
        _, states = draw(game, row, [99], 4)
        tried = list(cards_of(int(distinct_actions(row))))
        if len(tried) == 1:
            assert np.isnan(gains).all()
            continue
        expected = {action: rollout_margin(game, states, action) for action in tried}
        [preferred] = [action for action in tried if gains[action] == 0 and np.isfinite(gains[action])][:1]
        assert {action: 4 * gains[action] for action in tried} == {
            action: expected[action] - expected[preferred] for action in tried
        }
        assert np.isfinite(gains).sum() == len(tried)
        assert expected[max(action for action in tried if action <= chosen)] == max(expected.values())


@pytest.mark.parametrize("preset", ["small", "draft", "open_stock", "high_low"])
@pytest.mark.parametrize("steps", [0, 7])
@pytest.mark.parametrize("of_suits", [False, True])
def test_networks_play_the_rollouts(preset: str, steps: int, of_suits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_module, "NETWORK_SD", np.inf)  # values are those of the rollouts alone
    game, checkpoint = rules(preset), load_pretrained("small")
    if of_suits:
        checkpoint = suit_network(2, preset, UNIVERSAL)
    network = PolicyAgent(checkpoint, rules=game)
    agent, compared = SearchAgent(network, game, 4, checkpoint, threads=1), 0
    views = some_positions(game, 6, steps).views()
    for row in views[views["legal"] > 0]:
        found = agent.evaluate(one_decision(row, game), "action_values").action_values
        assert found is not None
        [chosen], [margins], *_ = found
        _, states = draw(game, row, [99], 4)
        tried = list(cards_of(int(distinct_actions(row))))
        if len(tried) == 1:
            continue
        expected = {action: rollout_margin(game, states, action, network) for action in tried}
        best = expected[max(action for action in tried if action <= chosen)]
        assert {action: 4 * margins[action] for action in tried} == pytest.approx(
            {action: expected[action] - best for action in tried}
        )
        compared += len(tried)
    assert compared > 5


def test_more_worlds_are_stronger() -> None:
    assert play_match("mc:worlds=40", "heuristic", deals=150, seed=1, rules="small").interval[0] > 0.5
    assert play_match("mc:worlds=40", "mc:worlds=2", deals=150, seed=1, rules="small").interval[0] > 0.5
