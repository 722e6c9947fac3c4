"""Learning from a teacher: regression on what every action is worth in positions of the learner's own play.

The worth of an action is that of a rollout (Tesauro and Galperin, "On-line policy improvement using Monte-Carlo
search", 1996): it is tried in the true deal, the heuristic bot or a student (``training/student.py``) plays on for both
seats, and the endgame is solved exactly (``training/teacher_kernels.py``). All actions of a position meet the same
hidden cards, so that luck cancels out of their differences, and the network, which does not see those cards, learns the
mean over all that they could be. What comes out is flat Monte Carlo with unlimited worlds, at the price of one forward
pass. Positions come from the learner's own play, as in DAgger (Ross et al., arXiv 1011.0686), so that it is taught
where it errs. With a student's value, rollouts stop after a decision or two, and it says the rest.

The network's outputs are the worth of actions, up to a constant for each position, in units of four tricks, which suits
Adam. Its policy is the softmax of the worth with ``LOGITS_A_TRICK``, and so are the logits of its checkpoints.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from german_whist.agents.checkpoint import Layer
from german_whist.training.actor_critic import ACTOR_GAIN, Perceptron, product_type
from german_whist.training.distributed import Processes
from german_whist.training.optimizer import Optimizer, tensor_of_shape
from german_whist.training.settings import TeacherConfig
from german_whist.training.student import TRICKS_AN_OUTPUT, Student, centred, rescaled

LOGITS_A_TRICK = 4.0  # a card that is a trick worse is played e**4 times less often
_LOGITS_AN_OUTPUT = LOGITS_A_TRICK * TRICKS_AN_OUTPUT


class Teacher:
    """The learner's network, its optimiser, and one update.

    Attributes:
        actor: logits from an observation.
        student: what plays on in rollouts, ``None`` where the heuristic bot always does.
        optimizer: of the actor.
        updates: updates made so far.
    """

    def __init__(
        self, config: TeacherConfig, scale: torch.Tensor, num_observations: int, actions: int, processes: Processes
    ) -> None:
        """Build the network.

        Args:
            config: the settings.
            scale: what each cell is multiplied by, float32[num_observations].
            num_observations: cells of an observation.
            actions: size of the action space.
            processes: those that learn together.
        """
        self.config = config
        self.device = torch.device(config.device)
        self.processes = processes
        self.updates = 0
        torch.manual_seed(config.seed)
        self.actor = Perceptron(scale[:num_observations], config.hidden, actions, ACTOR_GAIN)
        self.actor.to(self.device)
        self.actor.product_type = product_type(config.precision, self.device)
        self.student = Student(config, scale[:num_observations], actions, processes) if config.playout_hidden else None
        if self.student is not None:
            self.student.multiply_in(self.actor.product_type)
        self.optimizer = Optimizer(config.optimizer, [self.actor], config.learning_rate)

    def start_from(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the network from a checkpoint's layers.

        Raises:
            ValueError: when their sizes are others.
        """
        self.actor.load_raw_layers(rescaled(layers, 1 / _LOGITS_AN_OUTPUT), name)

    def layers(self) -> tuple[Layer, ...]:
        """Return the policy's layers, as they act on unscaled cells, for a checkpoint."""
        return in_logits(self.actor.raw_layers())

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the learnt weights and what they are called."""
        for name, weight in self.actor.named_parameters():
            yield f"actor.{name}", weight
        if self.student is not None:
            yield from self.student.named_parameters()

    @torch.inference_mode()
    def policy(self, cells: torch.Tensor) -> torch.Tensor:
        """Return the logits on the processor, float32[rows, actions], of cells int8[rows, num_observations]."""
        logits: torch.Tensor = self.actor(cells.to(self.device)).cpu() * _LOGITS_AN_OUTPUT
        return logits

    def update(
        self,
        cells: torch.Tensor,
        masks: torch.Tensor,
        worth: torch.Tensor,
        outcomes: torch.Tensor,
        progress: float,
    ) -> dict[str, float]:
        """Learn from positions and return the metrics.

        Args:
            cells: int8[positions, num_observations].
            masks: bool[positions, actions], legal actions.
            worth: float32[positions, actions], of legal actions.
            outcomes: float32[positions], of the rollout policy's own play.
            progress: the share of the run that is done, for the schedule.
        """
        config = self.config
        rate = config.learning_rate_end + (config.learning_rate - config.learning_rate_end) * max(1.0 - progress, 0.0)
        chosen = masks.sum(1) > 1  # nothing is learnt where there is no choice
        cells, masks, worth, outcomes = (entry[chosen].to(self.device) for entry in (cells, masks, worth, outcomes))
        parts = config.epochs * max(len(chosen) // config.batch_size, 1)  # the same number in every process
        total = spread = value_total = torch.zeros(())
        for rows in self._minibatches(len(cells), parts):
            legal = masks[rows].float()
            count = legal.sum(1, keepdim=True)
            said = centred(self.actor(cells[rows]), legal, count)
            truth = centred(worth[rows] / TRICKS_AN_OUTPUT, legal, count)
            loss = (((said - truth) ** 2).sum(1) / count[:, 0]).mean()
            total = total + loss.detach().cpu()
            self.optimizer.zero_grad()
            loss.backward()
            self.processes.average_gradients(self.optimizer.parameters, len(rows))
            self.optimizer.step(rate, config.max_grad_norm)
            spread = spread + ((truth**2).sum(1) / count[:, 0]).mean().cpu()
            if self.student is not None:
                self.student.learn(cells[rows], legal, said.detach(), rate)
                value_total = value_total + self.student.learn_value(cells[rows], outcomes[rows], rate)
        self.updates += 1
        value_spread = parts * ((outcomes - outcomes.mean()) ** 2).mean().cpu() / TRICKS_AN_OUTPUT**2
        return {
            "losses/loss": float(total) / parts,
            "losses/explained_variance": _explained(total, spread),
            "losses/value_explained_variance": _explained(value_total, value_spread if config.value_hidden else 0),
            "charts/learning_rate": rate,
        }

    def _minibatches(self, positions: int, parts: int) -> Iterator[torch.Tensor]:
        """Yield the positions of each minibatch, int64, in an order that depends on seed and update alone."""
        seed = np.random.SeedSequence([self.config.seed, self.processes.rank, self.updates])
        rng = np.random.default_rng(seed)
        for _ in range(self.config.epochs):
            order = torch.from_numpy(rng.permutation(positions))
            yield from order.to(self.device).tensor_split(parts // self.config.epochs)

    def state(self) -> dict[str, Any]:
        """Return all that the next update depends on, as tensors on the processor."""
        tensors = {f"actor.{name}": weight.detach().cpu().clone() for name, weight in self.actor.named_parameters()}
        tensors |= self.optimizer.state()
        if self.student is not None:
            tensors |= self.student.state()
        tensors["updates"] = torch.tensor([self.updates])
        return tensors

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Go on from what :meth:`state` returned.

        Raises:
            KeyError: when something is missing.
            ValueError: when a tensor has another shape.
        """
        with torch.no_grad():
            for name, weight in self.actor.named_parameters():
                weight.copy_(tensor_of_shape(tensors, f"actor.{name}", weight.shape))
        if self.student is not None:
            self.student.load_state(tensors)
        self.optimizer.load_state(tensors)
        self.updates = int(tensor_of_shape(tensors, "updates", torch.Size((1,))))


def _explained(error: torch.Tensor, spread: torch.Tensor | float) -> float:
    """Return the share of a spread that is not left as error, NaN where there is none."""
    return 1.0 - float(error / spread) if spread > 0 else float("nan")


def in_logits(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """Return layers whose outputs are worth as those with logits instead."""
    return rescaled(layers, _LOGITS_AN_OUTPUT)
