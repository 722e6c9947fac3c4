"""A network in training: its optimizers and the moving average of its weights.

Gradients are clipped to a norm of ``MAX_GRAD_NORM``. The matrices of hidden layers take steps of ``muon``; biases and
last layers take Adam's (Kingma and Ba, arXiv 1412.6980).

While steps are large, weights oscillate around the optimum, and their exponential moving average (EMA) is better than
the weights themselves (Polyak and Juditsky, "Acceleration of stochastic approximation by averaging", 1992). After step
t, θ̄ ← α θ̄ + (1 − α) θ with α = min(exp(−n / ``ema_horizon``), t / (t + 10)), where n = ``batch_size`` / ``epochs`` is
the number of new positions in a step. ``torch.optim.swa_utils.AveragedModel`` does not replace it: it copies the
weights at its first update instead of averaging, and earlier runs would not repeat bit for bit.
"""

from __future__ import annotations

import copy
import math
import operator
from collections.abc import Iterator
from itertools import compress

import torch
from torch import nn

from german_whist.agents.policy.network.layers import Layer
from german_whist.agents.policy.network.mlp import MLP, FrozenMLP
from german_whist.game.utils.private_parts import foreach, step_adam
from german_whist.training.policy_iteration.config import PolicyIterationConfig
from german_whist.training.policy_iteration.muon import Muon
from german_whist.training.processes import Processes

ADAM_EPSILON = 1e-5
MAX_GRAD_NORM = 0.5  # gradients are clipped to this norm


class TrainedNetwork:
    """A network, its optimizers' moments, and the moving average of its weights.

    Attributes:
        network: the network in training.
        average: a copy with the averaged weights.
        steps: gradient steps taken so far.
    """

    def __init__(self, name: str, network: MLP, config: PolicyIterationConfig, processes: Processes) -> None:
        """Wrap a network.

        Args:
            name: prefix of its tensors' names in snapshots.
            network: the network, on its device, freshly initialised.
            config: the settings of the optimiser and the moving average.
            processes: the processes that train together.
        """
        self.network = network
        self.average = copy.deepcopy(self.network)
        self.steps = 0
        self._name = name
        self._processes = processes
        self._weights: list[torch.Tensor] = list(network.parameters())
        self._averages: list[torch.Tensor] = list(self.average.parameters())
        matrices: list[torch.Tensor] = [layer.weight for layer in network.linear_layers()[:-1]]
        self._is_matrix = [any(weight is matrix for matrix in matrices) for weight in self._weights]
        self._muon = Muon(matrices, network.compute_dtype)
        self._others = list(compress(self._weights, map(operator.not_, self._is_matrix)))
        self._adam_steps = [torch.zeros((), device=weight.device) for weight in self._others]
        self._exp_avgs, self._exp_avg_sqs = ([torch.zeros_like(weight) for weight in self._others] for _ in range(2))
        fresh = config.batch_size / config.epochs  # new positions per step; later epochs add none
        self._decay = math.exp(-fresh / config.ema_horizon) if config.ema_horizon else 0.0

    def step(self, loss: torch.Tensor, positions: int, rate: float) -> None:
        """Take a gradient step with learning rate ``rate`` on a loss that is a mean over ``positions`` positions."""
        gradients = torch.autograd.grad(loss, self._weights)
        for weight, gradient in zip(self._weights, gradients, strict=True):
            weight.grad = gradient
        self._processes.average_gradients(self._weights, positions)
        nn.utils.clip_grad_norm_(self._weights, MAX_GRAD_NORM)
        self.steps += 1
        # A shorter horizon at first, so that the initial weights fade quickly.
        decay = min(self._decay, self.steps / (self.steps + 10))
        with torch.inference_mode():
            self._muon.step(list(compress(gradients, self._is_matrix)), rate)
            step_adam(
                self._others,
                list(compress(gradients, map(operator.not_, self._is_matrix))),
                (self._exp_avgs, self._exp_avg_sqs),
                self._adam_steps,
                rate=rate,
                epsilon=ADAM_EPSILON,
            )
            foreach("lerp_")(self._averages, self._weights, 1 - decay)

    def frozen(self) -> FrozenMLP:
        """Return a copy of the network with the current averaged weights."""
        return FrozenMLP(self.average)

    def layers(self) -> tuple[Layer, ...]:
        """Return the layers with the averaged weights, which expect unscaled features."""
        return self.average.raw_layers()

    def start_from(self, layers: tuple[Layer, ...], name: str) -> None:
        """Load a checkpoint's layers into the network and its average.

        Raises:
            ValueError: if their sizes differ.
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
        """Return weights and moments by name, as tensors on the CPU."""
        tensors = {name: weight.detach().cpu().clone() for name, weight in self._named_weights()}
        tensors[f"{self._name}.steps"] = torch.tensor([self.steps])
        tensors |= {name: moment.cpu().clone() for name, moment in self._named_moments()}
        return tensors

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state` returned."""
        with torch.no_grad():
            for name, weight in self._named_weights():
                weight.copy_(tensors[name])
            for name, moment in self._named_moments():
                moment.copy_(tensors[name])
        self.steps = int(tensors[f"{self._name}.steps"])

    def _named_moments(self) -> Iterator[tuple[str, torch.Tensor]]:
        for number, momentum in enumerate(self._muon.momenta):
            yield f"{self._name}_muon.{number}", momentum
        for number, moments in enumerate(zip(self._adam_steps, self._exp_avgs, self._exp_avg_sqs, strict=True)):
            for name, moment in zip(("step", "exp_avg", "exp_avg_sq"), moments, strict=True):
                yield f"{self._name}_adam.{number}.{name}", moment
