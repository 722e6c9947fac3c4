"""The networks of policy iteration and their update.

A minibatch of positions o with legal actions A(o) has the losses below. All outputs and targets are in units of
``TRICKS_PER_OUTPUT`` tricks, and x̃ is x minus its mean over A(o).

* Actor f: mean over o of 1/|A(o)| Σ_{a ∈ A(o)} (f̃(o, a) − Q̃(o, a))², with the action-value targets Q.
* Value network v: mean over o of (v(o) − G(o))², with the returns G.
* Rollout policy: as for the actor, with the outputs of the actor that played as targets; that is distillation (Hinton
  et al., arXiv 1503.02531).

The learning rate falls linearly from ``learning_rate`` to ``learning_rate_end`` over the run (``trained_network`` has
the optimizers). Distillation makes one pass over a rollout, and ten over the first one after ``init``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.network.layers import (
    LOGITS_PER_TRICK,
    Layer,
)
from german_whist.agents.policy.network.mlp import MLP, native_dtype
from german_whist.game.layout import Block
from german_whist.training.policy_iteration.config import PolicyIterationConfig
from german_whist.training.policy_iteration.trained_network import TrainedNetwork
from german_whist.training.processes import Processes

# "The endgame is played low" is one feature among hundreds, and inverts the value of every card. With `high_low`, after
# 200,000 decisions, the policy won 53 % against `random` with that feature scaled to 1, 66 % at 8 and 71 % at 24.
LOW_SCALE = 24.0
RULE_SCALE = 4.0  # likewise for the features that encode the rules

ACTOR_GAIN = 0.01  # gain of the last layers' initial weights: outputs start near 0, so play starts nearly uniform
TRICKS_PER_OUTPUT = 4.0  # tricks in one unit of a network's output in training, a range that suits the optimisers
LOGITS_PER_OUTPUT = LOGITS_PER_TRICK * TRICKS_PER_OUTPUT


def feature_scale(high: npt.NDArray[np.int8], low: Block | None, flags: Sequence[Block] = ()) -> torch.Tensor:
    """Return the factors that scale features to [0, 1], float32[features].

    Args:
        high: largest value of each feature, int8[features].
        low: the feature that says whether the endgame is played low, if any; it is scaled to [0, ``LOW_SCALE``].
        flags: features that encode the rules; they are scaled to [0, ``RULE_SCALE``].
    """
    scale = 1.0 / torch.as_tensor(np.maximum(high, 1), dtype=torch.float32)
    if low is not None:
        scale[low.start : low.stop] *= LOW_SCALE
    for flag in flags:
        scale[flag.start : flag.stop] *= RULE_SCALE
    return scale


@dataclass(frozen=True)
class Batch:
    """The positions of a rollout with their targets, on the networks' device.

    Attributes:
        features: int8[positions, features].
        masks: bool[positions, actions], legal actions.
        q_targets: float32[positions, actions], values of the legal actions, in tricks.
        logits: float32[positions, actions], of the actor that played.
        returns: float32[positions], targets of the value network, in tricks.
    """

    features: torch.Tensor
    masks: torch.Tensor
    q_targets: torch.Tensor
    logits: torch.Tensor
    returns: torch.Tensor


class Networks:
    """The networks and their update. Play and lookahead use the averaged weights as of the last :meth:`freeze`.

    The actor's outputs are advantages, up to a constant per position. The policy is the softmax of ``LOGITS_PER_TRICK``
    times these advantages in tricks, and the logits of checkpoints have the same scale. The rollout policy learns
    the actor's outputs and picks moves during lookahead.

    Attributes:
        actor: advantages of the actions of an observation.
        value: expected margin of the seat to act.
        rollout_policy: a small network that imitates the actor, or the actor itself.
        updates: number of updates so far.
    """

    def __init__(self, config: PolicyIterationConfig, scale: torch.Tensor, actions: int, processes: Processes) -> None:
        """Build the networks.

        Args:
            config: the configuration.
            scale: factor of each feature, float32[features].
            actions: size of the action space.
            processes: the processes that train together.
        """
        self.config = config
        self.processes = processes
        self.updates = 0
        self._device = torch.device(config.device)

        def build(name: str, hidden: list[int], outputs: int, suit_layers: int) -> TrainedNetwork:
            mlp = MLP(scale, hidden, outputs, ACTOR_GAIN, suit_layers)
            mlp.compute_dtype = native_dtype(self._device)
            return TrainedNetwork(name, mlp.to(self._device), config, processes)

        with torch.random.fork_rng(devices=[]):  # the caller's random numbers go on as if nobody had trained
            torch.manual_seed(config.seed)
            self.actor = build("actor", config.hidden, actions, config.suit_layers)
            self.value = build("value", config.value_hidden, 1, config.suit_layers)
            self.rollout_policy = self.actor
            if config.rollout_hidden:
                self.rollout_policy = build("rollout_policy", [config.rollout_hidden], actions, 0)
        self._parts = tuple(dict.fromkeys((self.actor, self.value, self.rollout_policy)))
        self.freeze()

    @property
    def is_distilled(self) -> bool:
        """Whether the rollout policy is a network of its own."""
        return self.rollout_policy is not self.actor

    def freeze(self) -> None:
        """Copy the current averaged weights, for play and lookahead until the next call."""
        self._frozen_actor, self._frozen_value = self.actor.frozen(), self.value.frozen()
        self._frozen_rollout_policy = self.rollout_policy.frozen() if self.is_distilled else self._frozen_actor

    def start_from(self, checkpoint: Checkpoint, name: str) -> bool:
        """Load the policy of a checkpoint, and its value network if it has hidden layers of the configured sizes.

        Returns:
            Whether the value network was loaded.

        Raises:
            ValueError: if the policy's sizes differ.
        """
        self.actor.start_from(_rescaled(checkpoint.layers, 1 / LOGITS_PER_OUTPUT), name)
        has_value = bool(checkpoint.value) and checkpoint.value_sizes[1:-1] == self.config.value_hidden
        if has_value:
            *hidden, (weight, bias) = checkpoint.value
            self.value.start_from(_rescaled((*hidden, (weight[:1], bias[:1])), 1 / TRICKS_PER_OUTPUT), name)
        self.freeze()
        return has_value

    def layers(self) -> tuple[Layer, ...]:
        """Return the policy's layers, which expect unscaled features, as a checkpoint stores them."""
        return _rescaled(self.actor.layers(), LOGITS_PER_OUTPUT)

    def rollout_policy_layers(self) -> tuple[Layer, ...]:
        """Return the rollout policy's layers in the same form."""
        return _rescaled(self.rollout_policy.layers(), LOGITS_PER_OUTPUT)

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the trained weights by name."""
        for part in self._parts:
            yield from part.named_parameters()

    def policy(self, features: torch.Tensor) -> torch.Tensor:
        """Return the policy's logits, float32[rows, actions], for observations int8[rows, features]."""
        return self._frozen_actor(features) * LOGITS_PER_OUTPUT

    def replies(self, features: torch.Tensor) -> torch.Tensor:
        """Return the rollout policy's logits, up to a constant factor, float32[rows, actions]."""
        return self._frozen_rollout_policy(features)

    def values(self, features: torch.Tensor) -> torch.Tensor:
        """Return expected margins of the seats to act, in tricks, float32[rows, 1]."""
        return self._frozen_value(features) * TRICKS_PER_OUTPUT

    def update(self, batch: Batch, progress: float) -> dict[str, float]:
        """Train all networks on a rollout and return the metrics.

        Args:
            batch: the positions and their targets.
            progress: share of the run that is done, 0 to 1, for the learning-rate schedule.
        """
        rate = self.config.learning_rate_at(max(1.0 - progress, 0.0))
        shares, value_targets = _shares(batch.masks), batch.returns / TRICKS_PER_OUTPUT
        targets = _centred(batch.q_targets / TRICKS_PER_OUTPUT, shares)
        squares = (targets**2 * shares).sum(1)
        losses: list[torch.Tensor] = []
        for rows in self.minibatches(len(targets), self.config.epochs):
            features = batch.features[rows]
            loss = _regression_loss(self.actor.network(features), targets[rows], shares[rows])
            self.actor.step(loss, len(rows), rate)
            value_loss = ((self.value.network(features)[:, 0] - value_targets[rows]) ** 2).mean()
            self.value.step(value_loss, len(rows), rate)
            losses += [loss.detach(), value_loss.detach(), squares[rows].mean()]
        if self.is_distilled:
            self.distill(batch, 1, rate)
        self.updates += 1
        totals = torch.stack(losses).view(-1, 3).sum(0) if losses else torch.zeros(3, device=self._device)
        value_spread = len(losses) // 3 * ((value_targets - value_targets.mean()) ** 2).mean()
        error, value_error, spread, value_spread = torch.stack([*totals, value_spread]).tolist()
        return {
            "charts/learning_rate": rate,
            "losses/loss": error / max(len(losses) // 3, 1),
            "losses/explained_variance": _explained(error, spread),
            "losses/value_explained_variance": _explained(value_error, value_spread),
        }

    def distill(self, batch: Batch, passes: int, rate: float) -> None:
        """Train the rollout policy on the outputs of the actor that played, with learning rate ``rate``.

        A single pass is enough in every update, as these targets are free of noise.
        """
        shares = _shares(batch.masks)
        targets = _centred(batch.logits / LOGITS_PER_OUTPUT, shares)
        for rows in self.minibatches(len(targets), passes):
            outputs = self.rollout_policy.network(batch.features[rows])
            self.rollout_policy.step(_regression_loss(outputs, targets[rows], shares[rows]), len(rows), rate)

    def minibatches(self, positions: int, epochs: int) -> Iterator[torch.Tensor]:
        """Yield the indices of the positions in each minibatch of this update, int64[at most batch_size / processes].

        All minibatches have the same size, because matrix products of a new size are slow (:class:`FrozenMLP`), and
        every process takes equally many. The few positions left out differ from pass to pass.
        """
        rng = np.random.default_rng(np.random.SeedSequence((self.config.seed, self.processes.rank, self.updates)))
        fewest = self.processes.all_min(positions)
        size = min(-(-self.config.batch_size // self.processes.size), fewest)
        for _ in range(epochs if fewest else 0):
            order = torch.from_numpy(rng.permutation(positions))
            for rows in order[: fewest // size * size].split(size):
                yield rows.to(self._device)

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything of the networks that the next update depends on, as tensors on the CPU."""
        tensors = {name: tensor for part in self._parts for name, tensor in part.state().items()}
        tensors["updates"] = torch.tensor([self.updates])
        return tensors

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state` returned."""
        for part in self._parts:
            part.load_state(tensors)
        self.freeze()
        self.updates = int(tensors["updates"])


def _rescaled(layers: tuple[Layer, ...], factor: float) -> tuple[Layer, ...]:
    """Return layers whose outputs are ``factor`` times as large."""
    *hidden, (weight, bias) = layers
    return (*hidden, (weight * np.float32(factor), bias * np.float32(factor)))


def _explained(error: float, spread: float) -> float:
    """Return the explained variance, 1 − error / spread; NaN if there is no variance to explain."""
    return 1.0 - error / spread if spread > 0 else float("nan")


def _shares(masks: torch.Tensor) -> torch.Tensor:
    """Return 1/|A(o)| for legal actions and 0 for others, float32[positions, actions]."""
    return masks / masks.sum(1, keepdim=True)


def _centred(outputs: torch.Tensor, shares: torch.Tensor) -> torch.Tensor:
    """Subtract the mean over the legal actions of each position, float32[positions, actions]."""
    return outputs - (outputs * shares).sum(1, keepdim=True)


def _regression_loss(outputs: torch.Tensor, targets: torch.Tensor, shares: torch.Tensor) -> torch.Tensor:
    """Return the mean over positions of the mean square over the legal actions of centred outputs minus ``targets``."""
    return ((_centred(outputs, shares) - targets) ** 2 * shares).sum() / len(targets)
