"""A network for each stage of the foreplay, in place of one for all of it.

The last tricks of the foreplay ask for other knowledge than the first, and a network of its own learns it sooner. The
cards left in the stock say which stage it is, as Logistello's number of discs did (Buro, "Improving heuristic
mini-max search by supervised learning", 2002).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import nn

from german_whist.agents.checkpoint import Layer
from german_whist.training.actor_critic import FixedNetwork, Perceptron


class StagedNetwork(nn.Module):
    """Perceptrons of the same sizes, one for each stage.

    Attributes:
        networks: the perceptrons.
        apart: whether each answers in its stage; before, the first one does in all of them.
    """

    def __init__(
        self, scale: torch.Tensor, hidden: list[int], outputs: int, gain: float, stages: Sequence[int], stock: int
    ) -> None:
        """Build the perceptrons.

        Args:
            scale: what each cell is multiplied by, float32[cells].
            hidden: sizes of the hidden layers.
            outputs: numbers that come out.
            gain: of the last layer's weights.
            stages: cards left in the stock, falling, from which on the second network answers, the third, and so on.
            stock: the cell that tells how many are left.
        """
        super().__init__()
        self.networks = nn.ModuleList(Perceptron(scale, hidden, outputs, gain) for _ in range(len(stages) + 1))
        self.apart = True
        self._stages = tuple(stages)
        self._stock = stock

    @property
    def perceptrons(self) -> list[Perceptron]:
        """The networks, by stage."""
        return [network for network in self.networks if isinstance(network, Perceptron)]

    @property
    def product_type(self) -> torch.dtype:
        """The type of matrix products."""
        return self.perceptrons[0].product_type

    @product_type.setter
    def product_type(self, kind: torch.dtype) -> None:
        for network in self.perceptrons:
            network.product_type = kind

    def stage_of(self, cells: torch.Tensor) -> torch.Tensor:
        """Return the stage of each row, int64[rows], of cells [rows, cells]; 0 until the networks are apart."""
        stage = torch.zeros(len(cells), dtype=torch.int64, device=cells.device)
        for last in self._stages if self.apart else ():
            stage += cells[:, self._stock] <= last
        return stage

    def forward(self, cells: torch.Tensor) -> torch.Tensor:
        """Return the outputs, float32[rows, outputs].

        Args:
            cells: [rows, cells], int8 or a floating type.
        """
        outputs: torch.Tensor = by_stage(self.perceptrons, self.stage_of(cells), cells)
        return outputs

    def set_apart(self) -> None:
        """Let each network answer in its stage from now on, and know at first what the first one does."""
        first = self.networks[0].state_dict()
        for network in self.networks[1:]:
            network.load_state_dict(first)
        self.apart = True

    def raw_layers(self) -> tuple[Layer, ...]:
        """Return the layers as they act on unscaled cells, for a checkpoint."""
        made = [network.raw_layers() for network in self.perceptrons]
        if not self._stages:
            return made[0]
        numbers = range(len(made)) if self.apart else [0] * len(made)
        layers = range(len(made[0]))
        return tuple(
            (np.stack([made[number][i][0] for number in numbers]), np.stack([made[number][i][1] for number in numbers]))
            for i in layers
        )

    def load_raw_layers(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the layers of a checkpoint; those of one network alone are taken for every stage.

        Raises:
            ValueError: when their sizes, or the stages, are others.
        """
        given = len(layers[0][0]) if layers[0][0].ndim == 3 else 0
        if given not in (0, len(self.networks)):
            raise ValueError(f"init: {name!r} has {given} stages, not {len(self.networks)}: set stages")
        for stage, network in enumerate(self.perceptrons):
            own = tuple((weight[stage], bias[stage]) for weight, bias in layers) if given else layers
            network.load_raw_layers(own, name)


class FixedStages:
    """A staged network with its weights as they are, for many calls; see :class:`FixedNetwork`."""

    def __init__(self, network: StagedNetwork) -> None:
        """Take the weights over."""
        self._stage_of = network.stage_of
        self._networks = [FixedNetwork(part) for part in network.perceptrons]

    def __call__(self, cells: torch.Tensor) -> torch.Tensor:
        """Return the outputs on the processor, float32[rows, outputs], of cells int8[rows, cells]."""
        return by_stage(self._networks, self._stage_of(cells), cells)


def by_stage(
    networks: Sequence[Callable[[torch.Tensor], torch.Tensor]], stage: torch.Tensor, cells: torch.Tensor
) -> torch.Tensor:
    """Return what the network of each row's stage says of it.

    Args:
        networks: by stage.
        stage: int64[rows].
        cells: [rows, cells].
    """
    if not len(cells):
        return networks[0](cells)
    if bool((stage == stage[0]).all()):
        return networks[int(stage[0])](cells)
    parts = [(stage == number).nonzero().squeeze(1) for number in range(len(networks))]
    outputs = torch.cat([network(cells[part]) for network, part in zip(networks, parts, strict=True) if len(part)])
    return torch.empty_like(outputs).index_copy(0, torch.cat(parts).to(outputs.device), outputs)
