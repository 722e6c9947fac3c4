"""A policy network as an agent."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt
import pytest

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.network.forward import Forward, LayerForward
from german_whist.envs.engine.agent_rng import AgentRng
from german_whist.envs.engine.cards import cards_of, parse_card
from german_whist.envs.simulator.batch import DealBatch
from german_whist.evaluation.match import play_match
from tests.agents.networks import biased_network, some_network
from tests.agents.positions import choice, view
from tests.redeal import Redeal

Floats = npt.NDArray[np.float32]

HAND = view("A2.A2.AK.A", "S", opponent="K3.K3.QJ.K")  # renamed: clubs 1, hearts or diamonds 2 each, spades trumps


def test_a_forward_pass_is_that_of_a_relu_network() -> None:
    layers = some_network(hidden=(5, 4)).layers
    observation = np.random.default_rng(1).integers(0, 2, 443)
    hidden = observation.astype(float)
    for weight, bias in layers[:-1]:
        hidden = np.array([max(0.0, float(row @ hidden + cell)) for row, cell in zip(weight, bias, strict=True)])
    weight, bias = layers[-1]
    assert Forward(layers).logits(observation[None])[0] == pytest.approx(weight @ hidden + bias, abs=1e-3)


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
def test_outputs_are_summed_in_a_fixed_order_to_the_last_bit(units: int, inputs: int, relu: bool) -> None:
    rng = np.random.default_rng(units + inputs)
    weight = rng.normal(size=(units, inputs)).astype(np.float32)
    bias = rng.normal(size=units).astype(np.float32)
    features = (rng.integers(0, 3, (70, inputs)) == 0) * rng.choice([1, 1, 1, 1, -3], (70, inputs))
    for rows in (features.astype(np.int8), (features * rng.normal(size=inputs)).astype(np.float32)):
        expected = np.stack([summed_in_order(row.astype(np.float32), weight, bias) for row in rows])
        if relu:
            expected = np.maximum(expected, np.float32(0))
        assert LayerForward(weight, bias)(rows, relu=relu).tobytes() == expected.tobytes()


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("game", ["classic", "classic:ranks=8,hand=10,stock=12"])
def test_only_legal_cards_over_whole_deals(temperature: float, game: str) -> None:
    agent = PolicyAgent(some_network(game=game), temperature)
    play_match(agent, "random", deals=30, rules=game)  # raises where a card is illegal


def test_at_temperature_0_it_plays_its_best_legal_card() -> None:
    # Trumps are spades, and plain suits are renamed by length.
    ace, deuce = parse_card("SA"), parse_card("S2")
    assert choice(PolicyAgent(biased_network({ace: 1.0})), HAND) == "SA"
    assert choice(PolicyAgent(biased_network({ace: 1.0, deuce: 2.0})), HAND) == "S2"
    assert choice(PolicyAgent(biased_network({parse_card("SQ"): 9.0, deuce: 0.1})), HAND) == "S2"


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_sample_frequencies_match_the_softmax(temperature: float) -> None:
    biases = {parse_card("SA"): 1.0, parse_card("S2"): -0.5, parse_card("CA"): 0.5}
    rows = 20_000
    agent = PolicyAgent(biased_network(biases), temperature)
    cards = agent.act(np.repeat(HAND, rows), np.random.default_rng(5))
    # CA is the only plain card of the shortest suit, so it is still named CA after renaming.
    weights = {card: math.exp(biases.get(card, 0.0) / temperature) for card in cards_of(HAND["hand"][0])}
    for card, weight in weights.items():
        chance = weight / sum(weights.values())
        tolerance = 4.5 * math.sqrt(chance * (1 - chance) / rows)
        assert (cards == card).mean() == pytest.approx(chance, abs=tolerance)
    assert set(cards.tolist()) <= set(weights)


def test_probabilities_are_the_softmax_over_legal_cards_by_their_true_names() -> None:
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


def test_advantages_are_differences_to_the_best_card_in_tricks() -> None:
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


@pytest.mark.parametrize("temperature", [-0.1, math.nan, math.inf])
def test_an_invalid_temperature_is_refused(temperature: float) -> None:
    with pytest.raises(ValueError, match=r"temperature must be 0 \(best card\) or a positive number, got"):
        PolicyAgent(some_network(), temperature)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_row_is_played_the_same_in_any_batch(temperature: float) -> None:
    views = DealBatch("classic", 40, seed=6).views()
    agent = PolicyAgent(some_network(), temperature)
    together = agent.act(views, AgentRng(1, np.arange(40)))
    apart = [int(agent.act(views[i : i + 1], AgentRng(1, [i]))[0]) for i in range(40)]
    assert together.tolist() == apart
    assert agent.act(views[:0], AgentRng(1, [])).shape == (0,)


def test_hidden_cards_do_not_change_its_choice() -> None:
    agent = PolicyAgent(some_network(), 1.0)
    compared = 0
    for seed in range(4):
        for course, others in Redeal("classic", seed, seat=0, steps=30).steps():
            if course.turn[0] == 0:
                cards = agent.act(others.views(), AgentRng(3, np.zeros(others.size)))
                assert (cards == cards[0]).all()
                compared += len(cards) - 1
    assert compared > 0
