"""A policy network as an agent."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pytest

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.network.forward import PackedNetwork, forward
from german_whist.agents.policy.network.layers import LOGITS_PER_TRICK, Layer
from german_whist.game.cards import cards_of, parse_card
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.decisions import Decisions
from tests.agents.networks import biased_network, some_network, valued_network
from tests.agents.positions import choice, view

Floats = npt.NDArray[np.float32]

HAND = view("A2.A2.AK.A", "S", opponent="K3.K3.QJ.K")  # renamed: clubs 1, hearts or diamonds 2 each, spades trumps


def summed_in_order(row: Floats, weight: Floats, bias: Floats) -> Floats:
    """Return the outputs of one row, summed as ``forward_kernels`` says: four inputs at a time, then one by one."""
    outputs = bias.copy()
    places = np.flatnonzero(row)
    quads = len(places) - len(places) % 4
    for a, b, c, d in places[:quads].reshape(-1, 4):
        first = row[a] * weight[:, a] + row[b] * weight[:, b]
        outputs += first + (row[c] * weight[:, c] + row[d] * weight[:, d])
    for place in places[quads:]:
        outputs += row[place] * weight[:, place]
    return outputs


@pytest.mark.parametrize("inputs", [1, 40, 443])
@pytest.mark.parametrize("units", [(1,), (16,), (150,), (40, 9), (16, 150, 1)])
def test_forward_sums_in_fixed_order(units: tuple[int, ...], inputs: int) -> None:
    rng = np.random.default_rng(sum(units) + inputs)
    features = (rng.integers(0, 3, (70, inputs)) == 0) * rng.choice([1, 1, 1, 1, -3], (70, inputs))
    layers: list[Layer] = []
    rows = features.astype(np.float32)
    for size in units:
        weight = rng.normal(size=(size, rows.shape[1])).astype(np.float32)
        bias = rng.normal(size=size).astype(np.float32)
        if layers:
            rows = np.maximum(rows, np.float32(0))
        layers.append((weight, bias))
        rows = np.stack([summed_in_order(row, weight, bias) for row in rows])
    assert forward(PackedNetwork.create(layers), features.astype(np.int8)).tobytes() == rows.tobytes()


def test_temperature_0_plays_best_card() -> None:
    # Trumps are spades, and plain suits are renamed by length.
    ace, deuce = parse_card("SA"), parse_card("S2")
    assert choice(PolicyAgent(biased_network({ace: 1.0})), HAND) == "SA"
    assert choice(PolicyAgent(biased_network({ace: 1.0, deuce: 2.0})), HAND) == "S2"
    assert choice(PolicyAgent(biased_network({parse_card("SQ"): 9.0, deuce: 0.1})), HAND) == "S2"


def test_policy_is_the_distribution_of_act() -> None:
    agent, sampling = PolicyAgent(some_network(3)), PolicyAgent(some_network(3), 1.0)
    batch = DealBatch("classic", 16, seed=2)
    for _ in range(9):
        batch.step(agent.act(batch.decisions()))
    decisions = batch.decisions()
    certain, chances = (one.evaluate(decisions, "policy").policy for one in (agent, sampling))
    assert certain is not None
    assert chances is not None
    assert chances.sum(axis=1) == pytest.approx(np.ones(16))
    assert ((chances > 0) == decisions.action_masks).all()
    best = agent.act(decisions)
    assert (chances.argmax(axis=1) == best).all()
    assert (certain == np.eye(52)[best]).all()
    rows = 10_000
    sampled = sampling.act(Decisions(np.repeat(decisions.views[:1], rows), rng=np.random.default_rng(1)))
    counts = np.bincount(sampled, minlength=52)
    assert counts / rows == pytest.approx(chances[0], abs=0.02)


def test_action_values_are_logits_against_the_best() -> None:
    biases = {parse_card("SA"): 3.0, parse_card("S2"): 1.0}
    scaled = dataclasses.replace(biased_network(biases), logits_per_trick=4.0)
    legal = list(cards_of(HAND["hand"][0]))
    for checkpoint, logits_per_trick in ((scaled, 4.0), (biased_network(biases), LOGITS_PER_TRICK)):
        found = PolicyAgent(checkpoint).evaluate(Decisions(HAND), "action_values").action_values
        assert found is not None
        assert found.actions.tolist() == [parse_card("SA")]
        [gains] = found.margin_gains
        assert gains[parse_card("SA")] == 0
        assert gains[parse_card("S2")] == pytest.approx(-2 / logits_per_trick)
        assert sorted({round(gains[card] * logits_per_trick, 3) for card in legal}) == [-3, -2, 0]
        assert np.isnan(np.delete(gains, legal)).all()


def test_evaluate_makes_only_named_fields() -> None:
    agent, decisions = PolicyAgent(valued_network()), DealBatch("classic", 3).decisions()
    assert agent.evaluates == {"policy", "values", "action_values"}
    assert agent.evaluate(decisions) == (None, None, None)
    policy, values, action_values = agent.evaluate(decisions, "values")
    assert values is not None
    assert (policy, action_values) == (None, None)
