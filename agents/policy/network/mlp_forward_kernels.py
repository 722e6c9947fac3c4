"""One layer of the forward pass: a matrix product with a fixed order of summation that skips zero inputs."""

from __future__ import annotations

import numpy as np

from german_whist.envs.utils.jit import kernel

_ZERO = np.float32(0)


@kernel
def write_layer(rows, weight, bias, rectify, places, values, outputs):
    """Write ``rows @ weight + bias``, optionally rectified (ReLU).

    Args:
        rows: int8 or float32[rows, inputs].
        weight: float32[inputs, outputs].
        bias: float32[outputs].
        rectify: whether negative outputs become 0.
        places: scratch, int64[inputs].
        values: scratch, float32[inputs].
        outputs: float32[rows, outputs], written.
    """
    for i in range(rows.shape[0]):
        count = 0
        for place in range(rows.shape[1]):
            if rows[i, place] != 0:
                places[count] = place
                values[count] = rows[i, place]
                count += 1
        output = outputs[i]
        for j in range(output.shape[0]):  # output[:] = bias compiles 47 functions more, for its error message
            output[j] = bias[j]
        add_inputs(count, places, values, weight, output)
        if rectify:
            for j in range(output.shape[0]):
                output[j] = max(output[j], _ZERO)


@kernel
def add_inputs(count, places, values, weight, output):
    """Add the contribution of the nonzero inputs to one row of outputs.

    Args:
        count: number of nonzero inputs.
        places: int64[count or more], their indices.
        values: float32[count or more], their values.
        weight: float32[inputs, outputs].
        output: float32[outputs], added to.
    """
    quads = count - count % 4
    for first in range(0, quads, 4):  # four inputs at a time: outputs are written a quarter as often
        a, b, c, d = values[first], values[first + 1], values[first + 2], values[first + 3]
        of_a, of_b = weight[places[first]], weight[places[first + 1]]
        of_c, of_d = weight[places[first + 2]], weight[places[first + 3]]
        for j in range(output.shape[0]):
            output[j] += (a * of_a[j] + b * of_b[j]) + (c * of_c[j] + d * of_d[j])
    for rest in range(quads, count):
        a = values[rest]
        of_a = weight[places[rest]]
        for j in range(output.shape[0]):
            output[j] += a * of_a[j]
