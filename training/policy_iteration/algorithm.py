"""Learning from a teacher: regression on what every action is worth in positions of the learner's own play.

Each action is tried in the true deal (``training/policy_iteration/lookahead_kernels.py``). All actions of a position meet the same hidden
cards, so that luck cancels out of their differences, and the network, which does not see those cards, learns the mean
over all that they could be.

What an action is worth is first what rollouts of the heuristic bot lead to, with the endgame solved exactly (Tesauro
and Galperin, "On-line policy improvement using Monte-Carlo search", 1996), and from ``value_start`` on what the
learner's own *value* says at the seat's next decision, which is the mean over what is still hidden there and so varies
much less. The value learns what the learner's play leads to. So the teacher gets better with its learner, which is
policy iteration, and as all is learnt in positions of the learner's own play, it is taught where it errs (DAgger: Ross
et al., arXiv 1011.0686).

Each *phase* of the foreplay may have networks of its own (``training/networks/phased_mlp.py``).

The outputs of all networks are in units of four tricks, which suits optimisers; the actor's are worth up to a constant
for each position. Its policy is the softmax of the worth with ``LOGITS_A_TRICK``, and so are the logits of its
checkpoints. The *student* is a small network that learns to say what the learner says (distillation: Hinton et al.,
arXiv 1503.02531).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from german_whist.agents.policy.checkpoint import Layer
from german_whist.envs.observation.vector import observation_layout
from german_whist.training.config.schema import PolicyIterationConfig
from german_whist.training.networks.ema import EMANetwork
from german_whist.training.networks.mlp import ACTOR_GAIN, compute_dtype
from german_whist.training.networks.optimizer import tensor_of_shape
from german_whist.training.networks.phased_mlp import PhasedMLP
from german_whist.training.run.distributed import Processes

TRICKS_AN_OUTPUT = 4.0
LOGITS_A_TRICK = 4.0  # a card that is a trick worse is played e**4 times less often
_LOGITS_AN_OUTPUT = LOGITS_A_TRICK * TRICKS_AN_OUTPUT


class PolicyIteration:
    """The networks and one update. All act and judge by the average of their weights as it was last fixed.

    Attributes:
        actor: what actions are worth, from an observation.
        value: what the seat to act may expect against itself, and against the heuristic bot.
        student: ``None`` where there is none.
        updates: updates made so far.
    """

    def __init__(
        self,
        config: PolicyIterationConfig,
        scale: torch.Tensor,
        num_observations: int,
        actions: int,
        processes: Processes,
    ) -> None:
        """Build the networks.

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

        stock = observation_layout(config.rules)["stock"].start

        def made(called: str, hidden: list[int], outputs: int, phases: list[int]) -> EMANetwork:
            network = PhasedMLP(scale[:num_observations], hidden, outputs, ACTOR_GAIN, phases, stock)
            network.apart = config.phases_start == 0
            network.compute_dtype = compute_dtype(config.precision, self.device)
            return EMANetwork(called, config, network, processes)

        self.actor = made("actor", config.hidden, actions, config.phases)
        self.value = made("value", config.value_hidden, 2, config.phases)
        self.student = made("student", [config.distill_hidden], actions, []) if config.distill_hidden else None
        self._parts = [part for part in (self.actor, self.value, self.student) if part is not None]
        self.fix()

    def set_apart(self) -> None:
        """Let a network learn in each phase from now on, from what one for all has learnt; nothing, if they do."""
        for part in self._parts:
            if not part.network.apart:
                part.set_apart()

    def fix(self) -> None:
        """Act and judge from now on by the weights as they are now."""
        self._acting, self._judging = self.actor.fixed(), self.value.fixed()

    def start_from(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the network from a checkpoint's layers.

        Raises:
            ValueError: when their sizes, or the phases, are others.
        """
        if layers[0][0].ndim > 2:
            self.set_apart()
        self.actor.start_from(_rescaled(layers, 1 / _LOGITS_AN_OUTPUT), name)
        self.fix()

    def layers(self) -> tuple[Layer, ...]:
        """Return the policy's layers, as they act on unscaled cells, for a checkpoint."""
        return _in_logits(self.actor.layers())

    def student_layers(self) -> tuple[Layer, ...] | None:
        """Return the student's, likewise."""
        return None if self.student is None else _in_logits(self.student.layers())

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the learnt weights and what they are called."""
        for part in self._parts:
            yield from part.named_parameters()

    def policy(self, cells: torch.Tensor) -> torch.Tensor:
        """Return the logits on the processor, float32[rows, actions], of cells int8[rows, num_observations]."""
        return self._acting(cells) * _LOGITS_AN_OUTPUT

    def expected(self, cells: torch.Tensor) -> torch.Tensor:
        """Return what seats to act may expect, in tricks, against the learner and the bot, float32[rows, 2]."""
        return self._judging(cells) * TRICKS_AN_OUTPUT

    def update(
        self,
        progress: float,
        cells: torch.Tensor,
        masks: torch.Tensor,
        worth: torch.Tensor,
        returns: torch.Tensor,
        against_bot: torch.Tensor,
        *,
        warming_up: bool = False,
    ) -> dict[str, float]:
        """Learn from positions and return the metrics.

        Args:
            progress: the share of the run that is done, for the schedule.
            cells: int8[positions, num_observations].
            masks: bool[positions, actions], legal actions.
            worth: float32[positions, actions], of legal actions, in tricks.
            returns: float32[positions], in tricks.
            against_bot: int8[positions], 1 where the opponent is the heuristic bot.
            warming_up: teach the value, and the student, alone.
        """
        config = self.config
        left = max(1.0 - progress, 0.0)
        rate = config.learning_rate_end + (config.learning_rate - config.learning_rate_end) * left
        # What a run has learnt settles in a short fall at its end (Hägele et al., arXiv 2405.18392).
        rate *= min(left * config.decisions / max(config.lr_cooldown, 1), 1.0)
        entries = (cells, masks, worth, returns, against_bot)
        cells, masks, worth, returns, against_bot = (entry.to(self.device) for entry in entries)
        total = spread = value_total = torch.zeros(())
        steps = 0
        for rows in self._minibatches(self.actor.network.phase_of(cells), config.epochs):
            legal = masks[rows].float()
            count = legal.sum(1, keepdim=True)
            said = _centred(self.actor.network(cells[rows]), legal, count)
            truth = _centred(worth[rows] / TRICKS_AN_OUTPUT, legal, count)
            loss = _mean_square(said - truth, count)
            if not warming_up:
                self.actor.step(loss, len(rows), rate)
            outcome = self.value.network(cells[rows]).gather(1, against_bot[rows].long()[:, None])[:, 0]
            value_loss = ((outcome - returns[rows] / TRICKS_AN_OUTPUT) ** 2).mean()
            self.value.step(value_loss, len(rows), rate)
            total = total + loss.detach().cpu()
            spread = spread + _mean_square(truth, count).cpu()
            value_total = value_total + value_loss.detach().cpu()
            steps += 1
        if self.student is not None:
            self._teach_student(self.student, cells, masks, rate)
        self.updates += 1
        value_spread = steps * ((returns - returns.mean()) ** 2).mean().cpu() / TRICKS_AN_OUTPUT**2
        return {
            "losses/loss": float(total) / max(steps, 1),
            "losses/explained_variance": _explained(total, spread),
            "losses/value_explained_variance": _explained(value_total, value_spread),
            "charts/learning_rate": rate,
        }

    def _teach_student(self, student: EMANetwork, cells: torch.Tensor, masks: torch.Tensor, rate: float) -> None:
        """Let the student learn what the policy says; once, as that is without noise."""
        everywhere = torch.zeros(len(cells), dtype=torch.int64)
        for rows in self._minibatches(everywhere, 1):
            legal = masks[rows].float()
            count = legal.sum(1, keepdim=True)
            said = _centred(self._acting(cells[rows]).to(self.device), legal, count)
            repeated = _centred(student.network(cells[rows]), legal, count)
            student.step(_mean_square(repeated - said, count), len(rows), rate)

    def _minibatches(self, phase: torch.Tensor, epochs: int) -> Iterator[torch.Tensor]:
        """Yield the positions of each minibatch, int64, as seed and update alone say.

        Each is of one phase, and the phases take turns. All are of one size, since products of a new size are slow
        (``actor_critic.FrozenMLP``); those few that are left over are others in each pass.

        Args:
            phase: int64[positions].
            epochs: passes.
        """
        seed = np.random.SeedSequence([self.config.seed, self.processes.rank, self.updates])
        rng = np.random.default_rng(seed)
        phases = phase.cpu()
        numbers = range(len(self.config.phases) + 1)
        fewest = [self.processes.fewest(int((phases == number).sum())) for number in numbers]
        for _ in range(epochs):
            order = torch.from_numpy(rng.permutation(len(phases)))
            batches: list[tuple[float, torch.Tensor]] = []
            for number, positions in enumerate(fewest):  # all processes take as many steps, in the same order
                if positions:
                    size = min(self.config.batch_size, positions)
                    parts = positions // size
                    rows = order[phases[order] == number][: parts * size]
                    batches += [((i + 0.5) / parts, part) for i, part in enumerate(rows.split(size))]
            for _, rows in sorted(batches, key=lambda batch: batch[0]):
                yield rows.to(self.device)

    def state(self) -> dict[str, Any]:
        """Return all that the next update depends on, as tensors on the processor."""
        tensors = {name: tensor for part in self._parts for name, tensor in part.state().items()}
        tensors["updates"] = torch.tensor([self.updates])
        return tensors

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Go on from what :meth:`state` returned.

        Raises:
            KeyError: when something is missing.
            ValueError: when a tensor has another shape.
        """
        for part in self._parts:
            part.load_state(tensors)
        self.fix()
        self.updates = int(tensor_of_shape(tensors, "updates", torch.Size((1,))))


def _explained(error: torch.Tensor, spread: torch.Tensor | float) -> float:
    """Return the share of a spread that is not left as error, NaN where there is none."""
    return 1.0 - float(error / spread) if spread > 0 else float("nan")


def _centred(outputs: torch.Tensor, legal: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """Return outputs less their mean over the legal actions, 0 for the others, float32[positions, actions]."""
    outputs = outputs * legal
    return (outputs - outputs.sum(1, keepdim=True) / count) * legal


def _mean_square(differences: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """Return the mean over positions of the mean square over legal actions, a number."""
    return ((differences**2).sum(1) / count[:, 0]).mean()


def _rescaled(layers: tuple[Layer, ...], factor: float) -> tuple[Layer, ...]:
    """Return layers with outputs that are so many times as large."""
    *hidden, (weight, bias) = layers
    return (*hidden, (weight * np.float32(factor), bias * np.float32(factor)))


def _in_logits(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """Return layers whose outputs are worth as those with logits instead."""
    return _rescaled(layers, _LOGITS_AN_OUTPUT)
