"""The value that a run ships: what it is fitted to, and how it gets into checkpoints."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.policy.inputs import input_high, network_inputs, num_outputs
from german_whist.agents.policy.network.forward import PackedNetwork, forward
from german_whist.agents.policy.network.layers import Layer
from german_whist.game.rules import rules
from german_whist.simulator.batch import DealBatch
from german_whist.training.policy_iteration.collector import first_training_deal
from german_whist.training.policy_iteration.value_fit import OUTCOMES_RANK, fit_value, self_play_outcomes
from german_whist.training.run.outcome import TrainingOutcome


def random_layers(game: str, inputs: str) -> tuple[Layer, ...]:
    rng, features = np.random.default_rng(0), input_high(rules(game), inputs).size
    shapes = [(16, features), (16,), (num_outputs(rules(game), inputs), 16), (num_outputs(rules(game), inputs),)]
    a, b, c, d = (rng.normal(0, 0.4, shape).astype(np.float32) for shape in shapes)
    return (a, b), (c, d)


@pytest.mark.parametrize("inputs", ["observation", "universal"])
@pytest.mark.parametrize("game", ["tiny", "draft", "high_low", "small_all:open_stock=2"])
def test_self_play_outcomes_are_the_returns(game: str, inputs: str) -> None:
    layers = random_layers(game, inputs)
    network = PackedNetwork.create(layers)
    features, margins = self_play_outcomes(
        lambda rows: torch.from_numpy(forward(network, rows.numpy())), {game: 1.0}, 12, 3, inputs
    )
    agent = ExactEndgame(PolicyAgent(Checkpoint(layers, rules(game), ranks="live", inputs=inputs)))
    batch = DealBatch(game, 12, 3, first_training_deal(OUTCOMES_RANK))
    expected, encoded = [], []
    while not batch.done.all():
        decisions = batch.decisions()
        foreplay = decisions[decisions.views["stock"] > 0]
        expected += [(row, int(batch.turn[row])) for row in foreplay.rows]
        encoded.append(network_inputs(foreplay.canonical("live").views, game, inputs))
        batch.step(agent.act(decisions), decisions.rows)
    returns = batch.returns("margin")
    assert margins.tolist() == [returns[row, seat] for row, seat in expected]
    np.testing.assert_array_equal(features, np.concatenate(encoded))
    assert len(set(margins.tolist())) > 2


def test_value_head_fits_outcomes() -> None:
    rng = np.random.default_rng(1)
    features = np.zeros((60_000, 443), np.int8)
    features[:, :20] = rng.integers(0, 2, (60_000, 20))
    margins = np.round(features[:, :10].sum(1) - features[:, 10:20].sum(1) + rng.logistic(0, 2, 60_000))
    weight = np.eye(30, 443).astype(np.float32)
    trunk = (weight, np.zeros(30, np.float32)), (np.zeros((2, 30), np.float32), np.zeros(2, np.float32))
    fitted = fit_value(trunk, 0, (features, margins))
    assert fitted[0] is trunk[0]
    rows = features[:4000]
    expected = rows[:, :10].sum(1) - rows[:, 10:20].sum(1)
    outputs = forward(PackedNetwork.create(fitted), rows)
    np.testing.assert_allclose(outputs[:, 0], expected, atol=0.3)
    np.testing.assert_allclose(outputs[:, 1], expected / 2, atol=0.35)


def same_policy(one: Checkpoint, other: Checkpoint) -> bool:
    pairs = zip(one.layers, other.layers, strict=True)
    return all(a.tobytes() == b.tobytes() for layer, same in pairs for a, b in zip(layer, same, strict=True))


def test_run_ends_with_value(finished: TrainingOutcome) -> None:
    done = finished.run
    made, without = load_checkpoint(done.final), load_checkpoint(done.checkpoint_paths()[-1])
    assert same_policy(made, without)
    assert without.value == ()
    values = PolicyAgent(made).evaluate(DealBatch("tiny", 50).decisions(), "values").values
    assert values is not None
    assert ((values.win > 0) & (values.win < 1)).all()
    assert values.margin.std() > 0.05
    assert np.corrcoef(values.margin, values.win)[0, 1] > 0.5
