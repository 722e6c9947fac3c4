"""Networks whose first and last layers the suits share: their inputs, their outputs, their files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from german_whist.agents.policy.agent import PolicyAgent
from german_whist.agents.policy.checkpoint import Checkpoint, load_checkpoint
from german_whist.agents.policy.inputs import network_inputs
from german_whist.agents.policy.network.forward import forward
from german_whist.agents.policy.network.layers import suit_inputs
from german_whist.simulator.batch import DealBatch
from tests.agents.networks import suit_network
from tests.players import play_randomly

GAMES = [("classic", "observation"), ("draft", "observation"), ("draft", "universal"), ("small", "universal")]


def some_inputs(checkpoint: Checkpoint, rows: int = 30) -> npt.NDArray[np.int8]:
    batch = DealBatch(checkpoint.rules, rows, 2)
    play_randomly(batch, np.random.default_rng(0), 9)
    return np.asarray(network_inputs(batch.views(), checkpoint.rules, checkpoint.inputs), np.int8)


def relu(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.maximum(numbers, 0)


@pytest.mark.parametrize("suit_layers", [1, 2])
@pytest.mark.parametrize(("game", "inputs"), GAMES)
def test_suit_network_matches_plain_layers(game: str, inputs: str, suit_layers: int) -> None:
    checkpoint = suit_network(suit_layers, game, inputs)
    rows = some_inputs(checkpoint)
    assert checkpoint.packed_value is not None
    outputs, values = (forward(network, rows) for network in (checkpoint.packed, checkpoint.packed_value))
    assert outputs.shape == (30, checkpoint.sizes[-1])
    for row, output, value in zip(rows, outputs, values, strict=True):
        for layers, got in ((checkpoint.layers, output), (checkpoint.value, value)):
            suits = [row[inputs].astype(float) for inputs in suit_inputs(len(row))]
            for weight, bias in layers[:suit_layers]:
                suits = [relu(weight @ suit + bias) for suit in suits]
            trunk = np.concatenate(suits)
            cards = layers[suit_layers + (2 if layers is checkpoint.layers else 1) : -1]
            for weight, bias in layers[suit_layers : suit_layers + (2 if cards else 1)]:
                trunk = relu(weight @ trunk + bias)
            weight, bias = layers[-1]
            if not cards:
                np.testing.assert_allclose(got, weight @ trunk + bias, rtol=1e-4, atol=1e-4)
                continue
            units = [np.concatenate([suit, trunk]) for suit in suits]
            for of_cards, its in cards:
                units = [relu(of_cards @ unit + its) for unit in units]
            of_suits = np.stack([weight @ unit + bias for unit in units])
            np.testing.assert_allclose(got[:52], of_suits[:, :13].ravel(), rtol=1e-4, atol=1e-4)
            np.testing.assert_allclose(got[52:], of_suits[:, 13:].sum(0), rtol=1e-4, atol=1e-4)


def test_suit_network_round_trip(tmp_path: Path) -> None:
    made, path = suit_network(2), tmp_path / "net.safetensors"
    made.save(path)
    loaded = load_checkpoint(path)
    assert loaded.suit_layers == 2
    assert loaded.sizes == made.sizes == [443, 9, 7, 11, 10, 8, 5, 52]
    decisions = DealBatch("classic", 20, 1).decisions()
    assert np.array_equal(PolicyAgent(loaded).act(decisions), PolicyAgent(made).act(decisions))
    values, same = (PolicyAgent(one).evaluate(decisions, "values").values for one in (loaded, made))
    assert values is not None
    assert same is not None
    assert all(np.array_equal(one, other) for one, other in zip(values, same, strict=True))
