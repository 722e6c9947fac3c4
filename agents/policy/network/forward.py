"""Forward passes on the CPU that are bit for bit the same on every machine and in any batch size.

In a library's matrix product the order of summation depends on the machine, the number of threads and the batch size,
so rounding could decide between two nearly equal cards. Here each row is summed by itself in a fixed order of inputs.
Zero inputs (most observation features and half of the hidden units) are skipped, which makes it about as fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.network.forward_kernels import write_layer_rows
from german_whist.agents.policy.network.layers import NUM_SUITS, Layer, card_layers_of, sizes_of, suit_inputs
from german_whist.game.cards import NUM_CARDS, SUIT_SIZE

Rows = npt.NDArray[np.float32]

_LINE = 16  # float32 numbers in a cache line
_BLOCK = 64  # rows evaluated together: what lies between the layers of more would not fit into the cache


def packed(weight: npt.NDArray[np.float32], bias: npt.NDArray[np.float32] | None = None) -> Rows:
    """Return a layer as ``write_layer`` reads it, float32[in + 1, out], with outputs added up to a multiple of 16.

    Each row begins at a cache line: loading vectors that straddle two takes twice as long.

    Args:
        weight: float32[out, in].
        bias: float32[out]; 0 by default.
    """
    units, inputs = weight.shape
    shape = inputs + 1, units + -units % _LINE
    memory = np.zeros(shape[0] * shape[1] + _LINE, np.float32)
    start = -(memory.ctypes.data // memory.itemsize) % _LINE
    layer = memory[start : start + shape[0] * shape[1]].reshape(shape)
    layer[:inputs, :units] = weight.T
    layer[inputs, :units] = 0 if bias is None else bias
    return layer


class LayerForward:
    """One layer."""

    def __init__(self, weight: npt.NDArray[np.float32], bias: npt.NDArray[np.float32] | None = None) -> None:
        """Prepare weight float32[out, in] and bias float32[out]; without a bias it is 0."""
        self._units = len(weight)
        self._weights = packed(weight, bias)

    def __call__(self, rows: npt.NDArray[Any], *, relu: bool = False) -> Rows:
        """Return the outputs, float32[rows, out].

        Args:
            rows: int8 or float32[rows, in].
            relu: whether negative outputs become 0.
        """
        inputs, width = self._weights.shape
        outputs = np.empty((len(rows), width), np.float32)
        write_layer_rows(np.ascontiguousarray(rows), self._weights, relu, np.empty(inputs, np.int64), outputs)
        return np.ascontiguousarray(outputs[:, : self._units])


class Forward:
    """A multilayer perceptron with ReLU between its layers, of which some may be suit layers (see ``layers``)."""

    def __init__(self, layers: Sequence[Layer], suit_layers: int = 0) -> None:
        """Prepare the layers: weight float32[out, in] and bias float32[out] of each, and how many are suit layers."""
        sizes = sizes_of(layers, suit_layers)
        *hidden, last = layers
        trunk_end = len(hidden) - card_layers_of(suit_layers, sizes[-1])
        self._suits = [LayerForward(*layer) for layer in hidden[:suit_layers]]
        self._trunk = [LayerForward(*layer) for layer in hidden[suit_layers:trunk_end]]
        self._last = LayerForward(*last)
        if suit_layers:
            self._inputs, self._units = suit_inputs(sizes[0]), sizes[suit_layers]
        self._has_card_layers = trunk_end < len(hidden)
        if self._has_card_layers:
            (weight, bias), *cards = hidden[trunk_end:]
            self._from_suit = LayerForward(weight[:, : self._units], bias)
            self._from_trunk = LayerForward(weight[:, self._units :])
            self._cards = [LayerForward(*layer) for layer in cards]

    def logits(self, observations: npt.NDArray[Any]) -> Rows:
        """Return the outputs, float32[rows, outputs].

        Args:
            observations: int8 or float32[rows, features].
        """
        blocks = range(0, len(observations) or 1, _BLOCK)
        return np.concatenate([self._outputs(observations[first : first + _BLOCK]) for first in blocks])

    def _outputs(self, rows: npt.NDArray[Any]) -> Rows:
        count = len(rows)
        if self._suits:
            suits = rows[:, self._inputs.ravel()].reshape(count * NUM_SUITS, self._inputs.shape[1])
            for layer in self._suits:
                suits = layer(suits, relu=True)
            rows = suits.reshape(count, NUM_SUITS * self._units)
        for layer in self._trunk:
            rows = layer(rows, relu=True)
        if not self._has_card_layers:
            return self._last(rows)
        # The first card layer in two parts: the trunk's part is the same for all suits and is computed once.
        units = self._from_suit(suits) + self._from_trunk(rows).repeat(NUM_SUITS, axis=0)
        np.maximum(units, 0, out=units)
        for layer in self._cards:
            units = layer(units, relu=True)
        outputs = self._last(units)
        outputs = outputs.reshape(count, NUM_SUITS, outputs.shape[1])
        cards = outputs[:, :, :SUIT_SIZE].reshape(count, NUM_CARDS)
        others = outputs[:, :, SUIT_SIZE:]  # actions that are no cards: sums over the suits, in a fixed order
        choices = others[:, 0] + others[:, 1] + others[:, 2] + others[:, 3]
        return np.concatenate([cards, choices], axis=1)
