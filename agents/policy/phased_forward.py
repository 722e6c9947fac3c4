"""The forward pass of a checkpoint: that of its layers, in each phase of the foreplay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.inputs import input_layout
from german_whist.agents.policy.network.layers import Layer, networks_of
from german_whist.agents.policy.network.mlp_forward import MLPForward, Rows
from german_whist.agents.policy.network.suit_forward import SuitMLPForward


def forward_of(layers: Sequence[Layer], suit_layers: int) -> MLPForward | SuitMLPForward:
    """Return the forward pass of a network."""
    return SuitMLPForward(layers, suit_layers) if suit_layers else MLPForward(layers)


class PhasedForward:
    """A checkpoint's network or, with phases, its networks, selected by the number of cards left in the stock."""

    def __init__(self, checkpoint: Checkpoint, layers: tuple[Layer, ...] | None = None) -> None:
        """Prepare the policy's networks of a checkpoint, or those of other layers with the same inputs and phases."""
        self._phases = checkpoint.phases
        self._stock = input_layout(checkpoint.rules, checkpoint.inputs)["stock"].start
        networks = networks_of(checkpoint.layers if layers is None else layers, checkpoint.phases)
        self._networks = [forward_of(network, checkpoint.suit_layers) for network in networks]

    def logits(self, observations: npt.NDArray[Any]) -> Rows:
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
        together: Rows = np.empty((len(observations), outputs[0].shape[1]), np.float32)
        for part, rows in zip(parts, outputs, strict=True):
            together[part] = rows
        return together


def phase_of(stock: npt.NDArray[Any], phases: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return the phase, counted from 0, int64[n], for the number of cards left in the stock, [n]."""
    phase = np.zeros(len(stock), np.int64)
    for last in phases:
        phase += stock <= last
    return phase
