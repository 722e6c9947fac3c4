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

from german_whist.agents.policy.network.forward_kernels import write_layer
from german_whist.agents.policy.network.layers import NUM_SUITS, Layer, card_layers_of, sizes_of, suit_inputs
from german_whist.agents.policy.network.vector_code import NARROW
from german_whist.envs.engine.cards import NUM_CARDS, SUIT_SIZE

Rows = npt.NDArray[np.float32]

BLOCK = 32  # rows evaluated together


def aligned(numbers: npt.NDArray[Any]) -> Rows:
    """Return numbers as float32, aligned to a cache line: loading vectors that straddle two takes twice as long."""
    memory = np.empty(len(numbers) + NARROW, np.float32)
    start = -(memory.ctypes.data // memory.itemsize) % NARROW
    memory[start : start + len(numbers)] = numbers
    return memory[start : start + len(numbers)]


def padded(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return numbers, [outputs] or [inputs, outputs], with zeros added until outputs are a multiple of ``NARROW``."""
    return np.pad(numbers, [(0, 0)] * (numbers.ndim - 1) + [(0, -numbers.shape[-1] % NARROW)])


def row_scratch(inputs: int) -> tuple[npt.NDArray[np.uint32], Rows, npt.NDArray[np.int64]]:
    """Return the scratch arrays of ``write_layer`` for ``BLOCK`` rows of up to ``inputs`` entries."""
    return np.empty((BLOCK, inputs + 8), np.uint32), np.empty((BLOCK, inputs), np.float32), np.empty(BLOCK, np.int64)


class LayerForward:
    """One layer."""

    def __init__(self, weight: npt.NDArray[np.float32], bias: npt.NDArray[np.float32] | None = None) -> None:
        """Prepare weight float32[out, in] and bias float32[out]; without a bias it is 0."""
        self._units, self._inputs = weight.shape
        biases = padded(np.zeros(len(weight)) if bias is None else bias)
        self._weights = aligned(np.concatenate([padded(weight.T).ravel(), biases]))

    def __call__(self, rows: npt.NDArray[Any], *, relu: bool = False) -> Rows:
        """Return the outputs, float32[rows, out].

        Args:
            rows: int8 or float32[rows, in].
            relu: whether negative outputs become 0.
        """
        width = len(self._weights) // (self._inputs + 1)
        outputs = np.empty((len(rows), width), np.float32)
        bias, scratch = self._inputs * width, row_scratch(self._inputs)
        write_layer(np.ascontiguousarray(rows), self._weights, 0, bias, relu, *scratch, outputs)
        return np.ascontiguousarray(outputs[:, : self._units])


class MLPForward:
    """A multilayer perceptron with ReLU between its layers."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        """Prepare the layers: weight float32[out, in] and bias float32[out] of each."""
        *self._hidden, self._last = [LayerForward(*layer) for layer in layers]

    def logits(self, observations: npt.NDArray[Any]) -> Rows:
        """Return the outputs, float32[rows, outputs].

        Args:
            observations: int8 or float32[rows, features].
        """
        rows = observations
        for layer in self._hidden:
            rows = layer(rows, relu=True)
        return self._last(rows)


_ZERO = np.float32(0)


def forward_of(layers: Sequence[Layer], suit_layers: int) -> Forward:
    """Return the forward pass of a network with that many suit layers; 0 for a plain multilayer perceptron."""
    return SuitMLPForward(layers, suit_layers) if suit_layers else MLPForward(layers)


class SuitMLPForward:
    """A multilayer perceptron with suit layers (see ``layers``)."""

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
        # The first card layer in two parts: the trunk's part is the same for all suits and is computed once.
        units = np.maximum(self._from_suit(suits) + self._from_trunk(rows).repeat(NUM_SUITS, axis=0), _ZERO)
        for layer in self._cards:
            units = layer(units, relu=True)
        outputs = self._last(units)
        outputs = outputs.reshape(count, NUM_SUITS, outputs.shape[1])
        cards = outputs[:, :, :SUIT_SIZE].reshape(count, NUM_CARDS)
        others = outputs[:, :, SUIT_SIZE:]  # actions that are no cards: sums over the suits, in a fixed order
        choices = others[:, 0] + others[:, 1] + others[:, 2] + others[:, 3]
        return np.concatenate([cards, choices], axis=1)


Forward = MLPForward | SuitMLPForward
