"""The networks in training: multilayer perceptrons over int8 features, their optimiser, and averages of weights.

The suits may share the first and last layers of a network; see ``agents/policy/network/layers.py``.

Muon orthogonalises the steps of the hidden layers' matrices (Jordan et al., "Muon: an optimizer for hidden layers in
neural networks", 2024) and scales them to the usual size of Adam's (Liu et al., "Muon is scalable for LLM training",
arXiv 2502.16982); biases and last layers are Adam's (Kingma and Ba, arXiv 1412.6980).

While steps are large, weights oscillate around the optimum, and their exponential moving average (EMA) is better than
they are (Polyak and Juditsky, "Acceleration of Stochastic Approximation by Averaging", 1992).
``torch.optim.swa_utils.AveragedModel`` does not replace it: it copies the weights at its first update instead of
averaging, and earlier runs would not repeat bit for bit.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn
from torch.optim.adam import adam

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.network.layers import (
    LOGITS_PER_TRICK,
    NUM_SUITS,
    Layer,
    card_layers_of,
    layer_shapes,
    suit_inputs,
)
from german_whist.envs.engine.cards import SUIT_SIZE
from german_whist.envs.engine.layout import Block
from german_whist.training.config import PolicyIterationConfig
from german_whist.training.run.processes import Processes
from german_whist.training.run.snapshot import tensor_of_shape

# One feature among hundreds inverts the value of every card. With `high_low`, at 200,000 decisions, the policy won 53 %
# against `random` with that feature scaled to 1, 66 % at 8 and 71 % at 24.
LOW_SCALE = 24.0
RULE_SCALE = 4.0  # likewise for features that say which rules a deal has

HIDDEN_GAIN = math.sqrt(2)
ACTOR_GAIN = 0.01
ADAM_EPSILON = 1e-5
MAX_GRAD_NORM = 0.5  # gradients are clipped to this norm
MUON_MOMENTUM = 0.95
NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)  # coefficients of Jordan et al.: steep at 0, at the price of 0.7 to 1.2 for 1
NEWTON_SCHULZ_STEPS = 4  # Jordan et al. take 5; runs with 3 and 5 differed within noise

TRICKS_PER_OUTPUT = 4.0  # units of the networks' outputs in training, which suit the optimisers
LOGITS_PER_OUTPUT = LOGITS_PER_TRICK * TRICKS_PER_OUTPUT
DISTILLED_HIDDEN = 192  # units of the distilled network's one hidden layer; ``small`` is such a network

Weights = tuple[torch.Tensor, torch.Tensor]

_FEWEST_ROWS, _MAX_ROWS = 128, 4096  # rows of a matrix product in FrozenMLP on the CPU
_MAX_ROWS_ON_GPU = 1 << 18
_ALIGNED = 8  # inputs of a layer: matrix products on a GPU are slow for other numbers


def feature_scale(high: npt.NDArray[np.int8], low: Block | None, flags: Sequence[Block] = ()) -> torch.Tensor:
    """Return the factors that scale features to [0, 1], float32[features].

    Args:
        high: largest value of each feature, int8[features].
        low: the feature that says whether the endgame is played low, if any; it is scaled to ``LOW_SCALE``.
        flags: features that say which rules a deal has; they are scaled to ``RULE_SCALE``.
    """
    scale = 1.0 / torch.as_tensor(np.maximum(high, 1), dtype=torch.float32)
    if low is not None:
        scale[low.start : low.stop] *= LOW_SCALE
    for flag in flags:
        scale[flag.start : flag.stop] *= RULE_SCALE
    return scale


def _hidden(inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Return a hidden layer: ReLU of a linear layer.

    Where nothing is to be differentiated, oneDNN does both in one pass for bfloat16, in half the time and to the same
    numbers (the operator is TorchInductor's).
    """
    is_bfloat16_on_cpu = inputs.dtype == torch.bfloat16 and inputs.device.type == "cpu"
    if is_bfloat16_on_cpu and torch.is_inference_mode_enabled() and _onednn_has_bfloat16():
        fused: torch.Tensor = torch.ops.mkldnn._linear_pointwise(inputs, weight, bias, "relu", [], "")
        return fused
    return F.relu(F.linear(inputs, weight, bias), inplace=True)


