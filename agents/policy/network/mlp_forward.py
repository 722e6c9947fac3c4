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

Rows = npt.NDArray[np.float32]


class LayerForward:
    """One layer."""

    def __init__(self, weight: npt.NDArray[np.float32], bias: npt.NDArray[np.float32] | None = None) -> None:
        """Prepare weight float32[out, in] and bias float32[out]; no bias stands for zeros."""
        self._weight = np.ascontiguousarray(weight.T, np.float32)
        self._bias = np.ascontiguousarray(np.zeros(len(weight)) if bias is None else bias, np.float32)

    def __call__(self, rows: npt.NDArray[Any], *, relu: bool = False) -> Rows:
        """Return the outputs, float32[rows, out], rectified on request.

        Args:
            rows: int8 or float32[rows, in].
            relu: whether negative outputs become 0.
        """
        inputs, units = self._weight.shape
        outputs = np.empty((len(rows), units), np.float32)
        scratch = np.empty(inputs, np.int64), np.empty(inputs, np.float32)
        write_layer(np.ascontiguousarray(rows), self._weight, self._bias, relu, *scratch, outputs)
        return outputs


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
