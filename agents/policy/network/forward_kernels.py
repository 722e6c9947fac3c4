"""The forward pass: matrix products that skip zero inputs and sum in a fixed order.

An output starts from its bias. The nonzero inputs are added in fours, as ``(a * x + b * y) + (c * z + d * w)``, and the
remaining ones one by one. LLVM neither reorders nor fuses these floating-point operations, so every machine computes
the same bits.
"""

from __future__ import annotations

import numpy as np

from german_whist.game.cards import NUM_CARDS, SUIT_SIZE
from german_whist.game.utils.jit import kernel

NUM_SUITS = NUM_CARDS // SUIT_SIZE


@kernel
def write_layer(row, weights, relu, indices, outputs):
    """Write a layer's outputs for one row of inputs.

    Args:
        row: int8 or float32[inputs].
        weights: float32[inputs + 1, outputs]; the last row holds the biases.
        relu: whether negative outputs become 0.
        indices: scratch, int64[at least inputs + 1].
        outputs: float32[outputs], written.
    """
    inputs, units = row.shape[0], outputs.shape[0]
    count = 0  # nonzero inputs so far; a branch would be mispredicted too often
    for i in range(inputs):
        indices[count] = i
        count += row[i] != 0
    for unit in range(units):
        outputs[unit] = weights[inputs, unit]
    done = 0
    while done + 4 <= count:
        a, b, c, d = indices[done], indices[done + 1], indices[done + 2], indices[done + 3]
        x, y, z, w = np.float32(row[a]), np.float32(row[b]), np.float32(row[c]), np.float32(row[d])
        for unit in range(units):
            outputs[unit] += (x * weights[a, unit] + y * weights[b, unit]) + (
                z * weights[c, unit] + w * weights[d, unit]
            )
        done += 4
    for i in indices[done:count]:
        x = np.float32(row[i])
        for unit in range(units):
            outputs[unit] += x * weights[i, unit]
    if relu:
        for unit in range(units):
            outputs[unit] = max(outputs[unit], 0)


@kernel
def write_layer_rows(rows, weights, relu, indices, outputs):
    """Write a layer's outputs for each row, int8 or float32[n, inputs], to float32[n, outputs]."""
    for i in range(rows.shape[0]):
        write_layer(rows[i], weights, relu, indices, outputs[i])


@kernel
def _write_units(network, number, inputs, relu, indices, units):
    """Write a layer's outputs for each row of inputs, float32[rows, units]."""
    start, size = network.layers[number, 0], network.layers[number, 1]
    weights = network.memory[start : start + size * units.shape[1]].reshape((size, units.shape[1]))
    write_layer_rows(inputs, weights, relu, indices, units)


@kernel
def _write_suits(features, suit_inputs, out):
    """Write the inputs of each suit, one suit after the other, int8[4 * rows, inputs]."""
    suits, width = suit_inputs.shape
    for row in range(features.shape[0]):
        for suit in range(suits):
            for i in range(width):
                out[row * suits + suit, i] = features[row, suit_inputs[suit, i]]


@kernel
def write_outputs(network, features, scratch, outputs):
    """Write a network's outputs.

    Args:
        network: a ``PackedNetwork``.
        features: int8[rows, inputs].
        scratch: a ``ForwardScratch`` for at least as many rows.
        outputs: float32[rows, outputs], written.
    """
    # Kernels return no arrays, so each layer's units are laid out here in flat scratch memory.
    rows, indices, last = features.shape[0], scratch.indices, network.layers.shape[0] - 1
    kept, free, spare, fourth = scratch.kept, scratch.free, scratch.spare, scratch.fourth
    suits, cards, width = network.suit_layers, network.card_layers, network.layers[:, 2]
    if suits > 0:
        own, many = scratch.suits[: NUM_SUITS * rows], NUM_SUITS * rows
        _write_suits(features, network.suit_inputs, own)
        units = kept[: many * width[0]].reshape((many, width[0]))
        _write_units(network, 0, own, True, indices, units)
        for number in range(1, suits):
            after = free[: many * width[number]].reshape((many, width[number]))
            _write_units(network, number, units, True, indices, after)
            units, kept, free = after, free, kept
        trunk = units.reshape((rows, NUM_SUITS * units.shape[1]))
    else:
        trunk = kept[: rows * width[0]].reshape((rows, width[0]))
        _write_units(network, 0, features, last > 0, indices, trunk)
        units = trunk
    for number in range(max(suits, 1), last - (cards + 1 if cards > 0 else 0)):
        after = free[: rows * width[number]].reshape((rows, width[number]))
        _write_units(network, number, trunk, True, indices, after)
        trunk, free, spare = after, spare, free
    if cards == 0:
        if last > 0:
            after = free[: rows * width[last]].reshape((rows, width[last]))
            _write_units(network, last, trunk, False, indices, after)
            trunk = after
        for row in range(rows):
            for i in range(outputs.shape[1]):
                outputs[row, i] = trunk[row, i]
        return
    # The first card layer in two parts: the trunk's part is the same for all suits and is computed once.
    number, many = last - cards - 1, NUM_SUITS * rows
    after = fourth[: many * width[number]].reshape((many, width[number]))
    _write_units(network, number, units, False, indices, after)
    of_trunk = free[: rows * width[number]].reshape((rows, width[number]))
    _write_units(network, number + 1, trunk, False, indices, of_trunk)
    units = after
    for row in range(many):
        for i in range(units.shape[1]):
            units[row, i] = max(units[row, i] + of_trunk[row // NUM_SUITS, i], np.float32(0))
    for number in range(last - cards + 1, last + 1):
        after = free[: many * width[number]].reshape((many, width[number]))
        _write_units(network, number, units, number < last, indices, after)
        units, free, spare = after, spare, free
    for row in range(rows):
        first = NUM_SUITS * row
        for card in range(NUM_CARDS):
            outputs[row, card] = units[first + card // SUIT_SIZE, card % SUIT_SIZE]
        for i in range(NUM_CARDS, outputs.shape[1]):  # actions that are no cards: sums over the suits, in a fixed order
            at = SUIT_SIZE + i - NUM_CARDS
            outputs[row, i] = units[first, at] + units[first + 1, at] + units[first + 2, at] + units[first + 3, at]


@kernel
def write_all_outputs(network, features, block, scratch, outputs):
    """Write a network's outputs for any number of rows, a block at a time; see :func:`write_outputs`."""
    for first in range(0, features.shape[0], block):
        write_outputs(network, features[first : first + block], scratch, outputs[first : first + block])
