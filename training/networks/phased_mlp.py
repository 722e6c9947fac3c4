"""One network per phase of the foreplay instead of one for all of it.

Late tricks of the foreplay are played differently from early ones, and a separate network learns them sooner. The
number of cards left in the stock selects the phase, as the number of discs did in Logistello (Buro, "Improving
heuristic mini-max search by supervised learning", 2002).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import nn

from german_whist.agents.policy.network.layers import Layer
from german_whist.training.networks.mlp import MLP, FrozenMLP
from german_whist.training.networks.suit_mlp import new_mlp


class PhasedMLP(nn.Module):
    """MLPs of the same sizes, one for each phase.

    Attributes:
        networks: the MLPs, by phase.
        separate: whether each phase uses its own network; until then, all use the first.
    """

    def __init__(
        self,
        scale: torch.Tensor,
        hidden: list[int],
        outputs: int,
        gain: float,
        phases: Sequence[int],
        stock: int,
        suit_layers: int = 0,
    ) -> None:
        """Build the networks.

        Args:
            scale: factor of each feature, float32[features].
            hidden: sizes of the hidden layers.
            outputs: number of outputs.
            gain: gain of the last layer's initial weights.
            phases: decreasing stock sizes from which the second network is used, the third, and so on.
            stock: index of the feature that holds the stock size.
            suit_layers: number of layers that the suits share, see :class:`SuitMLP`; 0 for plain MLPs.

        Raises:
            ValueError: when there are too few layers for that.
        """
        super().__init__()
        self.networks = nn.ModuleList(
            new_mlp(scale, hidden, outputs, gain, suit_layers) for _ in range(len(phases) + 1)
        )
        self.separate = True
        self._phases = tuple(phases)
        self._stock = stock

    @property
    def mlps(self) -> list[MLP]:
        """The networks, by phase, with their type."""
        return [network for network in self.networks if isinstance(network, MLP)]

    @property
    def compute_dtype(self) -> torch.dtype:
        """The type of matrix products."""
        return self.mlps[0].compute_dtype

    @compute_dtype.setter
    def compute_dtype(self, dtype: torch.dtype) -> None:
        for network in self.mlps:
            network.compute_dtype = dtype

    def phase_of(self, features: torch.Tensor) -> torch.Tensor:
        """Return the phase of each row, int64[rows], for features [rows, features]; 0 until the networks separate."""
        phase = torch.zeros(len(features), dtype=torch.int64, device=features.device)
        for last in self._phases if self.separate else ():
            phase += features[:, self._stock] <= last
        return phase

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the outputs, float32[rows, outputs].

        Args:
            features: [rows, features], int8 or a floating type.
        """
        outputs: torch.Tensor = by_phase(self.mlps, self.phase_of(features), features)
        return outputs

    def separate_phases(self) -> None:
        """Use a network per phase from now on, each starting as a copy of the first."""
        first = self.networks[0].state_dict()
        for network in self.networks[1:]:
            network.load_state_dict(first)
        self.separate = True

    def raw_layers(self) -> tuple[Layer, ...]:
        """Return the layers for unscaled features, as a checkpoint stores them."""
        per_network = [network.raw_layers() for network in self.mlps]
        if not self._phases:
            return per_network[0]
        numbers = range(len(per_network)) if self.separate else [0] * len(per_network)
        layers = range(len(per_network[0]))
        return tuple(
            (
                np.stack([per_network[number][i][0] for number in numbers]),
                np.stack([per_network[number][i][1] for number in numbers]),
            )
            for i in layers
        )

    def load_raw_layers(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the layers of a checkpoint; a single network is copied to every phase.

        Raises:
            ValueError: when sizes or phases differ.
        """
        given = len(layers[0][0]) if layers[0][0].ndim == 3 else 0
        if given not in (0, len(self.networks)):
            raise ValueError(f"init: {name!r} has {given} phases, not {len(self.networks)}: set phases")
        for phase, network in enumerate(self.mlps):
            own = tuple((weight[phase], bias[phase]) for weight, bias in layers) if given else layers
            network.load_raw_layers(own, name)


class FrozenPhasedMLP:
    """A copy of a phased network with its current weights; see :class:`FrozenMLP`."""

    def __init__(self, network: PhasedMLP) -> None:
        """Copy the weights."""
        self._phase_of = network.phase_of
        self._networks = [FrozenMLP(part) for part in network.mlps]

    def __call__(self, features: torch.Tensor) -> torch.Tensor:
        """Return the outputs on the CPU, float32[rows, outputs], for features int8[rows, features]."""
        return by_phase(self._networks, self._phase_of(features), features)


def by_phase(
    networks: Sequence[Callable[[torch.Tensor], torch.Tensor]], phase: torch.Tensor, features: torch.Tensor
) -> torch.Tensor:
    """Return the outputs of the network of each row's phase.

    Args:
        networks: by phase.
        phase: int64[rows].
        features: [rows, features].
    """
    if not len(features):
        return networks[0](features)
    if bool((phase == phase[0]).all()):
        return networks[int(phase[0])](features)
    parts = [(phase == number).nonzero().squeeze(1) for number in range(len(networks))]
    outputs = torch.cat([network(features[part]) for network, part in zip(networks, parts, strict=True) if len(part)])
    return torch.empty_like(outputs).index_copy(0, torch.cat(parts).to(outputs.device), outputs)
