"""The networks of our own trainers: multilayer perceptrons over int8 features, and their layers for a checkpoint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn

from german_whist.agents.policy.network.layers import Layer
from german_whist.envs.engine.layout import Block

# One feature among hundreds inverts the value of every card. With `high_low`, at 200,000 decisions, the policy won 53 %
# against `random` with that feature scaled to 1, 66 % at 8 and 71 % at 24.
LOW_SCALE = 24.0
RULE_SCALE = 4.0  # likewise for features that say which rules a deal has

HIDDEN_GAIN = math.sqrt(2)
ACTOR_GAIN = 0.01
CRITIC_GAIN = 1.0

Weights = tuple[torch.Tensor, torch.Tensor]

_FEWEST_ROWS, _MOST_ROWS = 128, 1024  # rows of a matrix product in FrozenMLP


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
        return [(weight.to(dtype), layer.bias.to(dtype)) for weight, layer in zip(scaled, hidden, strict=True)]

    def units(self, features: torch.Tensor, weights: Sequence[Weights]) -> torch.Tensor:
        """Return the last hidden layer, [rows, units].

        Args:
            features: [rows, features], int8 or a floating type.
            weights: of the hidden layers, as :meth:`weights` returns them.
        """
        hidden = features.to(self.compute_dtype)
        for weight, bias in weights:
            hidden = F.relu(F.linear(hidden, weight, bias), inplace=True)
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
            ValueError: when their sizes differ, or they are those of several networks.
        """
        if layers[0][0].ndim > 2:
            raise ValueError(
                f"init: {name!r} has a network for each phase: only trainer: policy_iteration can start from it"
            )
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


class FrozenMLP:
    """A copy of an MLP with its current weights, for many forward passes.

    The backend compiles matrix products for each new size, which costs more than the product itself, so rows are padded
    to one of a few sizes. The network lends its structure, not its weights.
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
        """Return the outputs on the CPU, float32[rows, outputs], for features int8[rows, features]."""
        return torch.cat([self._outputs(rows) for rows in features.split(_MOST_ROWS)])

    def _outputs(self, features: torch.Tensor) -> torch.Tensor:
        rows = len(features)
        size = -(-rows // _FEWEST_ROWS) * _FEWEST_ROWS
        padded = F.pad(features, (0, 0, 0, size - rows)).to(self._device)
        units = self._network.units(padded, self._weights)
        return self._network.joined(F.linear(units.float(), *self._last))[:rows].cpu()


def compute_dtype(precision: str, device: torch.device) -> torch.dtype:
    """Return the type of matrix products for a setting of ``precision``.

    ``auto`` is bfloat16 where the hardware multiplies it natively, several times as fast as float32; else float32. A
    CPU that is held to AVX2 (``ATEN_CPU_CAPABILITY=avx2``) counts as one without AVX-512.
    """
    if precision != "auto":
        return torch.bfloat16 if precision == "bfloat16" else torch.float32
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float32
    has_products = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    is_used = device.type == "cpu" and torch.backends.cpu.get_cpu_capability() == "AVX512"
    return torch.bfloat16 if is_used and has_products() else torch.float32
