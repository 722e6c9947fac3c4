"""The forward pass of a multilayer perceptron, the same to the last bit on every machine and in any batch.

A matrix product of a library sums in an order that depends on the machine, its threads and the number of rows, and
where two cards are nearly alike a policy would play the one here and the other there. This sums each row by itself,
input by input. It leaves out inputs that are 0, which most cells of an observation and half of all hidden units are,
and so takes about as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.checkpoint import Checkpoint, Layer
from german_whist.envs.observation.vector import observation_layout
from german_whist.envs.utils.jit import kernel

_ZERO = np.float32(0)


class Network:
    """A multilayer perceptron with ReLU between the layers, ready to run."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        """Take the layers: weight float32[out, in] and bias float32[out] of each."""
        self._layers = [
            (np.ascontiguousarray(weight.T, np.float32), np.ascontiguousarray(bias, np.float32))
            for weight, bias in layers
        ]

    def logits(self, observations: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Return the outputs for some rows, float32[rows, outputs].

        Args:
            observations: int8 or float32[rows, cells].
        """
        widest = max(weight.shape[0] for weight, _ in self._layers)
        places, values = np.empty(widest, np.int64), np.empty(widest, np.float32)
        rows = np.ascontiguousarray(observations)
        for i, (weight, bias) in enumerate(self._layers):
            outputs = np.empty((len(rows), len(bias)), np.float32)
            _write_layer(rows, weight, bias, i + 1 < len(self._layers), places, values, outputs)
            rows = outputs
        return rows


class PhasedNetwork:
    """A checkpoint's network, or its networks, of which the stock says which one answers."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        """Take the layers over."""
        self._phases = checkpoint.phases
        self._stock = observation_layout(checkpoint.rules)["stock"].start
        self._networks = [Network(layers) for layers in checkpoint.networks]

    def logits(self, observations: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Return the outputs for some rows, float32[rows, outputs].

        Args:
            observations: int8 or float32[rows, cells].
        """
        first, *later = self._networks
        if not later:
            return first.logits(observations)
        phase = phase_of(observations[:, self._stock], self._phases)
        parts = [np.flatnonzero(phase == number) for number in range(len(self._networks))]
        made = [network.logits(observations[part]) for network, part in zip(self._networks, parts, strict=True)]
        together: npt.NDArray[np.float32] = np.empty((len(observations), made[0].shape[1]), np.float32)
        for part, outputs in zip(parts, made, strict=True):
            together[part] = outputs
        return together


def phase_of(stock: npt.NDArray[Any], phases: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return the number of the phase, from 0, int64[n], for numbers of cards left in the stock, [n]."""
    return (
        np.sum([stock <= last for last in phases], axis=0, dtype=np.int64) if phases else np.zeros(len(stock), np.int64)
    )


@kernel
def _write_layer(rows, weight, bias, rectify, places, values, outputs):
    """Write ``rows @ weight + bias``, without what is below 0 if wanted.

    Args:
        rows: int8 or float32[rows, inputs].
        weight: float32[inputs, outputs].
        bias: float32[outputs].
        rectify: whether numbers below 0 become 0.
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
        output[:] = bias
        _add_inputs(count, places, values, weight, output)
        if rectify:
            for j in range(output.shape[0]):
                output[j] = max(output[j], _ZERO)


@kernel
def _add_inputs(count, places, values, weight, output):
    """Add to outputs what some inputs make of them.

    Args:
        count: how many inputs there are.
        places: int64[count or more], which ones.
        values: float32[count or more], what they are.
        weight: float32[inputs, outputs].
        output: float32[outputs], added to.
    """
    quads = count - count % 4
    for first in range(0, quads, 4):  # four inputs at once, so that outputs are written a quarter as often
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
