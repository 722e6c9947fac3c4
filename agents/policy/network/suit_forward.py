"""The forward pass of a network with weights shared by the suits, summed as in ``mlp_forward``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.network.layers import Layer, sizes_of
from german_whist.agents.policy.network.mlp_forward import LayerForward, MLPForward, Rows
from german_whist.agents.policy.network.suit_layout import NUM_SUITS, card_layers_of, suit_inputs
from german_whist.envs.engine.cards import NUM_CARDS, SUIT_SIZE

_ZERO = np.float32(0)


def forward_of(layers: Sequence[Layer], suit_layers: int) -> MLPForward | SuitMLPForward:
    """Return the forward pass of a network; 0 suit layers for a plain multilayer perceptron."""
    return SuitMLPForward(layers, suit_layers) if suit_layers else MLPForward(layers)


class SuitMLPForward:
    """A multilayer perceptron with suit layers, see ``suit_layout``."""

    def __init__(self, layers: Sequence[Layer], suit_layers: int) -> None:
        """Prepare the layers: weight float32[out, in] and bias float32[out] of each, and how many are suit layers."""
        sizes = sizes_of(layers, suit_layers)
        inputs = suit_inputs(sizes[0])
        self._inputs, self._own = inputs.ravel(), inputs.shape[1]
        self._suit_units = sizes[suit_layers]
        *hidden, last = layers
        trunk_end = len(hidden) - card_layers_of(suit_layers, sizes[-1])
        self._suits = [LayerForward(*layer) for layer in hidden[:suit_layers]]
        self._trunk = [LayerForward(*layer) for layer in hidden[suit_layers:trunk_end]]
        self._last = LayerForward(*last)
        self._judges_cards = trunk_end < len(hidden)
        if self._judges_cards:
            (weight, bias), *cards = hidden[trunk_end:]
            self._from_suit = LayerForward(weight[:, : self._suit_units], bias)
            self._from_trunk = LayerForward(weight[:, self._suit_units :])
            self._cards = [LayerForward(*layer) for layer in cards]

    def logits(self, observations: npt.NDArray[Any]) -> Rows:
        """Return the outputs, float32[rows, outputs].

        Args:
            observations: int8 or float32[rows, features].
        """
        count = len(observations)
        suits = observations[:, self._inputs].reshape(count * NUM_SUITS, self._own)
        for layer in self._suits:
            suits = layer(suits, relu=True)
        rows = suits.reshape(count, NUM_SUITS * self._suit_units)
        for layer in self._trunk:
            rows = layer(rows, relu=True)
        if not self._judges_cards:
            return self._last(rows)
        units = np.maximum(self._from_suit(suits) + self._from_trunk(rows).repeat(NUM_SUITS, axis=0), _ZERO)
        for layer in self._cards:
            units = layer(units, relu=True)
        outputs = self._last(units)
        outputs = outputs.reshape(count, NUM_SUITS, outputs.shape[1])
        cards = outputs[:, :, :SUIT_SIZE].reshape(count, NUM_CARDS)
        others = outputs[:, :, SUIT_SIZE:]
        choices = others[:, 0] + others[:, 1] + others[:, 2] + others[:, 3]
        return np.concatenate([cards, choices], axis=1)
