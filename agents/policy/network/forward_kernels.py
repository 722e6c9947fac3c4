"""One layer of the forward pass: a matrix product that skips zero inputs and sums in a fixed order.

An output starts from its bias. The nonzero inputs are added in fours, as ``(a * x + b * y) + (c * z + d * w)``, and the
remaining ones one by one. LLVM neither reorders nor fuses these floating-point operations, so every machine computes
the same bits.
"""

from __future__ import annotations

import numpy as np

from german_whist.game.utils.jit import kernel


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
