"""Small networks for tests of policies and checkpoints."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.inputs import input_high, num_outputs
from german_whist.agents.policy.network.layers import OBSERVATION, Layer, layer_shapes
from german_whist.game.rules import rules
from german_whist.simulator.observation.vector import observation_high


def some_network(seed: int = 0, hidden: tuple[int, ...] = (8,), game: str = "classic") -> Checkpoint:
    """A checkpoint with random weights."""
    rng = np.random.default_rng(seed)
    sizes = [observation_high(game).size, *hidden, rules(game).num_actions]
    layers = tuple(
        (rng.normal(0, 0.3, (stop, start)).astype(np.float32), rng.normal(0, 0.3, stop).astype(np.float32))
        for start, stop in itertools.pairwise(sizes)
    )
    training = {"decisions": 12, "seed": seed}
    return Checkpoint(layers, rules(game), training, {"random": {"win_rate": 0.75}})


def valued_network(game: str = "classic") -> Checkpoint:
    """A checkpoint with random weights and a value network."""
    first, (weight, bias) = some_network(1, (6,), game).layers
    return dataclasses.replace(some_network(game=game), value=(first, (weight[:2], bias[:2])))


def suit_network(suit_layers: int = 1, game: str = "classic", inputs: str = OBSERVATION) -> Checkpoint:
    """A checkpoint with random weights that the suits share, and a value network likewise."""
    rng = np.random.default_rng(0)

    def layers(*sizes: int) -> tuple[Layer, ...]:
        return tuple(
            (rng.normal(0, 0.3, shape).astype(np.float32), rng.normal(0, 0.3, shape[0]).astype(np.float32))
            for shape in layer_shapes(sizes, suit_layers)
        )

    features, suits, cards = input_high(rules(game), inputs).size, [9, 7][:suit_layers], [8, 5][:suit_layers]
    return Checkpoint(
        layers(features, *suits, 11, 10, *cards, num_outputs(rules(game), inputs)),
        rules(game),
        {"seed": 0},
        logits_per_trick=4.0,
        ranks="live",
        inputs=inputs,
        value=layers(features, *suits, 6, 2),
        suit_layers=suit_layers,
    )


def biased_network(biases: dict[int, float]) -> Checkpoint:
    """A checkpoint whose logits are given biases, by canonical card, whatever it sees; 0 for the others."""
    layer = np.zeros((52, observation_high("classic").size), np.float32)
    bias = np.zeros(52, np.float32)
    for card, value in biases.items():
        bias[card] = value
    return Checkpoint(((layer, bias),), rules("classic"))
