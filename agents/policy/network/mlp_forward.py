"""Forward passes, bit for bit the same on every machine and in any batch size.

The order of summation in a library's matrix product depends on the machine, the number of threads and the batch size,
and rounding could then decide between two nearly equal cards. Here each row is summed separately, input by input. Zero
inputs (most observation features and half of the hidden units) are skipped, so it is about as fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.network.layers import Layer
from german_whist.agents.policy.network.mlp_forward_kernels import write_layer
from german_whist.agents.policy.network.vector_code import NARROW

Rows = npt.NDArray[np.float32]

BLOCK = 32  # rows taken together


def aligned(numbers: npt.NDArray[Any]) -> Rows:
    """Return numbers as float32 from the start of a cache line on: vectors that straddle two take twice as long."""
    memory = np.empty(len(numbers) + NARROW, np.float32)
    start = -(memory.ctypes.data // memory.itemsize) % NARROW
    memory[start : start + len(numbers)] = numbers
    return memory[start : start + len(numbers)]


def padded(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return numbers, [outputs] or [inputs, outputs], with zeros up to a number of outputs that kernels write."""
    return np.pad(numbers, [(0, 0)] * (numbers.ndim - 1) + [(0, -numbers.shape[-1] % NARROW)])


def row_scratch(inputs: int) -> tuple[npt.NDArray[np.uint32], Rows, npt.NDArray[np.int64]]:
    """Return scratch memory for ``write_layer`` to take ``BLOCK`` rows together."""
    return np.empty((BLOCK, inputs + 8), np.uint32), np.empty((BLOCK, inputs), np.float32), np.empty(BLOCK, np.int64)


class LayerForward:
    """One layer."""

    def __init__(self, weight: npt.NDArray[np.float32], bias: npt.NDArray[np.float32] | None = None) -> None:
        """Prepare weight float32[out, in] and bias float32[out]; no bias stands for zeros."""
        self._units, self._inputs = weight.shape
        biases = padded(np.zeros(len(weight)) if bias is None else bias)
        self._weights = aligned(np.concatenate([padded(weight.T).ravel(), biases]))

    def __call__(self, rows: npt.NDArray[Any], *, relu: bool = False) -> Rows:
        """Return the outputs, float32[rows, out], rectified on request.

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
