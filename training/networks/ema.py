"""A network in training and the exponential moving average (EMA) of its weights, which plays and evaluates positions.

While steps are large, weights oscillate around the optimum, and their average is better than they are (Polyak and
Juditsky, "Acceleration of Stochastic Approximation by Averaging", 1992). ``torch.optim.swa_utils.AveragedModel`` does
not replace it: it copies the weights at its first update instead of averaging, and earlier runs would not repeat bit
for bit.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator

import torch

from german_whist.agents.policy.network.layers import Layer
from german_whist.training.config.settings import AveragingOptimizerSettings
from german_whist.training.networks.optimizer import Optimizer
from german_whist.training.networks.phased_mlp import FrozenPhasedMLP, PhasedMLP
from german_whist.training.run.distributed import Processes
from german_whist.training.run.resume_file import tensor_of_shape


class EMANetwork:
    """A network, its optimiser, and the moving average of its weights.

    Attributes:
        network: the network in training.
        average: a copy with the averaged weights.
        steps: gradient steps taken so far.
    """

    def __init__(
        self, name: str, network: PhasedMLP, settings: AveragingOptimizerSettings, processes: Processes
    ) -> None:
        """Wrap a network.

        Args:
            name: prefix of the names of its tensors in snapshots.
            network: the network, on its device, freshly initialised.
            settings: settings of the steps and the average.
            processes: the processes that train together.
        """
        self.network = network
        self.average = copy.deepcopy(self.network)
        self.steps = 0
        self._name = name
        self._processes = processes
        self._averages = list(self.average.parameters())
        self._optimizer = Optimizer(settings, self.network.mlps)
        fresh = settings.batch_size * processes.size / settings.epochs  # new positions per step
        self._decay = math.exp(-fresh / settings.ema_horizon) if settings.ema_horizon else 0.0

    def step(self, loss: torch.Tensor, positions: int, rate: float) -> None:
        """Take a gradient step of size ``rate`` on a loss that is a mean over ``positions`` positions."""
        self._optimizer.zero_grad()
        loss.backward()
        self._processes.average_gradients(self._optimizer.parameters, positions)
        self._optimizer.step(rate)
        self.steps += 1
        decay = min(self._decay, self.steps / (self.steps + 10))  # the initial weights fade quickly
        with torch.no_grad():
            for average, weight in zip(self._averages, self._optimizer.parameters, strict=True):
                average.lerp_(weight, 1 - decay)

    def separate_phases(self) -> None:
        """Train a network per phase from now on, each starting as a copy of the first."""
        for network in (self.network, self.average):
            network.separate_phases()

    def frozen(self) -> FrozenPhasedMLP:
        """Return a copy of the network with the current averaged weights."""
        return FrozenPhasedMLP(self.average)

    def layers(self) -> tuple[Layer, ...]:
        """Return the layers with the averaged weights, for unscaled features."""
        return self.average.raw_layers()

    def start_from(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the network from a checkpoint's layers.

        Raises:
            ValueError: when their sizes differ.
        """
        for network in (self.network, self.average):
            network.load_raw_layers(layers, name)

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the trained weights by name."""
        for name, weight in self.network.named_parameters():
            yield f"{self._name}.{name}", weight

    def _named_weights(self) -> Iterator[tuple[str, torch.Tensor]]:
        yield from self.named_parameters()
        for name, weight in self.average.named_parameters():
            yield f"{self._name}_average.{name}", weight

    def state(self) -> dict[str, torch.Tensor]:
        """Return weights and moments, as tensors on the CPU."""
        weights = {name: weight.detach().cpu().clone() for name, weight in self._named_weights()}
        weights[f"{self._name}.steps"] = torch.tensor([self.steps])
        weights[f"{self._name}.separate"] = torch.tensor([int(self.network.separate)])
        return weights | self._optimizer.state(f"{self._name}_optimizer")

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state` returned.

        Raises:
            KeyError: when something is missing.
            ValueError: when a tensor has another shape.
        """
        with torch.no_grad():
            for name, weight in self._named_weights():
                weight.copy_(tensor_of_shape(tensors, name, weight.shape))
        self.steps = int(tensor_of_shape(tensors, f"{self._name}.steps", torch.Size((1,))))
        separate = bool(tensor_of_shape(tensors, f"{self._name}.separate", torch.Size((1,))))
        self.network.separate = self.average.separate = separate
        self._optimizer.load_state(tensors, f"{self._name}_optimizer")
