"""The student: a small network that learns to play as the learner does, and plays on in its teacher's rollouts.

So the teacher gets better with its learner, which is policy iteration: the learner improves on the student by one step
of looking ahead, the student takes over what it learnt (distillation, Hinton et al., arXiv 1503.02531), and the next
positions are judged by better play. What the learner says is a target without the noise of rollouts.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import nn

from german_whist.agents.checkpoint import Layer
from german_whist.training.actor_critic import ACTOR_GAIN, Perceptron
from german_whist.training.adam import ADAM_EPSILON, load_moments, moments_of, tensor_of_shape
from german_whist.training.distributed import Processes
from german_whist.training.playout_network import PlayoutNetwork
from german_whist.training.settings import TeacherConfig

_OPTIMIZER = "student_optimizer"


class Student:
    """A network with one hidden layer, its optimiser, and one step.

    Attributes:
        network: what the learner says of actions, from an observation.
    """

    def __init__(self, config: TeacherConfig, scale: torch.Tensor, actions: int, processes: Processes) -> None:
        """Build the network.

        Args:
            config: the settings.
            scale: what each cell is multiplied by, float32[num_observations].
            actions: size of the action space.
            processes: those that learn together.
        """
        self.network = Perceptron(scale, [config.playout_hidden], actions, ACTOR_GAIN)
        self.network.to(config.device)
        self._max_grad_norm = config.max_grad_norm
        self._processes = processes
        self._parameters = list(self.network.parameters())
        self._optimizer = torch.optim.Adam(self._parameters, lr=config.learning_rate, eps=ADAM_EPSILON, fused=True)

    def learn(self, cells: torch.Tensor, legal: torch.Tensor, said: torch.Tensor, rate: float) -> None:
        """Take one step towards what the learner says.

        Args:
            cells: int8[positions, num_observations].
            legal: float32[positions, actions], 1 for legal actions.
            said: float32[positions, actions], the learner's outputs less their mean over legal actions, else 0.
            rate: Adam's step size.
        """
        self._optimizer.param_groups[0]["lr"] = rate
        count = legal.sum(1, keepdim=True)
        loss = ((centred(self.network(cells), legal, count) - said) ** 2).sum(1) / count[:, 0]
        self._optimizer.zero_grad()
        loss.mean().backward()
        self._processes.average_gradients(self._parameters, len(cells))
        nn.utils.clip_grad_norm_(self._parameters, self._max_grad_norm)
        self._optimizer.step()

    def layers(self) -> tuple[Layer, ...]:
        """Return the layers, as they act on unscaled cells."""
        return self.network.raw_layers()

    def for_rollouts(self) -> PlayoutNetwork:
        """Return the network as rollouts run it."""
        return PlayoutNetwork.of(self.layers())

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the learnt weights and what they are called."""
        for name, weight in self.network.named_parameters():
            yield f"student.{name}", weight

    def state(self) -> dict[str, torch.Tensor]:
        """Return weights and moments, as tensors on the processor."""
        weights = {name: weight.detach().cpu().clone() for name, weight in self.named_parameters()}
        return weights | moments_of(self._optimizer, _OPTIMIZER)

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Go on from what :meth:`state` returned.

        Raises:
            KeyError: when something is missing.
            ValueError: when a tensor has another shape.
        """
        with torch.no_grad():
            for name, weight in self.named_parameters():
                weight.copy_(tensor_of_shape(tensors, name, weight.shape))
        load_moments(self._optimizer, self._parameters, tensors, _OPTIMIZER)


def centred(outputs: torch.Tensor, legal: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """Return outputs less their mean over the legal actions, 0 for the others, float32[positions, actions]."""
    outputs = outputs * legal
    return (outputs - outputs.sum(1, keepdim=True) / count) * legal
