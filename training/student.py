"""The student: small networks that learn to play as the learner does, and play on in its teacher's rollouts.

So the teacher gets better with its learner, which is policy iteration: the learner improves on the student by one step
of looking ahead, the student takes over what it learnt (distillation, Hinton et al., arXiv 1503.02531), and the next
positions are judged by better play. What the learner says is a target without the noise of rollouts.

A second network learns where rollouts end: the student's value. It can stand for the rest of a rollout, which then
costs less and, above all, varies less with what is hidden, as the value is the mean over that (temporal differences:
Sutton, "Learning to Predict by the Methods of Temporal Differences", 1988).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np
import torch

from german_whist.agents.checkpoint import Layer
from german_whist.training.actor_critic import ACTOR_GAIN, Perceptron
from german_whist.training.distributed import Processes
from german_whist.training.optimizer import Optimizer, tensor_of_shape
from german_whist.training.playout_network import PlayoutNetwork
from german_whist.training.settings import TeacherConfig

TRICKS_AN_OUTPUT = 4.0  # which suits Adam
AVERAGE_KEEPS = 0.9998  # of itself in a step


class SmallNetwork:
    """A network with one hidden layer, its optimiser, and the moving average of its weights.

    While steps are large, weights go up and down around what is best, and their average is better than they are (Polyak
    and Juditsky, "Acceleration of Stochastic Approximation by Averaging", 1992).

    Attributes:
        network: gives outputs from an observation.
        average: the same with the averaged weights.
        steps: taken so far.
    """

    def __init__(self, called: str, config: TeacherConfig, network: Perceptron, processes: Processes) -> None:
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
        self._optimizer = Optimizer(config.optimizer, [self.network], config.learning_rate)

    def step(self, loss: torch.Tensor, positions: int, rate: float) -> None:
        """Take one step down a loss, the mean over so many positions."""
        self._optimizer.zero_grad()
        loss.backward()
        self._processes.average_gradients(self._optimizer.parameters, positions)
        self._optimizer.step(rate, self._max_grad_norm)
        self.steps += 1
        keeps = min(AVERAGE_KEEPS, self.steps / (self.steps + 10))  # so that the first weights are soon forgotten
        with torch.no_grad():
            for average, weight in zip(self._averages, self._optimizer.parameters, strict=True):
                average.lerp_(weight, 1 - keeps)

    def layers(self) -> tuple[Layer, ...]:
        """Return the layers with the averaged weights, as they act on unscaled cells."""
        return self.average.raw_layers()

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
        self._optimizer.load_state(tensors, f"{self._called}_optimizer")


class Student:
    """A policy, perhaps a value, and how they learn.

    Attributes:
        policy: what the learner says of actions, in units of four tricks, from an observation.
        value: what the student's own play leads to, in the same units; ``None`` where rollouts do not ask.
    """

    def __init__(self, config: TeacherConfig, scale: torch.Tensor, actions: int, processes: Processes) -> None:
        """Build the networks.

        Args:
            config: the settings.
            scale: what each cell is multiplied by, float32[cells].
            actions: size of the action space.
            processes: those that learn together.
        """

        def made(called: str, hidden: int, outputs: int) -> SmallNetwork:
            return SmallNetwork(called, config, Perceptron(scale, [hidden], outputs, ACTOR_GAIN), processes)

        self.policy = made("student", config.playout_hidden, actions)
        self.value = made("value", config.value_hidden, 1) if config.value_hidden else None
        self._parts = [part for part in (self.policy, self.value) if part is not None]

    def multiply_in(self, product_type: torch.dtype) -> None:
        """Take matrix products of a type."""
        for part in self._parts:
            part.network.product_type = part.average.product_type = product_type

    def learn(self, cells: torch.Tensor, legal: torch.Tensor, said: torch.Tensor, rate: float) -> None:
        """Take one step of the policy towards what the learner says.

        Args:
            cells: int8[positions, num_observations].
            legal: float32[positions, actions], 1 for legal actions.
            said: float32[positions, actions], the learner's outputs less their mean over legal actions, else 0.
            rate: the step size.
        """
        count = legal.sum(1, keepdim=True)
        loss = ((centred(self.policy.network(cells), legal, count) - said) ** 2).sum(1) / count[:, 0]
        self.policy.step(loss.mean(), len(cells), rate)

    def learn_value(self, cells: torch.Tensor, outcomes: torch.Tensor, rate: float) -> torch.Tensor:
        """Take one step of the value towards where rollouts ended, and return the squared error before it, a number.

        Args:
            cells: int8[positions, num_observations].
            outcomes: float32[positions], in tricks.
            rate: the step size.
        """
        if self.value is None:
            return torch.zeros(())
        said: torch.Tensor = self.value.network(cells)[:, 0]
        loss = ((said - outcomes / TRICKS_AN_OUTPUT) ** 2).mean()
        self.value.step(loss, len(cells), rate)
        return loss.detach().cpu()

    def layers(self) -> tuple[Layer, ...]:
        """Return the policy's layers, as they act on unscaled cells."""
        return self.policy.layers()

    def for_rollouts(self) -> tuple[PlayoutNetwork, PlayoutNetwork | None]:
        """Return policy and value as rollouts run them."""
        value = None if self.value is None else PlayoutNetwork.of(in_tricks(self.value.layers()))
        return PlayoutNetwork.of(self.layers()), value

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the learnt weights and what they are called."""
        for part in self._parts:
            yield from part.named_parameters()

    def state(self) -> dict[str, torch.Tensor]:
        """Return weights and moments, as tensors on the processor."""
        return {name: tensor for part in self._parts for name, tensor in part.state().items()}

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Go on from what :meth:`state` returned.

        Raises:
            KeyError: when something is missing.
            ValueError: when a tensor has another shape.
        """
        for part in self._parts:
            part.load_state(tensors)


def centred(outputs: torch.Tensor, legal: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """Return outputs less their mean over the legal actions, 0 for the others, float32[positions, actions]."""
    outputs = outputs * legal
    return (outputs - outputs.sum(1, keepdim=True) / count) * legal


def rescaled(layers: tuple[Layer, ...], factor: float) -> tuple[Layer, ...]:
    """Return layers with outputs that are so many times as large."""
    *hidden, (weight, bias) = layers
    return (*hidden, (weight * np.float32(factor), bias * np.float32(factor)))


def in_tricks(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """Return layers whose outputs are tricks."""
    return rescaled(layers, TRICKS_AN_OUTPUT)
