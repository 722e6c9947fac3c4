"""Units of the networks' outputs: four tricks in training, which suits the optimisers; logits in checkpoints."""

from __future__ import annotations

import numpy as np

from german_whist.agents.policy.network.layers import LOGITS_PER_TRICK, Layer

TRICKS_PER_OUTPUT = 4.0
LOGITS_PER_OUTPUT = LOGITS_PER_TRICK * TRICKS_PER_OUTPUT


def in_logits(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """Return a policy's layers for a checkpoint."""
    return _rescaled(layers, LOGITS_PER_OUTPUT)


def from_logits(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """Return the layers of a checkpoint's policy for training."""
    return _rescaled(layers, 1 / LOGITS_PER_OUTPUT)


def from_values(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """Return the layers of a checkpoint's value for training: the expected margin, twice."""
    *hidden, (weight, bias) = layers
    margins = np.repeat(weight[..., :1, :], 2, axis=-2), np.repeat(bias[..., :1], 2, axis=-1)
    return _rescaled((*hidden, margins), 1 / TRICKS_PER_OUTPUT)


def _rescaled(layers: tuple[Layer, ...], factor: float) -> tuple[Layer, ...]:
    """Return layers whose outputs are ``factor`` times as large."""
    *hidden, (weight, bias) = layers
    return (*hidden, (weight * np.float32(factor), bias * np.float32(factor)))
