"""The layers of a multilayer perceptron, and how a checkpoint file holds them.

The tensors of a network are ``PREFIX.0.weight`` (out, in), ``PREFIX.0.bias`` (out,), ``PREFIX.1.weight``, …, all
float32 or all float16. With *phases*, those of all phases' networks are stacked along an extra first dimension.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

OBSERVATION, UNIVERSAL = "observation", "universal"  # what networks see, see ``input_blocks``
INPUTS = (OBSERVATION, UNIVERSAL)

Layer = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]


def sizes_of(layers: Sequence[Layer]) -> list[int]:
    """Return the number of inputs, then of units in each layer."""
    return [int(layers[0][0].shape[-1]), *(int(bias.shape[-1]) for _, bias in layers)]


def networks_of(layers: tuple[Layer, ...], phases: Sequence[int]) -> list[tuple[Layer, ...]]:
    """Return the layers of each phase's network: weight float32[out, in], bias float32[out]."""
    if not phases:
        return [layers]
    return [tuple((weight[phase], bias[phase]) for weight, bias in layers) for phase in range(len(phases) + 1)]


def layer_tensors(layers: Sequence[Layer], prefix: str, *, half: bool = False) -> dict[str, npt.NDArray[Any]]:
    """Return layers as the tensors of a file.

    Args:
        layers: weight float32[…, out, in] and bias float32[…, out] of each.
        prefix: of the names.
        half: in float16.

    Raises:
        ValueError: when a weight is too large for float16.
    """
    tensors = {}
    for i, layer in enumerate(layers):
        for name, array in zip(("weight", "bias"), layer, strict=True):
            if half and float(np.abs(array).max(initial=0)) > float(np.finfo(np.float16).max):
                raise ValueError(f"{prefix} {i}: a {name} is too large for float16")
            tensors[f"{prefix}.{i}.{name}"] = np.ascontiguousarray(array, np.float16 if half else np.float32)
    return tensors
