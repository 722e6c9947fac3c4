"""The networks of ``trainer: policy_iteration`` in training: losses, optimiser and averaged weights.

A minibatch of positions o with legal actions A(o) has the losses below. All outputs and targets are in units of
``TRICKS_PER_OUTPUT`` tricks, and x̃ is x minus its mean over A(o).

* Actor f: mean over o of 1/|A(o)| Σ_{a ∈ A(o)} (f̃(o, a) − Q̃(o, a))², with the action-value targets Q.
* Value network v: mean over o of (v(o) − G(o))², with the returns G.
* Distilled network: as for the actor, with the outputs of the actor that played as targets (Hinton et al., arXiv
  1503.02531).

Gradients are clipped to a norm of ``MAX_GRAD_NORM`` per network. The matrices W of hidden layers take the steps of Muon
(Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024), which orthogonalises the momentum, in
the scale of Liu et al. (arXiv 2502.16982) that matches the usual size of Adam's steps; biases and last layers take
Adam's (Kingma and Ba, arXiv 1412.6980). With the gradient g, μ = ``MUON_MOMENTUM`` and learning rate η, a Muon step is

    m ← μ m + (1 − μ) g;  W ← W − 0.2 η √max(rows, columns) · orthogonalized((1 − μ) g + μ m)

The learning rate falls linearly from ``learning_rate`` to ``learning_rate_end`` over the run.

While steps are large, weights oscillate around the optimum, and their exponential moving average (EMA) is better than
the weights themselves (Polyak and Juditsky, "Acceleration of stochastic approximation by averaging", 1992). After step
t, θ̄ ← α θ̄ + (1 − α) θ with α = min(exp(−n / ``ema_horizon``), t / (t + 10)), where n = ``batch_size`` / ``epochs`` is
the number of new positions in a step. Distillation, with the same α, makes one pass over a rollout, and ten over the
first one after ``init``.
``torch.optim.swa_utils.AveragedModel`` does not replace it: it copies the weights at its first update instead of
averaging, and earlier runs would not repeat bit for bit.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn
from torch.optim.adam import adam

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.network.layers import (
    LOGITS_PER_TRICK,
    Layer,
)
from german_whist.agents.policy.network.mlp import MLP, FrozenMLP, mlp_of, native_dtype
from german_whist.game.layout import Block
from german_whist.training.config import PolicyIterationConfig
from german_whist.training.processes import Processes
from german_whist.training.rollouts import Outcomes

# "The endgame is played low" is one feature among hundreds, and inverts the value of every card. With `high_low`, after
# 200,000 decisions, the policy won 53 % against `random` with that feature scaled to 1, 66 % at 8 and 71 % at 24.
LOW_SCALE = 24.0
RULE_SCALE = 4.0  # likewise for the features that encode the rules

ACTOR_GAIN = 0.01  # gain of the last layers' initial weights: outputs start near 0, so play starts nearly uniform
ADAM_EPSILON = 1e-5
MAX_GRAD_NORM = 0.5  # gradients are clipped to this norm
MUON_MOMENTUM = 0.95
# Coefficients of Jordan et al.: steep at 0, so small singular values grow fast; the price is 0.7 to 1.2 instead of 1.
NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
NEWTON_SCHULZ_STEPS = 4  # Jordan et al. take 5; runs with 3 and 5 differed within noise

RIDGE = 1e-5  # relative to the mean square of a hidden unit, summed over positions
NEWTON_STEPS = 12

_MUON = "momentum_buffer"  # the moments of a matrix that takes Muon steps

TRICKS_PER_OUTPUT = 4.0  # tricks in one unit of a network's output in training, a range that suits the optimisers
LOGITS_PER_OUTPUT = LOGITS_PER_TRICK * TRICKS_PER_OUTPUT
ROLLOUT_POLICY_HIDDEN = 192  # units of the distilled network's one hidden layer; ``small`` is such a network


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


def orthogonalized(matrices: Sequence[torch.Tensor], dtype: torch.dtype) -> list[torch.Tensor]:
    """Return for matrices with the SVDs U S Vᵀ approximately U Vᵀ, the nearest semi-orthogonal matrices.

    The quintic Newton–Schulz iteration X ← a X + (b X Xᵀ + c (X Xᵀ)²) X of Jordan et al.
    (https://kellerjordan.github.io/posts/muon/).

    Args:
        matrices: float32[rows, columns] each.
        dtype: dtype of the matrix products and of the results.
    """
    a, b, c = NEWTON_SCHULZ
    # Transposed if tall, so that X Xᵀ is the smaller of the two products.
    is_tall = [matrix.shape[0] > matrix.shape[1] for matrix in matrices]
    wide = [(matrix.T if tall else matrix).to(dtype) for matrix, tall in zip(matrices, is_tall, strict=True)]
    # The Frobenius norm bounds the spectral norm: at most 1, as needed.
    norms = torch._foreach_clamp_min(torch._foreach_norm(wide), 1e-7)
    found = list(torch._foreach_div(wide, norms))
    for _ in range(NEWTON_SCHULZ_STEPS):
        grams = [F.linear(each, each) for each in found]
        grams = [torch.addmm(gram, gram, gram, beta=b, alpha=c) for gram in grams]
        found = [torch.addmm(each, gram, each, beta=a) for each, gram in zip(found, grams, strict=True)]
    return [each.T if tall else each for each, tall in zip(found, is_tall, strict=True)]


class TrainedNetwork:
    """A network, its optimiser's moments, and the moving average of its weights.

    The matrices of hidden layers take Muon steps, with Nesterov momentum and without weight decay; all other weights
    take Adam steps. Not ``torch.optim.Muon``, because it multiplies in bfloat16 on every processor; and no
    ``torch.optim.Optimizer``, because importing that loads a compiler, unused here, for two seconds.

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
        self._matrices: list[torch.Tensor] = [layer.weight for layer in network.linear_layers()[:-1]]
        is_matrix = {id(matrix) for matrix in self._matrices}
        self._others = [weight for weight in self._weights if id(weight) not in is_matrix]
        # The RMS of Adam's updates (`match_rms_adamw` in torch.optim.Muon).
        self._muon_scales = [torch.full_like(one.detach()[0, 0], 0.2 * max(one.shape) ** 0.5) for one in self._matrices]
        self._moments = [
            {_MUON: torch.zeros_like(weight)} if id(weight) in is_matrix else _adam_moments(weight)
            for weight in self._weights
        ]
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
            self._descend(gradients, rate)
            torch._foreach_lerp_(self._averages, self._weights, 1 - decay)

    def _descend(self, gradients: Sequence[torch.Tensor], rate: float) -> None:
        """Update the weights: Muon for the matrices of hidden layers, Adam for the rest."""
        of_matrices = [gradient for gradient, moments in zip(gradients, self._moments, strict=True) if _MUON in moments]
        momenta = self._named_moment(_MUON)
        torch._foreach_lerp_(momenta, of_matrices, 1 - MUON_MOMENTUM)
        updates = torch._foreach_lerp(of_matrices, momenta, MUON_MOMENTUM)
        orthogonal = orthogonalized(updates, self.network.compute_dtype)
        torch._foreach_addcmul_(self._matrices, orthogonal, self._muon_scales, value=-rate)
        adam(
            self._others,
            [gradient for gradient, moments in zip(gradients, self._moments, strict=True) if _MUON not in moments],
            self._named_moment("exp_avg"),
            self._named_moment("exp_avg_sq"),
            [],
            self._named_moment("step"),
            fused=True,
            amsgrad=False,
            beta1=0.9,
            beta2=0.999,
            lr=rate,
            weight_decay=0.0,
            eps=ADAM_EPSILON,
            maximize=False,
        )

    def _named_moment(self, name: str) -> list[torch.Tensor]:
        return [moments[name] for moments in self._moments if name in moments]

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
        for number, moments in enumerate(self._moments):
            for name, moment in moments.items():
                yield f"{self._name}_optimizer.{number}.{name}", moment


def _adam_moments(weight: torch.Tensor) -> dict[str, torch.Tensor]:
    step = torch.zeros((), device=weight.device)
    return {"step": step, "exp_avg": torch.zeros_like(weight), "exp_avg_sq": torch.zeros_like(weight)}


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
    times these advantages in tricks, and the logits of checkpoints have the same scale. The distilled network learns
    the actor's outputs and picks moves during lookahead.

    Attributes:
        actor: advantages of the actions of an observation.
        value: expected margin of the seat to act.
        rollout_policy: a small network that imitates the actor.
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
        torch.manual_seed(config.seed)

        def build(name: str, hidden: list[int], outputs: int, suit_layers: int) -> TrainedNetwork:
            mlp = MLP(scale, hidden, outputs, ACTOR_GAIN, suit_layers)
            mlp.compute_dtype = native_dtype(self._device)
            return TrainedNetwork(name, mlp.to(self._device), config, processes)

        self.actor = build("actor", config.hidden, actions, config.suit_layers)
        self.value = build("value", config.value_hidden, 1, config.suit_layers)
        self.rollout_policy = build("distilled", [ROLLOUT_POLICY_HIDDEN], actions, 0)
        self._parts = (self.actor, self.value, self.rollout_policy)
        self.freeze()

    def freeze(self) -> None:
        """Copy the current averaged weights, for play and lookahead until the next call."""
        self._frozen_actor, self._frozen_value, self._frozen_distilled = (part.frozen() for part in self._parts)

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
        """Return the distilled network's layers in the same form."""
        return _rescaled(self.rollout_policy.layers(), LOGITS_PER_OUTPUT)

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the trained weights by name."""
        for part in self._parts:
            yield from part.named_parameters()

    def policy(self, features: torch.Tensor) -> torch.Tensor:
        """Return the policy's logits, float32[rows, actions], for observations int8[rows, features]."""
        return self._frozen_actor(features) * LOGITS_PER_OUTPUT

    def replies(self, features: torch.Tensor) -> torch.Tensor:
        """Return the distilled network's logits, up to a constant factor, float32[rows, actions]."""
        return self._frozen_distilled(features)

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
        """Train the distilled network on the outputs of the actor that played, with learning rate ``rate``.

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


def fit_value(layers: tuple[Layer, ...], suit_layers: int, outcomes: Outcomes) -> tuple[Layer, ...]:
    """Return a value network's layers with a new last layer: the margin, and the logit of the chance to win.

    During training, the value network estimates a squashed margin and bootstraps from itself, so it is not calibrated.
    Its last layer is replaced by two linear outputs on the last hidden layer h. With the final margin m of the seat to
    act and y = (1 + sign m) / 2, these minimise

    * margin: Σ (w·h − m)² + ρ |w|², by least squares;
    * chance to win: −Σ (y log σ(u·h) + (1 − y) log(1 − σ(u·h))) + ρ/2 |u|², by Newton's method (logistic regression),

    where ρ is small and relative to the size of h (Hastie, Tibshirani and Friedman, "The Elements of Statistical
    Learning", 2nd edition, 3.4.1 and 4.4.1). The policy is not touched.

    Args:
        layers: the trained value network, which expects unscaled features.
        suit_layers: number of its suit layers.
        outcomes: from :func:`rollouts.self_play_outcomes`.
    """
    features, margins = outcomes
    return (*layers[:-1], _last_layer(_hidden(layers, suit_layers, features), margins))


@torch.inference_mode()
def _hidden(layers: tuple[Layer, ...], suit_layers: int, features: npt.NDArray[np.int8]) -> torch.Tensor:
    """Return the units of the last hidden layer and a column of ones for the bias, float64[rows, units + 1]."""
    network = mlp_of(layers, suit_layers)
    hidden = network.units(torch.from_numpy(features), network.weights())
    return torch.cat([hidden, torch.ones(len(hidden), 1)], 1).double()


def _last_layer(hidden: torch.Tensor, margins: npt.NDArray[np.float64]) -> Layer:
    """Fit the last layer: float32[2, units] and bias float32[2], for the margin and the logit of the chance to win."""
    targets = torch.from_numpy(margins)
    wins = (1 + targets.sign()) / 2
    gram = hidden.T @ hidden
    ridge = RIDGE * (gram.trace() / len(gram) + 1) * torch.eye(len(gram), dtype=torch.float64)
    margin = torch.linalg.solve(gram + ridge, hidden.T @ targets)
    logit = torch.zeros_like(margin)
    for _ in range(NEWTON_STEPS):  # Newton's method, that is, iteratively reweighted least squares
        chance = torch.sigmoid(hidden @ logit)
        gradient = hidden.T @ (wins - chance) - ridge @ logit
        curvature = (hidden * (chance * (1 - chance))[:, None]).T @ hidden + ridge
        step = torch.linalg.solve(curvature, gradient)
        logit += step
        if float(step.abs().max()) < 1e-6 * (1 + float(logit.abs().max())):
            break
    outputs = torch.stack([margin, logit]).float().numpy()
    return outputs[:, :-1].copy(), outputs[:, -1].copy()
