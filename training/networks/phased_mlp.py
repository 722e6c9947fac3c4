"""A network for each phase of the foreplay, in place of one for all of it.

The last tricks of the foreplay ask for other knowledge than the first, and a network of its own learns it sooner. The
cards left in the stock say which phase it is, as Logistello's number of discs did (Buro, "Improving heuristic
mini-max search by supervised learning", 2002).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import nn

from german_whist.agents.policy.checkpoint import Layer
from german_whist.training.networks.mlp import MLP, FrozenMLP


class PhasedMLP(nn.Module):
    """Perceptrons of the same sizes, one for each phase.

    Attributes:
        networks: the perceptrons.
        apart: whether each answers in its phase; before, the first one does in all of them.
    """

    def __init__(
        self, scale: torch.Tensor, hidden: list[int], outputs: int, gain: float, phases: Sequence[int], stock: int
    ) -> None:
        """Build the perceptrons.

        Args:
            scale: what each cell is multiplied by, float32[cells].
            hidden: sizes of the hidden layers.
            outputs: numbers that come out.
            gain: of the last layer's weights.
            phases: cards left in the stock, falling, from which on the second network answers, the third, and so on.
            stock: the cell that tells how many are left.
        """
        super().__init__()
        self.networks = nn.ModuleList(MLP(scale, hidden, outputs, gain) for _ in range(len(phases) + 1))
        self.apart = True
        self._phases = tuple(phases)
        self._stock = stock

    @property
    def perceptrons(self) -> list[MLP]:
        """The networks, by phase."""
        return [network for network in self.networks if isinstance(network, MLP)]

    @property
    def compute_dtype(self) -> torch.dtype:
        """The type of matrix products."""
        return self.perceptrons[0].compute_dtype

    @compute_dtype.setter
    def compute_dtype(self, kind: torch.dtype) -> None:
        for network in self.perceptrons:
            network.compute_dtype = kind

    def phase_of(self, cells: torch.Tensor) -> torch.Tensor:
        """Return the phase of each row, int64[rows], of cells [rows, cells]; 0 until the networks are apart."""
        phase = torch.zeros(len(cells), dtype=torch.int64, device=cells.device)
        for last in self._phases if self.apart else ():
            phase += cells[:, self._stock] <= last
        return phase

    def forward(self, cells: torch.Tensor) -> torch.Tensor:
        """Return the outputs, float32[rows, outputs].

        Args:
            cells: [rows, cells], int8 or a floating type.
        """
        outputs: torch.Tensor = by_phase(self.perceptrons, self.phase_of(cells), cells)
        return outputs

    def set_apart(self) -> None:
        """Let each network answer in its phase from now on, and know at first what the first one does."""
        first = self.networks[0].state_dict()
        for network in self.networks[1:]:
            network.load_state_dict(first)
        self.apart = True

    def raw_layers(self) -> tuple[Layer, ...]:
        """Return the layers as they act on unscaled cells, for a checkpoint."""
        made = [network.raw_layers() for network in self.perceptrons]
        if not self._phases:
            return made[0]
        numbers = range(len(made)) if self.apart else [0] * len(made)
        layers = range(len(made[0]))
        return tuple(
            (np.stack([made[number][i][0] for number in numbers]), np.stack([made[number][i][1] for number in numbers]))
            for i in layers
        )

    def load_raw_layers(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the layers of a checkpoint; those of one network alone are taken for every phase.

        Raises:
            ValueError: when their sizes, or the phases, are others.
        """
        given = len(layers[0][0]) if layers[0][0].ndim == 3 else 0
        if given not in (0, len(self.networks)):
            raise ValueError(f"init: {name!r} has {given} phases, not {len(self.networks)}: set phases")
        for phase, network in enumerate(self.perceptrons):
            own = tuple((weight[phase], bias[phase]) for weight, bias in layers) if given else layers
            network.load_raw_layers(own, name)


class FrozenPhasedMLP:
    """A phased network with its weights as they are, for many calls; see :class:`FrozenMLP`."""

    def __init__(self, network: PhasedMLP) -> None:
        """Take the weights over."""
        self._phase_of = network.phase_of
        self._networks = [FrozenMLP(part) for part in network.perceptrons]

    def __call__(self, cells: torch.Tensor) -> torch.Tensor:
        """Return the outputs on the processor, float32[rows, outputs], of cells int8[rows, cells]."""
        return by_phase(self._networks, self._phase_of(cells), cells)


def by_phase(
    networks: Sequence[Callable[[torch.Tensor], torch.Tensor]], phase: torch.Tensor, cells: torch.Tensor
) -> torch.Tensor:
    """Return what the network of each row's phase says of it.

    Args:
        networks: by phase.
        phase: int64[rows].
        cells: [rows, cells].
    """
    if not len(cells):
        return networks[0](cells)
    if bool((phase == phase[0]).all()):
        return networks[int(phase[0])](cells)
    parts = [(phase == number).nonzero().squeeze(1) for number in range(len(networks))]
    outputs = torch.cat([network(cells[part]) for network, part in zip(networks, parts, strict=True) if len(part)])
    return torch.empty_like(outputs).index_copy(0, torch.cat(parts).to(outputs.device), outputs)
