"""A policy network as an agent."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pytest

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.network.forward import LayerForward
from german_whist.game.cards import cards_of, parse_card
from german_whist.simulator.batch import DealBatch
from tests.agents.networks import biased_network, some_network
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


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("inputs", [1, 40, 443])
@pytest.mark.parametrize("units", [1, 16, 150])
def test_forward_sums_in_fixed_order(units: int, inputs: int, relu: bool) -> None:
    rng = np.random.default_rng(units + inputs)
    weight = rng.normal(size=(units, inputs)).astype(np.float32)
    bias = rng.normal(size=units).astype(np.float32)
    features = (rng.integers(0, 3, (70, inputs)) == 0) * rng.choice([1, 1, 1, 1, -3], (70, inputs))
    for rows in (features.astype(np.int8), (features * rng.normal(size=inputs)).astype(np.float32)):
        expected = np.stack([summed_in_order(row.astype(np.float32), weight, bias) for row in rows])
        if relu:
            expected = np.maximum(expected, np.float32(0))
        assert LayerForward(weight, bias)(rows, relu=relu).tobytes() == expected.tobytes()


def test_temperature_0_plays_best_card() -> None:
    # Trumps are spades, and plain suits are renamed by length.
    ace, deuce = parse_card("SA"), parse_card("S2")
    assert choice(PolicyAgent(biased_network({ace: 1.0})), HAND) == "SA"
    assert choice(PolicyAgent(biased_network({ace: 1.0, deuce: 2.0})), HAND) == "S2"
    assert choice(PolicyAgent(biased_network({parse_card("SQ"): 9.0, deuce: 0.1})), HAND) == "S2"


def test_probabilities() -> None:
    agent = PolicyAgent(some_network(3))
    batch = DealBatch("classic", 16, seed=2)
    for _ in range(9):
        batch.step(agent.act(batch.views(), None))
    views = batch.views()
    chances = agent.probabilities(views)
    assert chances.sum(axis=1) == pytest.approx(np.ones(16))
    assert ((chances > 0) == batch.action_mask()).all()
    assert (chances.argmax(axis=1) == agent.act(views, None)).all()
    rows = 10_000
    sampled = PolicyAgent(some_network(3), 1.0).act(np.repeat(views[:1], rows), np.random.default_rng(1))
    counts = np.bincount(sampled, minlength=52)
    assert counts / rows == pytest.approx(chances[0], abs=0.02)


def test_advantages() -> None:
    biases = {parse_card("SA"): 3.0, parse_card("S2"): 1.0}
    assert PolicyAgent(biased_network(biases)).advantages(HAND) is None
    scaled = dataclasses.replace(biased_network(biases), logits_per_trick=4.0)
    advantages = PolicyAgent(scaled).advantages(HAND)
    assert advantages is not None
    legal = list(cards_of(HAND["hand"][0]))
    assert advantages[0, parse_card("SA")] == 0
    assert advantages[0, parse_card("S2")] == pytest.approx(-0.5)
    assert {advantages[0, card] for card in legal} == {0, -0.5, -0.75}
    assert (np.delete(advantages[0], legal) == -np.inf).all()