@lru_cache
def _onednn_has_bfloat16() -> bool:
    """Return whether oneDNN multiplies bfloat16 here; without, its operator fails, and torch multiplies slowly."""
    return torch.backends.mkldnn.is_available() and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


class _LastLayer(torch.autograd.Function):
    """A linear layer with float32 outputs for inputs of any type; gradients of the inputs have the inputs' type."""

    @staticmethod
    def forward(ctx: Any, hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(hidden, weight)
        return F.linear(hidden.float(), weight, bias)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        hidden, weight = ctx.saved_tensors
        rounded = gradients[0].to(hidden.dtype)
        return rounded @ weight.to(hidden.dtype), (rounded.T @ hidden).float(), gradients[0].sum(0)


class MLP(nn.Module):
    """Linear layers with ReLU between them, over scaled int8 features.

    Weights are float32. Hidden layers multiply in ``compute_dtype``; the last layer always in float32, so that logits
    and values are not rounded. (``torch.autocast`` would round elsewhere: it knows nothing of the scale folded into the
    first weights, nor of the float32 last layer, and earlier runs would not repeat bit for bit.)

    Attributes:
        scale: factor of each feature, float32[features].
        compute_dtype: type of the hidden layers' matrix products.
    """

    scale: torch.Tensor

    def __init__(self, scale: torch.Tensor, shapes: Sequence[tuple[int, int]], gain: float) -> None:
        """Build the layers, with orthogonal weights (Huang et al., "The 37 implementation details of PPO", 2).

        Args:
            scale: factor of each input of the first layer, float32[inputs].
            shapes: of the layers' weights, (out, in), see ``layer_shapes``.
            gain: gain of the last layer's initial weights.
        """
        super().__init__()
        self.register_buffer("scale", scale, persistent=False)
        self.layers = nn.ModuleList(nn.Linear(inputs, units) for units, inputs in shapes)
        for layer in self.linear_layers():
            nn.init.orthogonal_(layer.weight, HIDDEN_GAIN)
            nn.init.zeros_(layer.bias)
        nn.init.orthogonal_(self.linear_layers()[-1].weight, gain)
        self.compute_dtype = torch.float32

    def linear_layers(self) -> list[nn.Linear]:
        """Return the layers, first to last."""
        return [layer for layer in self.layers if isinstance(layer, nn.Linear)]

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return the outputs, float32[rows, outputs].

        Args:
            features: [rows, features], int8 or a floating type.
        """
        last = self.linear_layers()[-1]
        outputs: torch.Tensor = _LastLayer.apply(self.units(features, self.weights()), last.weight, last.bias)
        return self.joined(outputs)

    def weights(self) -> list[Weights]:
        """Return weight and bias of the hidden layers as they are multiplied, in ``compute_dtype``.

        The weights are scaled, not the features: these stay whole numbers, which bfloat16 holds exactly.
        """
        hidden, dtype = self.linear_layers()[:-1], self.compute_dtype
        scaled = [layer.weight if number else layer.weight * self.scale for number, layer in enumerate(hidden)]
        if self.padding:
            scaled[0] = F.pad(scaled[0], (0, self.padding))
        return [(weight.to(dtype), layer.bias.to(dtype)) for weight, layer in zip(scaled, hidden, strict=True)]

    @property
    def padding(self) -> int:
        """Inputs of the first layer that are always 0."""
        return -self.scale.shape[0] % _ALIGNED if self.scale.device.type == "cuda" else 0

    def units(self, features: torch.Tensor, weights: Sequence[Weights]) -> torch.Tensor:
        """Return the last hidden layer, [rows, units].

        Args:
            features: [rows, features], int8 or a floating type.
            weights: of the hidden layers, as :meth:`weights` returns them.
        """
        if self.padding:
            features = F.pad(features, (0, self.padding))
        hidden = features.to(self.compute_dtype)
        for weight, bias in weights:
            hidden = _hidden(hidden, weight, bias)
        return hidden

    def joined(self, outputs: torch.Tensor) -> torch.Tensor:
        """Return the network's outputs, [rows, outputs], from those of the last layer."""
        return outputs

    def raw_layers(self) -> tuple[Layer, ...]:
        """Return the layers for unscaled features, as a checkpoint stores them."""
        layers = []
        for number, layer in enumerate(self.linear_layers()):
            weight = layer.weight.detach() * (1.0 if number else self.scale)
            layers.append((weight.cpu().numpy().copy(), layer.bias.detach().cpu().numpy().copy()))
        return tuple(layers)

    def load_raw_layers(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the layers of a checkpoint.

        Raises:
            ValueError: when their sizes differ.
        """
        wanted = [tuple(layer.weight.shape) for layer in self.linear_layers()]
        given = [weight.shape for weight, _ in layers]
        if wanted != given:
            have, need = ([shape[0] for shape in shapes[:-1]] for shapes in (given, wanted))
            raise ValueError(
                f"init: {name!r} has hidden layers {have} of {given[0][1]} features, not {need}: set hidden"
            )
        with torch.no_grad():
            for number, (layer, (weight, bias)) in enumerate(zip(self.linear_layers(), layers, strict=True)):
                layer.weight.copy_(torch.as_tensor(weight))
                layer.bias.copy_(torch.as_tensor(bias))
                if number == 0:
                    layer.weight /= self.scale


class SuitMLP(MLP):
    """An MLP with suit layers, over scaled int8 features.

    Attributes:
        scale: factor of each input of a suit, float32[inputs].
        inputs: which features the suits see, one suit after the other, int64[4 * inputs].
    """

    inputs: torch.Tensor

    def __init__(self, scale: torch.Tensor, hidden: list[int], outputs: int, gain: float, suit_layers: int) -> None:
        """Build the layers, with orthogonal weights.

        Args:
            scale: factor of each feature, float32[features]; those of the suits are alike.
            hidden: sizes of the hidden layers.
            outputs: number of outputs: actions, or fewer than cards for a value.
            gain: gain of the last layer's initial weights.
            suit_layers: number of first hidden layers, and of a policy as many last ones, that each suit passes alone.

        Raises:
            ValueError: when there are too few hidden layers.
        """
        inputs = torch.from_numpy(suit_inputs(len(scale)))
        super().__init__(scale[inputs[0]], layer_shapes([len(scale), *hidden, outputs], suit_layers), gain)
        self.register_buffer("inputs", inputs.flatten(), persistent=False)
        self._suit_layers, card_layers = suit_layers, card_layers_of(suit_layers, outputs)
        self._trunk_end = len(hidden) - card_layers
        self._judges_cards = card_layers > 0

    def units(self, features: torch.Tensor, weights: Sequence[Weights]) -> torch.Tensor:
        """Return the last hidden layer, [rows, units], or that of each suit, [4 * rows, units]."""
        rows = features.shape[0]  # not len: an exported network takes any number of rows
        suits = self._suits(features).view(rows * NUM_SUITS, self.scale.shape[0] + self.padding)
        suits = suits.to(self.compute_dtype)
        for weight, bias in weights[: self._suit_layers]:
            suits = _hidden(suits, weight, bias)
        trunk = suits.view(rows, NUM_SUITS * suits.shape[1])
        for weight, bias in weights[self._suit_layers : self._trunk_end]:
            trunk = _hidden(trunk, weight, bias)
        if not self._judges_cards:
            return trunk
        (weight, bias), *others = weights[self._trunk_end :]
        own = suits.shape[1]
        of_trunk = F.linear(trunk, weight[:, own:]).repeat_interleave(NUM_SUITS, 0)
        units = F.relu(F.linear(suits, weight[:, :own], bias) + of_trunk, inplace=True)
        for weight, bias in others:
            units = _hidden(units, weight, bias)
        return units

    def _suits(self, features: torch.Tensor) -> torch.Tensor:
        """Return what each suit sees, one after the other, [rows, 4 * inputs]."""
        if self.padding:
            padded = F.pad(features, (0, 1))  # what is padded sees the last one, which is 0
            inputs = F.pad(self.inputs.view(NUM_SUITS, -1), (0, self.padding), value=features.shape[1])
            return padded.to(self.compute_dtype).index_select(1, inputs.flatten())
        # torch gathers float32 five times as fast as int8 and bfloat16 on a CPU.
        return features.float().index_select(1, self.inputs)

    def joined(self, outputs: torch.Tensor) -> torch.Tensor:
        """Return the network's outputs, [rows, outputs]: each suit's cards, then the sums of the other actions."""
        if not self._judges_cards:
            return outputs
        suits = outputs.view(outputs.shape[0] // NUM_SUITS, NUM_SUITS, outputs.shape[1])
        return torch.cat([suits[:, :, :SUIT_SIZE].flatten(1), suits[:, :, SUIT_SIZE:].sum(1)], 1)


def new_mlp(scale: torch.Tensor, hidden: list[int], outputs: int, gain: float, suit_layers: int = 0) -> MLP:
    """Return a network with suit layers or, with 0 of them, a plain MLP; arguments and errors as :class:`SuitMLP`."""
    if suit_layers:
        return SuitMLP(scale, hidden, outputs, gain, suit_layers)
    return MLP(scale, layer_shapes([len(scale), *hidden, outputs]), gain)


class FrozenMLP:
    """A copy of an MLP with its current weights, for many forward passes.

    The CPU's backend compiles matrix products for each new size, which costs more than the product itself, so rows are
    padded to one of a few sizes there. The network lends its structure, not its weights.
    """

    def __init__(self, network: MLP) -> None:
        """Copy the weights."""
        self._network = network
        self._device = network.scale.device
        last = network.linear_layers()[-1]
        self._weights = [(weight.detach().clone(), bias.detach().clone()) for weight, bias in network.weights()]
        self._last = last.weight.detach().clone(), last.bias.detach().clone()

    @torch.inference_mode()
    def __call__(self, features: torch.Tensor) -> torch.Tensor:
        """Return the outputs, float32[rows, outputs], for features int8[rows, features] on the same device."""
        most = _MAX_ROWS if self._device.type == "cpu" else _MAX_ROWS_ON_GPU
        return torch.cat([self._outputs(rows) for rows in features.split(most)])

    def _outputs(self, features: torch.Tensor) -> torch.Tensor:
        rows = len(features)
        if self._device.type == "cpu":
            features = F.pad(features, (0, 0, 0, -rows % _FEWEST_ROWS))
        units = self._network.units(features, self._weights)
        return self._network.joined(F.linear(units.float(), *self._last))[:rows]


def native_dtype(device: torch.device) -> torch.dtype:
    """Return the type of matrix products: bfloat16 where the hardware multiplies it natively, else float32.

    bfloat16 is then several times as fast. A CPU that is held to AVX2 (``ATEN_CPU_CAPABILITY=avx2``) counts as one
    without AVX-512.
    """
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float32
    has_products = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    is_used = device.type == "cpu" and torch.backends.cpu.get_cpu_capability() == "AVX512"
    return torch.bfloat16 if is_used and has_products() else torch.float32


def orthogonalized(matrix: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return about the nearest semi-orthogonal matrix, U Vᵀ for the singular value decomposition U S Vᵀ.

    That is the quintic Newton-Schulz iteration of Jordan et al. (https://kellerjordan.github.io/posts/muon/).

    Args:
        matrix: float32[rows, columns].
        dtype: type of its matrix products, and of the result.
    """
    a, b, c = NEWTON_SCHULZ
    is_tall = matrix.shape[0] > matrix.shape[1]
    found = (matrix.T if is_tall else matrix).to(dtype)
    found = found / found.norm().clamp(min=1e-7)  # a spectral norm of at most 1
    for _ in range(NEWTON_SCHULZ_STEPS):
        gram = found @ found.T
        found = torch.addmm(found, torch.addmm(gram, gram, gram, beta=b, alpha=c), found, beta=a)
    return found.T if is_tall else found


class TrainedNetwork:
    """A network, the moments of its weights' gradients, and the moving average of the weights.

    The matrices of the hidden layers take Muon's steps, with Nesterov momentum and without weight decay; the other
    weights take Adam's. ``torch.optim.Muon`` multiplies in bfloat16 on every processor, and ``torch.optim.Optimizer``
    loads a compiler that is not used here, for two seconds.

    Attributes:
        network: the network in training.
        average: a copy with the averaged weights.
        steps: gradient steps taken so far.
    """

    def __init__(self, name: str, network: MLP, config: PolicyIterationConfig, processes: Processes) -> None:
        """Wrap a network.

        Args:
            name: prefix of the names of its tensors in snapshots.
            network: the network, on its device, freshly initialised.
            config: settings of the steps and the average.
            processes: the processes that train together.
        """
        self.network = network
        self.average = copy.deepcopy(self.network)
        self.steps = 0
        self._name = name
        self._processes = processes
        self._weights = list(network.parameters())
        self._averages = list(self.average.parameters())
        matrices = [layer.weight for layer in network.linear_layers()[:-1]]
        is_matrix = {id(weight) for weight in matrices}
        self._moments = [
            {"momentum_buffer": torch.zeros_like(weight)} if id(weight) in is_matrix else _adam_moments(weight)
            for weight in self._weights
        ]
        fresh = config.batch_size * processes.size / config.epochs  # new positions per step
        self._decay = math.exp(-fresh / config.ema_horizon) if config.ema_horizon else 0.0

    def step(self, loss: torch.Tensor, positions: int, rate: float) -> None:
        """Take a gradient step of size ``rate`` on a loss that is a mean over ``positions`` positions."""
        for weight in self._weights:
            weight.grad = None
        loss.backward()
        self._processes.average_gradients(self._weights, positions)
        nn.utils.clip_grad_norm_(self._weights, MAX_GRAD_NORM)
        self.steps += 1
        decay = min(self._decay, self.steps / (self.steps + 10))  # the initial weights fade quickly
        with torch.no_grad():
            self._descend(rate)
            for average, weight in zip(self._averages, self._weights, strict=True):
                average.lerp_(weight, 1 - decay)

    def _descend(self, rate: float) -> None:
        """Take a step down the gradients."""
        of_adam: tuple[list[torch.Tensor], ...] = ([], [], [], [], [])
        for weight, moments in zip(self._weights, self._moments, strict=True):
            if weight.grad is None:
                continue
            if "momentum_buffer" in moments:
                momentum = moments["momentum_buffer"].lerp_(weight.grad, 1 - MUON_MOMENTUM)
                update = orthogonalized(weight.grad.lerp(momentum, MUON_MOMENTUM), self.network.compute_dtype)
                # The size of Adam's steps (`match_rms_adamw` in torch.optim.Muon).
                weight.add_(update, alpha=-rate * 0.2 * math.sqrt(max(weight.shape)))
            else:
                for column, tensor in zip(of_adam, (weight, weight.grad, *moments.values()), strict=True):
                    column.append(tensor)
        weights, gradients, steps, means, squares = of_adam
        adam(
            weights,
            gradients,
            means,
            squares,
            [],
            steps,
            fused=True,
            amsgrad=False,
            beta1=0.9,
            beta2=0.999,
            lr=rate,
            weight_decay=0.0,
            eps=ADAM_EPSILON,
            maximize=False,
        )

    def frozen(self) -> FrozenMLP:
        """Return a copy of the network with the current averaged weights."""
        return FrozenMLP(self.average)

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
        """Return weights and moments by name, as tensors on the CPU."""
        tensors = {name: weight.detach().cpu().clone() for name, weight in self._named_weights()}
        tensors[f"{self._name}.steps"] = torch.tensor([self.steps])
        tensors |= {name: moment.cpu().clone() for name, moment in self._named_moments()}
        return tensors

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state` returned.

        Raises:
            KeyError: when something is missing.
            ValueError: when a tensor has another shape.
        """
        with torch.no_grad():
            for name, weight in self._named_weights():
                weight.copy_(tensor_of_shape(tensors, name, weight.shape))
            for name, moment in self._named_moments():
                moment.copy_(tensor_of_shape(tensors, name, moment.shape))
        self.steps = int(tensor_of_shape(tensors, f"{self._name}.steps", torch.Size((1,))))

    def _named_moments(self) -> Iterator[tuple[str, torch.Tensor]]:
        for number, moments in enumerate(self._moments):
            for name, moment in moments.items():
                yield f"{self._name}_optimizer.{number}.{name}", moment


def _adam_moments(weight: torch.Tensor) -> dict[str, torch.Tensor]:
    step = torch.zeros((), device=weight.device)
    return {"step": step, "exp_avg": torch.zeros_like(weight), "exp_avg_sq": torch.zeros_like(weight)}


@dataclass(frozen=True)
class Batch:
    """Positions with action-value targets, of a rollout, on the networks' device.

    Attributes:
        features: int8[positions, features].
        masks: bool[positions, actions], legal actions.
        q_targets: float32[positions, actions], for legal actions, in tricks.
        logits: float32[positions, actions], of the policy that played.
        returns: float32[positions], in tricks.
    """

    features: torch.Tensor
    masks: torch.Tensor
    q_targets: torch.Tensor
    logits: torch.Tensor
    returns: torch.Tensor


class Networks:
    """The networks and their update. Play and evaluation use the averaged weights of the last :meth:`freeze`.

    The actor's outputs are advantages, correct up to a constant per position. The policy is their softmax, with
    ``LOGITS_PER_TRICK``, and so are the logits of its checkpoints. The distilled network learns the actor's outputs
    (Hinton et al., arXiv 1503.02531) and picks moves during lookahead.

    Attributes:
        actor: advantages of the actions, from an observation.
        value: expected margin for the seat to act.
        distilled: a small network with the actor's outputs.
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
            mlp = new_mlp(scale, hidden, outputs, ACTOR_GAIN, suit_layers)
            mlp.compute_dtype = native_dtype(self._device)
            return TrainedNetwork(name, mlp.to(self._device), config, processes)

        self.actor = build("actor", config.hidden, actions, config.suit_layers)
        self.value = build("value", config.value_hidden, 1, config.suit_layers)
        self.distilled = build("distilled", [DISTILLED_HIDDEN], actions, 0)
        self._parts = (self.actor, self.value, self.distilled)
        self.freeze()

    def freeze(self) -> None:
        """Copy the current averaged weights; they play and evaluate from now on."""
        self._frozen_actor, self._frozen_value, self._frozen_distilled = (part.frozen() for part in self._parts)

    def start_from(self, checkpoint: Checkpoint, name: str) -> bool:
        """Take the policy from a checkpoint, and return whether its value could be taken, too.

        That takes a value network with layers of the same sizes.

        Raises:
            ValueError: when the policy's sizes differ.
        """
        self.actor.start_from(_rescaled(checkpoint.layers, 1 / LOGITS_PER_OUTPUT), name)
        has_value = bool(checkpoint.value) and checkpoint.value_sizes[1:-1] == self.config.value_hidden
        if has_value:
            *hidden, (weight, bias) = checkpoint.value
            self.value.start_from(_rescaled((*hidden, (weight[:1], bias[:1])), 1 / TRICKS_PER_OUTPUT), name)
        self.freeze()
        return has_value

    def layers(self) -> tuple[Layer, ...]:
        """Return the policy's layers for unscaled features, as a checkpoint stores them."""
        return _rescaled(self.actor.layers(), LOGITS_PER_OUTPUT)

    def distilled_layers(self) -> tuple[Layer, ...]:
        """Return the distilled network's layers likewise."""
        return _rescaled(self.distilled.layers(), LOGITS_PER_OUTPUT)

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the trained weights by name."""
        for part in self._parts:
            yield from part.named_parameters()

    def policy(self, features: torch.Tensor) -> torch.Tensor:
        """Return the logits, float32[rows, actions], for observations int8[rows, features]."""
        return self._frozen_actor(features) * LOGITS_PER_OUTPUT

    def replies(self, features: torch.Tensor) -> torch.Tensor:
        """Return the distilled network's logits, up to a constant factor, float32[rows, actions]."""
        return self._frozen_distilled(features)

    def values(self, features: torch.Tensor) -> torch.Tensor:
        """Return expected margins of the seats to act, in tricks, float32[rows, 1]."""
        return self._frozen_value(features) * TRICKS_PER_OUTPUT

    def update(self, batch: Batch, progress: float) -> dict[str, float]:
        """Learn from positions and return the metrics.

        Args:
            batch: the positions.
            progress: share of the run that is done, 0 to 1, for the schedule.
        """
        rate = self.config.learning_rate_at(max(1.0 - progress, 0.0))
        features, masks, q_targets, returns = batch.features, batch.masks, batch.q_targets, batch.returns
        total = spread = value_total = torch.zeros((), device=self._device)
        steps = 0
        for rows in self._minibatches(len(features), self.config.epochs):
            legal = masks[rows].float()
            count = legal.sum(1, keepdim=True)
            advantages = _centred(self.actor.network(features[rows]), legal, count)
            targets = _centred(q_targets[rows] / TRICKS_PER_OUTPUT, legal, count)
            loss = _mean_square(advantages - targets, count)
            self.actor.step(loss, len(rows), rate)
            values = self.value.network(features[rows])[:, 0]
            value_loss = ((values - returns[rows] / TRICKS_PER_OUTPUT) ** 2).mean()
            self.value.step(value_loss, len(rows), rate)
            total = total + loss.detach()
            spread = spread + _mean_square(targets, count)
            value_total = value_total + value_loss.detach()
            steps += 1
        self._distill(features, masks, batch.logits / LOGITS_PER_OUTPUT, rate)
        self.updates += 1
        value_spread = steps * ((returns - returns.mean()) ** 2).mean() / TRICKS_PER_OUTPUT**2
        return {
            "losses/loss": float(total) / max(steps, 1),
            "losses/explained_variance": _explained(total, spread),
            "losses/value_explained_variance": _explained(value_total, value_spread),
            "charts/learning_rate": rate,
        }

    def _distill(self, features: torch.Tensor, masks: torch.Tensor, actor_outputs: torch.Tensor, rate: float) -> None:
        """Train the distilled network on the actor's outputs; in one pass, as these have no noise."""
        for rows in self._minibatches(len(features), 1):
            legal = masks[rows].float()
            count = legal.sum(1, keepdim=True)
            targets = _centred(actor_outputs[rows], legal, count)
            outputs = _centred(self.distilled.network(features[rows]), legal, count)
            self.distilled.step(_mean_square(outputs - targets, count), len(rows), rate)

    def _minibatches(self, positions: int, epochs: int) -> Iterator[torch.Tensor]:
        """Yield the positions of each minibatch of this update, int64[at most batch_size].

        All have the same size, because matrix products of a new size are slow (:class:`FrozenMLP`), and all processes
        take equally many; the few positions left over differ from pass to pass.
        """
        rng = np.random.default_rng(np.random.SeedSequence((self.config.seed, self.processes.rank, self.updates)))
        fewest = self.processes.all_min(positions)
        size = min(self.config.batch_size, fewest)
        for _ in range(epochs if fewest else 0):
            order = torch.from_numpy(rng.permutation(positions))
            for rows in order[: fewest // size * size].split(size):
                yield rows.to(self._device)

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that the next update depends on, as tensors on the CPU."""
        tensors = {name: tensor for part in self._parts for name, tensor in part.state().items()}
        tensors["updates"] = torch.tensor([self.updates])
        return tensors

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state` returned.

        Raises:
            KeyError: when something is missing.
            ValueError: when a tensor has another shape.
        """
        for part in self._parts:
            part.load_state(tensors)
        self.freeze()
        self.updates = int(tensor_of_shape(tensors, "updates", torch.Size((1,))))


def _rescaled(layers: tuple[Layer, ...], factor: float) -> tuple[Layer, ...]:
    """Return layers whose outputs are ``factor`` times as large."""
    *hidden, (weight, bias) = layers
    return (*hidden, (weight * np.float32(factor), bias * np.float32(factor)))


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


def check_device(name: str) -> None:
    """Refuse a device that does not exist; Stable-Baselines3 would silently use the CPU instead of a missing GPU.

    Raises:
        ValueError: when torch has no such device on this machine.
    """
    if name == "auto":
        return
    try:
        torch.zeros(1, device=torch.device(name)).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"device: {name!r} cannot be used: {reason}") from None
