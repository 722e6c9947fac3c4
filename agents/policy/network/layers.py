"""The layers of a policy or value network, and how a checkpoint file holds them.

The tensors of a network are ``PREFIX.0.weight`` (out, in), ``PREFIX.0.bias`` (out,), ``PREFIX.1.weight``, …, all
float32 or all float16. Each layer is joined to the next, except with *suit layers*, whose weights the suits share
(see ``suit_layout``).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.network.suit_layout import suit_layer_shapes, suit_layer_sizes

OBSERVATION, UNIVERSAL = "observation", "universal"  # what networks see, see ``input_blocks``
INPUTS = (OBSERVATION, UNIVERSAL)
# The scale of logits that are action values: an action that loses a trick more is e**4 times less likely. Logits that
# are no action values are read on the same scale: an action e times as likely counts as a quarter of a trick better.
LOGITS_PER_TRICK = 4.0

Layer = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]


def layer_shapes(sizes: Sequence[int], suit_layers: int = 0) -> list[tuple[int, int]]:
    """Return the shapes (out, in) of the layers' weights.

    Args:
        sizes: number of inputs, then of units in each layer; the last are the outputs.
        suit_layers: number of suit layers; 0 for a plain multilayer perceptron.

    Raises:
        ValueError: when there are too few layers.
    """
    if suit_layers:
        return suit_layer_shapes(sizes, suit_layers)
    return [(stop, start) for start, stop in pairwise(sizes)]


def sizes_of(layers: Sequence[Layer], suit_layers: int = 0) -> list[int]:
    """Return the number of inputs, then of units in each layer: the inverse of :func:`layer_shapes`."""
    shapes = [(int(weight.shape[0]), int(weight.shape[1])) for weight, _ in layers]
    if suit_layers:
        return suit_layer_sizes(shapes)
    return [shapes[0][1], *(units for units, _ in shapes)]


def layer_tensors(layers: Sequence[Layer], prefix: str, *, half: bool = False) -> dict[str, npt.NDArray[Any]]:
    """Return layers as the tensors of a file.

    Args:
        layers: weight float32[out, in] and bias float32[out] of each.
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
