"""Approximate policy iteration: regression on the value of every action in positions of the learner's own play.

Each action is tried in the true deal (``lookahead_kernels.py``). All actions of a position meet the same hidden cards,
so luck cancels out of their differences, and the network, which does not see those cards, learns the mean over all that
they could be.

At first, targets come from rollouts of the heuristic bot with exact endgames (Tesauro and Galperin, "On-line policy
improvement using Monte-Carlo search", 1996). From ``value_start`` on, they bootstrap from the learner's own *value*
network at the seat's next decision. The value is the mean over what is still hidden there, so it varies much less; it
learns from the returns of the learner's play. Better play thus gives better targets, which is policy iteration, and all
targets are for positions of the learner's own play, so they correct its own errors (DAgger: Ross et al., arXiv
1011.0686). A run that starts from a network needs no rollouts: until ``value_start``, its policy stays as it is, and
its value network learns from its own bootstrapped returns.

Each *phase* of the foreplay may have its own networks (``training/networks/phased_mlp.py``).

The actor's outputs are advantages, correct up to a constant per position (in the units of ``output_units.py``). The
policy is their softmax, with ``LOGITS_PER_TRICK``, and so are the logits of its checkpoints. The *distilled* network is
a small one that learns the actor's outputs (Hinton et al., arXiv 1503.02531). For a best response, a *model of the
opponents* may play on in lookaheads (``opponent_model.py``).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from german_whist.agents.policy.input_blocks import UNIVERSAL_LAYOUT
from german_whist.agents.policy.network.layers import Layer
from german_whist.training.config.schema import PolicyIterationConfig
from german_whist.training.config.settings import DISTILLED, INIT, OPPONENT
from german_whist.training.networks.ema import EMANetwork
from german_whist.training.networks.mlp import ACTOR_GAIN, compute_dtype
from german_whist.training.networks.phased_mlp import FrozenPhasedMLP, PhasedMLP
from german_whist.training.policy_iteration.minibatches import minibatches
from german_whist.training.policy_iteration.opponent_model import OpponentActions, learn_actions
from german_whist.training.policy_iteration.output_units import (
    LOGITS_PER_OUTPUT,
    TRICKS_PER_OUTPUT,
    from_logits,
    from_values,
    in_logits,
)
from german_whist.training.run.distributed import Processes
from german_whist.training.run.resume_file import tensor_of_shape


@dataclass(frozen=True)
class ActionValueBatch:
    """Positions with action-value targets.

    Attributes:
        features: int8[positions, num_observations].
        masks: bool[positions, actions], legal actions.
        q_targets: float32[positions, actions], for legal actions, in tricks.
        logits: float32[positions, actions], of the policy that played.
        returns: float32[positions], in tricks.
        against_heuristic: int8[positions], 1 where the opponent is the heuristic bot.
        played: the opponents' decisions; ``None`` if they are not learnt.
    """

    features: torch.Tensor
    masks: torch.Tensor
    q_targets: torch.Tensor
    logits: torch.Tensor
    returns: torch.Tensor
    against_heuristic: torch.Tensor
    played: OpponentActions | None = None


class PolicyIteration:
    """The networks and their update. Play and evaluation use the averaged weights of the last :meth:`freeze`.

    Attributes:
        actor: advantages of the actions, from an observation.
        value: expected margin for the seat to act, against itself and against the heuristic bot.
        distilled: the small network; ``None`` without ``distill_hidden``.
        opponent_model: plays the opponents' actions; ``None`` unless it plays on in lookaheads.
        updates: number of updates so far.
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
            config: the configuration, of which the slice ``optimizer`` is kept.
            scale: factor of each feature, float32[num_observations].
            num_observations: features of an observation.
            actions: size of the action space.
            processes: the processes that train together.
        """
        network, settings = config.network, config.policy_iteration
        self.optimizer = config.optimizer
        self.decisions = config.run.decisions
        self.seed = config.run.seed
        self.device = torch.device(config.run.device)
        self.processes = processes
        self.updates = 0
        torch.manual_seed(self.seed)

        stock = UNIVERSAL_LAYOUT["stock"].start  # in observations, too

        def build(
            name: str, hidden: list[int], outputs: int, phases: list[int], suit_layers: int = network.suit_layers
        ) -> EMANetwork:
            mlp = PhasedMLP(scale[:num_observations], hidden, outputs, ACTOR_GAIN, phases, stock, suit_layers)
            mlp.separate = network.phases_start == 0
            mlp.compute_dtype = compute_dtype(network.precision, self.device)
            return EMANetwork(name, mlp.to(self.device), config.optimizer, processes)

        self.phases = network.phases
        self.actor = build("actor", network.hidden, actions, network.phases)
        self.value = build("value", settings.value_hidden, 2, network.phases)
        self.distilled = (
            build("distilled", [settings.distill_hidden], actions, [], 0) if settings.distill_hidden else None
        )
        self._distilled_plays_on = settings.lookahead_policy == DISTILLED
        self._initial: PhasedMLP | None = None
        if settings.lookahead_policy == INIT:
            self._initial = copy.deepcopy(self.actor.network)
            self._initial.separate = True
        self.opponent_model: EMANetwork | None = None
        if settings.lookahead_policy == OPPONENT:
            self.opponent_model = build("opponent", network.hidden, actions, network.phases)
        networks = (self.actor, self.value, self.distilled, self.opponent_model)
        self._parts = [part for part in networks if part is not None]
        self.freeze()

    def separate_phases(self) -> None:
        """Train a network per phase from now on, each starting as a copy of the shared one, unless they do already."""
        for part in self._parts:
            if not part.network.separate:
                part.separate_phases()

    def freeze(self) -> None:
        """Copy the current averaged weights; they play and evaluate from now on."""
        self._frozen_actor, self._frozen_value = self.actor.frozen(), self.value.frozen()
        self._frozen_lookahead = self._frozen_actor
        if self._distilled_plays_on and self.distilled is not None:
            self._frozen_lookahead = self.distilled.frozen()
        if self._initial is not None:
            self._frozen_lookahead = FrozenPhasedMLP(self._initial)
        if self.opponent_model is not None:
            self._frozen_lookahead = self.opponent_model.frozen()

    def start_from(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the network from a checkpoint's layers.

        Raises:
            ValueError: when sizes or phases differ.
        """
        if layers[0][0].ndim > 2:
            self.separate_phases()
        outputs = from_logits(layers)
        self.actor.start_from(outputs, name)
        if self._initial is not None:
            self._initial.load_raw_layers(outputs, name)
        if self.opponent_model is not None:
            self.opponent_model.start_from(outputs, name)
        self.freeze()

    def start_value_from(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the value network from a checkpoint's, whose first output is the expected margin.

        Raises:
            ValueError: when sizes or phases differ.
        """
        self.value.start_from(from_values(layers), name)
        self.freeze()

    def layers(self) -> tuple[Layer, ...]:
        """Return the policy's layers for unscaled features, as a checkpoint stores them."""
        return in_logits(self.actor.layers())

    def distilled_layers(self) -> tuple[Layer, ...] | None:
        """Return the distilled network's layers likewise; ``None`` without one."""
        return None if self.distilled is None else in_logits(self.distilled.layers())

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the trained weights by name."""
        for part in self._parts:
            yield from part.named_parameters()

    def policy(self, features: torch.Tensor) -> torch.Tensor:
        """Return the logits on the CPU, float32[rows, actions], for observations int8[rows, num_observations]."""
        return self._frozen_actor(features) * LOGITS_PER_OUTPUT

    def lookahead_policy(self, features: torch.Tensor) -> torch.Tensor:
        """Return the same of the network that plays on in lookaheads, up to a factor."""
        return self._frozen_lookahead(features)

    def values(self, features: torch.Tensor) -> torch.Tensor:
        """Return expected margins of the seats to act, in tricks, against the learner and the bot, float32[rows, 2]."""
        return self._frozen_value(features) * TRICKS_PER_OUTPUT

    def update(self, batch: ActionValueBatch, progress: float, *, value_only: bool = False) -> dict[str, float]:
        """Learn from positions and return the metrics.

        Args:
            batch: the positions.
            progress: share of the run that is done, for the schedule.
            value_only: train all but the policy.
        """
        rate = self._learning_rate(progress)
        features, masks = batch.features.to(self.device), batch.masks.to(self.device)
        q_targets, returns = batch.q_targets.to(self.device), batch.returns.to(self.device)
        against_heuristic = batch.against_heuristic.to(self.device)
        total = spread = value_total = torch.zeros(())
        steps = 0
        for rows in self._minibatches(self.actor.network.phase_of(features), self.optimizer.epochs):
            legal = masks[rows].float()
            count = legal.sum(1, keepdim=True)
            advantages = _centred(self.actor.network(features[rows]), legal, count)
            targets = _centred(q_targets[rows] / TRICKS_PER_OUTPUT, legal, count)
            loss = _mean_square(advantages - targets, count)
            if not value_only:
                self.actor.step(loss, len(rows), rate)
            values = self.value.network(features[rows]).gather(1, against_heuristic[rows].long()[:, None])[:, 0]
            value_loss = ((values - returns[rows] / TRICKS_PER_OUTPUT) ** 2).mean()
            self.value.step(value_loss, len(rows), rate)
            total = total + loss.detach().cpu()
            spread = spread + _mean_square(targets, count).cpu()
            value_total = value_total + value_loss.detach().cpu()
            steps += 1
        if self.distilled is not None:
            self._distill(self.distilled, features, masks, batch.logits.to(self.device) / LOGITS_PER_OUTPUT, rate)
        if self.opponent_model is not None and batch.played is not None:
            self._learn_opponents(self.opponent_model, batch.played, rate)
        self.updates += 1
        value_spread = steps * ((returns - returns.mean()) ** 2).mean().cpu() / TRICKS_PER_OUTPUT**2
        return {
            "losses/loss": float(total) / max(steps, 1),
            "losses/explained_variance": _explained(total, spread),
            "losses/value_explained_variance": _explained(value_total, value_spread),
            "charts/learning_rate": rate,
        }

    def _learning_rate(self, progress: float) -> float:
        left = max(1.0 - progress, 0.0)
        # A short linear fall to zero at the end lets the weights settle (Hägele et al., arXiv 2405.18392).
        cooldown = min(left * self.decisions / max(self.optimizer.lr_cooldown, 1), 1.0)
        return self.optimizer.learning_rate_at(left) * cooldown

    def _distill(
        self,
        distilled: EMANetwork,
        features: torch.Tensor,
        masks: torch.Tensor,
        actor_outputs: torch.Tensor,
        rate: float,
    ) -> None:
        """Train the distilled network on the actor's outputs; in one pass, as these have no noise."""
        one_phase = torch.zeros(len(features), dtype=torch.int64)
        for rows in self._minibatches(one_phase, 1):
            legal = masks[rows].float()
            count = legal.sum(1, keepdim=True)
            targets = _centred(actor_outputs[rows], legal, count)
            outputs = _centred(distilled.network(features[rows]), legal, count)
            distilled.step(_mean_square(outputs - targets, count), len(rows), rate)

    def _learn_opponents(self, model: EMANetwork, played: OpponentActions, rate: float) -> None:
        on_device = OpponentActions(*(tensor.to(self.device) for tensor in vars(played).values()))
        batches = self._minibatches(model.network.phase_of(on_device.features), self.optimizer.epochs)
        learn_actions(model, on_device, batches, rate)

    def _minibatches(self, phase: torch.Tensor, epochs: int) -> Iterator[torch.Tensor]:
        """Yield the positions of each minibatch of this update, int64, from the phase of each position, int64."""
        seed = (self.seed, self.processes.rank, self.updates)
        phases, size = len(self.phases) + 1, self.optimizer.batch_size
        for rows in minibatches(phase, phases, size, epochs, seed, self.processes):
            yield rows.to(self.device)

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that the next update depends on, as tensors on the CPU."""
        tensors = {name: tensor for part in self._parts for name, tensor in part.state().items()}
        tensors["updates"] = torch.tensor([self.updates])
        if self._initial is not None:
            tensors |= {f"initial.{name}": weight.detach().cpu() for name, weight in self._initial.named_parameters()}
        return tensors

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state` returned.

        Raises:
            KeyError: when something is missing.
            ValueError: when a tensor has another shape.
        """
        for part in self._parts:
            part.load_state(tensors)
        if self._initial is not None:
            with torch.no_grad():
                for name, weight in self._initial.named_parameters():
                    weight.copy_(tensor_of_shape(tensors, f"initial.{name}", weight.shape))
        self.freeze()
        self.updates = int(tensor_of_shape(tensors, "updates", torch.Size((1,))))


def _explained(error: torch.Tensor, spread: torch.Tensor | float) -> float:
    """Return the explained share of a variance; NaN where there is none."""
    return 1.0 - float(error / spread) if spread > 0 else float("nan")


def _centred(outputs: torch.Tensor, legal: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """Return outputs minus their mean over the legal actions, 0 for the others, float32[positions, actions]."""
    outputs = outputs * legal
    return (outputs - outputs.sum(1, keepdim=True) / count) * legal


def _mean_square(differences: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """Return the mean over positions of the mean square over legal actions, a scalar."""
    return ((differences**2).sum(1) / count[:, 0]).mean()
