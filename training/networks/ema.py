"""A network that learns, and the moving average of its weights, which is what acts and judges.

While steps are large, weights go up and down around what is best, and their average is better than they are (Polyak and
Juditsky, "Acceleration of Stochastic Approximation by Averaging", 1992).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator

import torch

from german_whist.agents.policy.checkpoint import Layer
from german_whist.training.config.schema import PolicyIterationConfig
from german_whist.training.networks.optimizer import Optimizer, tensor_of_shape
from german_whist.training.networks.phased_mlp import FrozenPhasedMLP, PhasedMLP
from german_whist.training.run.distributed import Processes


class EMANetwork:
    """A network, its optimiser, and its average.

    Attributes:
        network: gives outputs from an observation; this one learns.
        average: the same with the averaged weights.
        steps: taken so far.
    """

    def __init__(self, called: str, config: PolicyIterationConfig, network: PhasedMLP, processes: Processes) -> None:
        """Take the network.

        Args:
            called: its name in snapshots.
            config: the settings.
            network: in its first state.
            processes: those that learn together.
        """
        self.network = network.to(config.device)
        self.average = copy.deepcopy(self.network)
        self.steps = 0
        self._called = called
        self._max_grad_norm = config.max_grad_norm
        self._processes = processes
        self._averages = list(self.average.parameters())
        self._optimizer = Optimizer(config.optimizer, self.network.perceptrons, config.learning_rate)
        fresh = config.batch_size * processes.size / config.epochs  # positions that a step has and the last had not
        self._keeps = math.exp(-fresh / config.ema_horizon) if config.ema_horizon else 0.0

    def step(self, loss: torch.Tensor, positions: int, rate: float) -> None:
        """Take one step down a loss, the mean over so many positions."""
        self._optimizer.zero_grad()
        loss.backward()
        self._processes.average_gradients(self._optimizer.parameters, positions)
        self._optimizer.step(rate, self._max_grad_norm)
        self.steps += 1
        keeps = min(self._keeps, self.steps / (self.steps + 10))  # so that the first weights are soon forgotten
        with torch.no_grad():
            for average, weight in zip(self._averages, self._optimizer.parameters, strict=True):
                average.lerp_(weight, 1 - keeps)

    def set_apart(self) -> None:
        """Let a network learn in each phase from now on, from what the first one knows."""
        for network in (self.network, self.average):
            network.set_apart()

    def fixed(self) -> FrozenPhasedMLP:
        """Return the network with the averaged weights as they are now."""
        return FrozenPhasedMLP(self.average)

    def layers(self) -> tuple[Layer, ...]:
        """Return the layers with the averaged weights, as they act on unscaled cells."""
        return self.average.raw_layers()

    def start_from(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the network from a checkpoint's layers.

        Raises:
            ValueError: when their sizes are others.
        """
        for network in (self.network, self.average):
            network.load_raw_layers(layers, name)

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the learnt weights and what they are called."""
        for name, weight in self.network.named_parameters():
            yield f"{self._called}.{name}", weight

    def _named_weights(self) -> Iterator[tuple[str, torch.Tensor]]:
        yield from self.named_parameters()
        for name, weight in self.average.named_parameters():
            yield f"{self._called}_average.{name}", weight

    def state(self) -> dict[str, torch.Tensor]:
        """Return weights and moments, as tensors on the processor."""
        weights = {name: weight.detach().cpu().clone() for name, weight in self._named_weights()}
        weights[f"{self._called}.steps"] = torch.tensor([self.steps])
        weights[f"{self._called}.apart"] = torch.tensor([int(self.network.apart)])
        return weights | self._optimizer.state(f"{self._called}_optimizer")

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Go on from what :meth:`state` returned.

        Raises:
            KeyError: when something is missing.
            ValueError: when a tensor has another shape.
        """
        with torch.no_grad():
            for name, weight in self._named_weights():
                weight.copy_(tensor_of_shape(tensors, name, weight.shape))
        self.steps = int(tensor_of_shape(tensors, f"{self._called}.steps", torch.Size((1,))))
        apart = bool(tensor_of_shape(tensors, f"{self._called}.apart", torch.Size((1,))))
        self.network.apart = self.average.apart = apart
        self._optimizer.load_state(tensors, f"{self._called}_optimizer")
