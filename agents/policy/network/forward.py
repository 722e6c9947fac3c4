"""Forward passes on the CPU that are bit for bit the same on every machine and in any batch size.

In a library's matrix product the order of summation depends on the machine, the number of threads and the batch size,
so rounding could decide between two nearly equal cards. Here each row is summed by itself in a fixed order of inputs.
Zero inputs (most observation features and half of the hidden units) are skipped, which makes it about as fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.network.forward_kernels import write_all_outputs
from german_whist.agents.policy.network.layers import NUM_SUITS, Layer, card_layers_of, sizes_of, suit_inputs

Rows = npt.NDArray[np.float32]

_LINE = 16  # float32 numbers in a cache line
_BLOCK = 64  # rows evaluated together: what lies between the layers of more would not fit into the cache


class PackedNetwork(NamedTuple):
    """A multilayer perceptron with ReLU, perhaps with suit layers (see ``layers``), as kernels evaluate it.

    The first card layer is two: the suits' part with the bias, and the trunk's part.

    Attributes:
        memory: all weights, float32. A layer is float32[inputs + 1, units]; the last row holds the biases. Its units
            are filled up with zeros to a multiple of 16, and it begins at a cache line: loading vectors that straddle
            two takes twice as long.
        layers: where each layer begins in ``memory``, its inputs + 1 and its units, int64[layers, 3].
        suit_layers: number of suit layers.
        card_layers: number of card layers.
        suit_inputs: indices of the features that each suit reads, int64[4, inputs]; without inputs if there are no suit
            layers.
        outputs: number of outputs.
    """

    memory: Rows
    layers: npt.NDArray[np.int64]
    suit_layers: int
    card_layers: int
    suit_inputs: npt.NDArray[np.int64]
    outputs: int

    @classmethod
    def create(cls, layers: Sequence[Layer], suit_layers: int = 0) -> PackedNetwork:
        """Pack layers: weight float32[out, in] and bias float32[out] of each, and how many are suit layers."""
        sizes = sizes_of(layers, suit_layers)
        cards = card_layers_of(suit_layers, sizes[-1])
        first_card = len(layers) - 1 - cards if cards else len(layers)
        parts: list[Layer] = []
        for number, (weight, bias) in enumerate(layers):
            if number == first_card:
                own = sizes[suit_layers]
                parts += [(weight[:, :own], bias), (weight[:, own:], np.zeros_like(bias))]
            else:
                parts.append((weight, bias))
        # Inputs that come from other layers are filled up as these are; the trunk reads four suits.
        groups = [0 if not number else NUM_SUITS if number == suit_layers else 1 for number in range(len(parts))]
        filled = [_filled(*layer, group) for layer, group in zip(parts, groups, strict=True)]
        starts = np.concatenate([[0], np.cumsum([one.size for one in filled])])
        space = np.zeros(starts[-1] + _LINE, np.float32)
        memory = space[-(space.ctypes.data // space.itemsize) % _LINE :]
        for start, one in zip(starts, filled, strict=False):
            memory[start : start + one.size] = one.ravel()
        table = np.array([(start, *one.shape) for start, one in zip(starts, filled, strict=False)], np.int64)
        columns = suit_inputs(sizes[0]) if suit_layers else np.zeros((NUM_SUITS, 0), np.int64)
        return cls(memory, table, suit_layers, cards, columns, sizes[-1])


def _filled(weight: npt.NDArray[np.float32], bias: npt.NDArray[np.float32], groups: int) -> Rows:
    """Return a layer as kernels read it; its inputs are so many groups of units that are filled up, 0 for features."""
    units, inputs = weight.shape
    columns = weight
    if groups:
        size = inputs // groups
        columns = np.zeros((units, groups, size + -size % _LINE), np.float32)
        columns[:, :, :size] = weight.reshape(units, groups, size)
        columns = columns.reshape(units, -1)
    layer = np.zeros((columns.shape[1] + 1, units + -units % _LINE), np.float32)
    layer[:-1, :units], layer[-1, :units] = columns.T, bias
    return layer


class ForwardScratch(NamedTuple):
    """Scratch memory of a forward pass, for one thread.

    Attributes:
        suits: int8[4 * rows, inputs], the features of each suit.
        indices: int64.
        kept: units that are read again later, float32; likewise ``free``, ``spare`` and ``fourth``.
    """

    suits: npt.NDArray[np.int8]
    indices: npt.NDArray[np.int64]
    kept: Rows
    free: Rows
    spare: Rows
    fourth: Rows

    @classmethod
    def create(cls, network: PackedNetwork, rows: int) -> ForwardScratch:
        """Return scratch memory for so many rows."""
        most, size = NUM_SUITS * rows if network.suit_layers else rows, int(network.layers[:, 2].max())
        buffers = (np.empty(most * size, np.float32) for _ in range(4))
        suits = np.empty((most, network.suit_inputs.shape[1]), np.int8)
        return cls(suits, np.empty(network.layers[:, 1].max(), np.int64), *buffers)


def forward(network: PackedNetwork, features: npt.NDArray[np.int8]) -> Rows:
    """Return a network's outputs, float32[rows, outputs], for features int8[rows, inputs]."""
    outputs = np.empty((len(features), network.outputs), np.float32)
    scratch = ForwardScratch.create(network, min(len(features), _BLOCK))
    write_all_outputs(network, np.ascontiguousarray(features), _BLOCK, scratch, outputs)
    return outputs
