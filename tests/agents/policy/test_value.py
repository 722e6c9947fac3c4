"""The value network of a checkpoint: its file, and what an agent says with it."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.endgame.open_hands import opponent_hand_known
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.inputs import network_inputs
from german_whist.agents.registry import make_agent
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.canonical import canonical_views
from tests.agents.networks import some_network, valued_network


def test_agent_without_value_network_knows_no_values() -> None:
    decisions, network = DealBatch("classic", 3).decisions(), PolicyAgent(some_network())
    for agent in (network, ExactEndgame(network), make_agent("heuristic+exact")):
        assert agent.evaluate(decisions, "values").values is None
        assert "values" not in agent.evaluates
    assert "value" not in some_network().model_card()


def test_values_are_network_outputs() -> None:
    checkpoint = valued_network()
    decisions, agent = DealBatch("classic", 40).decisions(), PolicyAgent(checkpoint)
    values = agent.evaluate(decisions, "values").values
    assert values is not None
    assert (values.actions == agent.act(decisions)).all()
    inputs = network_inputs(canonical_views(decisions.views)[0]).astype(float)
    (weight, bias), (last, last_bias) = checkpoint.value
    outputs = np.maximum(inputs @ weight.T + bias, 0) @ last.T + last_bias
    np.testing.assert_allclose(values.margin, outputs[:, 0], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(values.win, 1 / (1 + np.exp(-outputs[:, 1])), rtol=1e-4)


@pytest.mark.parametrize("game", ["tiny", "small_all", "high_low", "tiny:counts=all,race=3"])
def test_open_values_are_exact(game: str) -> None:
    batch, rng = DealBatch(game, 12, seed=4), np.random.default_rng(4)
    while (batch.views()["stock"] > 0).any():  # random foreplay
        legal = [[a for a in range(54) if int(mask) >> a & 1] or [0] for mask in batch.legal()]
        playing = batch.views()["stock"] > 0
        batch.step(np.array([rng.choice(row) for row in legal])[playing], np.flatnonzero(playing))
    agent = ExactEndgame(PolicyAgent(valued_network(game)))
    decisions = batch.decisions()
    open_rows = decisions.rows
    assert opponent_hand_known(decisions.views).all()
    seats, values = batch.turn[open_rows].copy(), agent.evaluate(decisions, "values").values
    while not batch.done.all():
        decisions = batch.decisions()
        batch.step(agent.act(decisions), decisions.rows)
    margins = batch.returns("margin")[open_rows, seats]
    assert values is not None
    assert (values.margin == margins).all()
    assert (values.win == (1 + np.sign(margins)) / 2).all()
