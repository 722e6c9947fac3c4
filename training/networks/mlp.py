"""The networks of our own trainer: multilayer perceptrons over int8 cells, and the actor's way into a checkpoint."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn

from german_whist.agents.policy.checkpoint import Layer
from german_whist.envs.engine.layout import Block

# The one cell that turns the value of every card round would be one among hundreds. At 200,000 decisions of `high_low`
# the policy won 53 % against `random` with it at 1, 66 % at 8 and 71 % at 24.
LOW_SCALE = 24.0

HIDDEN_GAIN = math.sqrt(2)
ACTOR_GAIN = 0.01
CRITIC_GAIN = 1.0

_FEWEST_ROWS, _MOST_ROWS = 128, 1024  # of a fixed network's products


def feature_scale(high: npt.NDArray[np.int8], low: Block | None) -> torch.Tensor:
    """Return what the cells of an observation are multiplied by, float32[cells].

    Args:
        high: largest value of each cell, int8[cells].
        low: the cell that says whether the endgame is played low, where there is one.
    """
    scale = 1.0 / torch.as_tensor(np.maximum(high, 1), dtype=torch.float32)
    if low is not None:
        scale[low.start : low.stop] *= LOW_SCALE
    return scale


class _LastLayer(torch.autograd.Function):
    """A linear layer with outputs in float32, whatever comes in; gradients are of the type that comes in."""

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
    """Linear layers with ReLU between them, over scaled int8 cells.

    Weights are float32. The products of the hidden layers are of ``compute_dtype``; the last layer is always float32, so
    that logits and values are not rounded.
    """

    scale: torch.Tensor

    def __init__(self, scale: torch.Tensor, hidden: list[int], outputs: int, gain: float) -> None:
        """Build the layers, with orthogonal weights (Huang et al., "The 37 implementation details of PPO", 2).

        Args:
            scale: what each cell is multiplied by, float32[cells].
            hidden: sizes of the hidden layers.
            outputs: numbers that come out.
            gain: of the last layer's weights.
        """
        super().__init__()
        self.register_buffer("scale", scale, persistent=False)
        sizes = [len(scale), *hidden, outputs]
        self.layers = nn.ModuleList(nn.Linear(sizes[i], sizes[i + 1]) for i in range(len(sizes) - 1))
        for layer in self.linear_layers():
            nn.init.orthogonal_(layer.weight, HIDDEN_GAIN)
            nn.init.zeros_(layer.bias)
        nn.init.orthogonal_(self.linear_layers()[-1].weight, gain)
        self.compute_dtype = torch.float32

    def linear_layers(self) -> list[nn.Linear]:
        """Return the layers, first to last."""
        return [layer for layer in self.layers if isinstance(layer, nn.Linear)]

    def forward(self, cells: torch.Tensor) -> torch.Tensor:
        """Return the outputs, float32[rows, outputs].

        Args:
            cells: [rows, cells], int8 or a floating type.
        """
        kind = self.compute_dtype
        *hidden_layers, last = self.linear_layers()
        hidden = cells.to(kind)
        for number, layer in enumerate(hidden_layers):
            # Scaling the weights instead of the cells leaves the cells whole numbers, exact in bfloat16.
            weight = layer.weight if number else layer.weight * self.scale
            hidden = F.relu(F.linear(hidden, weight.to(kind), layer.bias.to(kind)), inplace=True)
        outputs: torch.Tensor = _LastLayer.apply(hidden, last.weight, last.bias)
        return outputs

    def raw_layers(self) -> tuple[Layer, ...]:
        """Return the layers as they act on unscaled cells, for a checkpoint."""
        layers = []
        for number, layer in enumerate(self.linear_layers()):
            weight = layer.weight.detach() * (1.0 if number else self.scale)
            layers.append((weight.cpu().numpy().copy(), layer.bias.detach().cpu().numpy().copy()))
        return tuple(layers)

    def load_raw_layers(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the layers of a checkpoint.

        Raises:
            ValueError: when their sizes are others, or they are those of several networks.
        """
        if layers[0][0].ndim > 2:
            raise ValueError(f"init: {name!r} has a network for each phase: trainer: teacher alone goes on from it")
        wanted = [tuple(layer.weight.shape) for layer in self.linear_layers()]
        given = [weight.shape for weight, _ in layers]
        if wanted != given:
            have, need = ([shape[0] for shape in shapes[:-1]] for shapes in (given, wanted))
            raise ValueError(f"init: {name!r} has hidden layers {have} of {given[0][1]} cells, not {need}: set hidden")
        with torch.no_grad():
            for number, (layer, (weight, bias)) in enumerate(zip(self.linear_layers(), layers, strict=True)):
                layer.weight.copy_(torch.as_tensor(weight))
                layer.bias.copy_(torch.as_tensor(bias))
                if number == 0:
                    layer.weight /= self.scale


class FrozenMLP:
    """A perceptron with its weights as they are, for many calls.

    Products for sizes that were not met before are first compiled, which takes longer than they do, so rows are filled
    up to one of a few sizes.
    """

    def __init__(self, network: MLP) -> None:
        """Take the weights over."""
        self._type = network.compute_dtype
        self._device = network.scale.device
        *hidden, last = network.linear_layers()
        with torch.no_grad():
            scaled = [layer.weight if number else layer.weight * network.scale for number, layer in enumerate(hidden)]
            self._hidden = [
                (weight.to(self._type, copy=True), layer.bias.to(self._type, copy=True))
                for weight, layer in zip(scaled, hidden, strict=True)
            ]
            self._last = last.weight.detach().clone(), last.bias.detach().clone()

    @torch.inference_mode()
    def __call__(self, cells: torch.Tensor) -> torch.Tensor:
        """Return the outputs on the processor, float32[rows, outputs], of cells int8[rows, cells]."""
        return torch.cat([self._outputs(rows) for rows in cells.split(_MOST_ROWS)])

    def _outputs(self, cells: torch.Tensor) -> torch.Tensor:
        rows = len(cells)
        size = max(_FEWEST_ROWS, 1 << (rows - 1).bit_length())
        hidden = F.pad(cells, (0, 0, 0, size - rows)).to(self._device).to(self._type)
        for weight, bias in self._hidden:
            hidden = F.linear(hidden, weight, bias).relu_()
        return F.linear(hidden.float(), *self._last)[:rows].cpu()


def compute_dtype(precision: str, device: torch.device) -> torch.dtype:
    """Return the type of matrix products for a setting of ``precision``.

    ``auto`` takes bfloat16 where the hardware multiplies it (there it is several times as fast as float32).
    """
    if precision != "auto":
        return torch.bfloat16 if precision == "bfloat16" else torch.float32
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float32
    has_products = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    return torch.bfloat16 if device.type == "cpu" and has_products() else torch.float32
