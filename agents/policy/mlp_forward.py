"""Forward pass of a multilayer perceptron, bit for bit the same on every machine and in any batch size.

The order of summation in a library's matrix product depends on the machine, the number of threads and the batch size,
and rounding could then decide between two nearly equal cards. This one sums each row separately, input by input. It
skips zero inputs (most observation features and half of the hidden units), so it is about as fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.inputs import input_layout
from german_whist.agents.policy.layers import Layer, networks_of
from german_whist.agents.policy.mlp_forward_kernels import write_layer


class MLPForward:
    """A multilayer perceptron with ReLU between its layers."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        """Prepare the layers: weight float32[out, in] and bias float32[out] of each."""
        self._layers = [
            (np.ascontiguousarray(weight.T, np.float32), np.ascontiguousarray(bias, np.float32))
            for weight, bias in layers
        ]

    def logits(self, observations: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Return the outputs, float32[rows, outputs].

        Args:
            observations: int8 or float32[rows, features].
        """
        widest = max(weight.shape[0] for weight, _ in self._layers)
        places, values = np.empty(widest, np.int64), np.empty(widest, np.float32)
        rows = np.ascontiguousarray(observations)
        for i, (weight, bias) in enumerate(self._layers):
            outputs = np.empty((len(rows), len(bias)), np.float32)
            write_layer(rows, weight, bias, i + 1 < len(self._layers), places, values, outputs)
            rows = outputs
        return rows


class PhasedMLPForward:
    """A checkpoint's network or, with phases, its networks, selected by the number of cards left in the stock."""

    def __init__(self, checkpoint: Checkpoint, layers: tuple[Layer, ...] | None = None) -> None:
        """Prepare the policy's networks of a checkpoint, or those of other layers with the same inputs and phases."""
        self._phases = checkpoint.phases
        self._stock = input_layout(checkpoint.rules, checkpoint.inputs)["stock"].start
        networks = networks_of(checkpoint.layers if layers is None else layers, checkpoint.phases)
        self._networks = [MLPForward(network) for network in networks]

    def logits(self, observations: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Return the outputs, float32[rows, outputs].

        Args:
            observations: int8 or float32[rows, features].
        """
        first, *later = self._networks
        if not later:
            return first.logits(observations)
        phase = phase_of(observations[:, self._stock], self._phases)
        parts = [np.flatnonzero(phase == number) for number in range(len(self._networks))]
        outputs = [network.logits(observations[part]) for network, part in zip(self._networks, parts, strict=True)]
        together: npt.NDArray[np.float32] = np.empty((len(observations), outputs[0].shape[1]), np.float32)
        for part, rows in zip(parts, outputs, strict=True):
            together[part] = rows
        return together


def phase_of(stock: npt.NDArray[Any], phases: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return the phase, counted from 0, int64[n], for the number of cards left in the stock, [n]."""
    phase = np.zeros(len(stock), np.int64)
    for last in phases:
        phase += stock <= last
    return phase
