"""Policy and value networks in torch: multilayer perceptrons over int8 features, for training and for playing on a GPU.

The suits may share the first and last layers of a network; see ``layers``. On a CPU, networks play without torch
(``forward``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn

from german_whist.agents.policy.network.layers import (
    NUM_SUITS,
    Layer,
    card_layers_of,
    layer_shapes,
    sizes_of,
    suit_inputs,
)
from german_whist.game.cards import SUIT_SIZE
from german_whist.game.utils.private_parts import has_bfloat16_products

HIDDEN_GAIN = math.sqrt(2)

Weights = tuple[torch.Tensor, torch.Tensor]

_FEWEST_ROWS, _MAX_ROWS = 128, 4096  # rows in FrozenMLP on the CPU: multiples of the first, up to the second
_MAX_ROWS_ON_GPU = 1 << 18
_ALIGNED = 8  # inputs of a layer on a GPU are padded to a multiple: its matrix products are slow for other numbers


class _HiddenLayer(torch.autograd.Function):
    """A linear layer with ReLU, in half as many operations as torch takes for the two and their gradients.

    A gradient step of recipe ``gpu`` has 258 operations, with torch's own gradients 282: 9 % more launches, which is
    what its time goes by on a GPU. On a CPU the two take equally long, and give the same bits.
    """

    @staticmethod
    def forward(ctx: Any, inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        units = F.relu(F.linear(inputs, weight, bias), inplace=True)
        ctx.save_for_backward(inputs, weight, units)
        return units

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor, torch.Tensor]:
        inputs, weight, units = ctx.saved_tensors
        gradient = torch.ops.aten.threshold_backward(gradients[0], units, 0)
        of_inputs = gradient @ weight if ctx.needs_input_grad[0] else None
        return of_inputs, gradient.T @ inputs, gradient.sum(0)


def _hidden(inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    if torch.is_grad_enabled():
        units: torch.Tensor = _HiddenLayer.apply(inputs, weight, bias)
        return units
    return F.relu(F.linear(inputs, weight, bias), inplace=True)


class _LastLayer(torch.autograd.Function):
    """A linear layer with float32 outputs for inputs of any dtype; the gradients of inputs have the inputs' dtype.

    Its own gradients save 3 % of the operations of a step; without them, runs in bfloat16 would not repeat bit for bit.
    """

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
    """Linear layers with ReLU between them, of which some may be suit layers (see ``layers``), over int8 features.

    Weights are float32. Hidden layers multiply in ``compute_dtype`` and the last layer always in float32, so that
    logits and values are not rounded. (``torch.autocast`` would round in other places: it knows neither the scale in
    the first weights nor the float32 last layer, and earlier runs would not repeat bit for bit.)

    Attributes:
        scale: factor of each input of the first layer, float32[inputs].
        inputs: indices of the features that the suits read, one suit after the other, int64[4 * inputs]; ``None``
            without suit layers.
        compute_dtype: dtype of the hidden layers' matrix products.
    """

    scale: torch.Tensor
    inputs: torch.Tensor | None

    def __init__(
        self, scale: torch.Tensor, hidden: list[int], outputs: int, gain: float | None, suit_layers: int = 0
    ) -> None:
        """Build the layers with orthogonal weights.

        Detail 2 of Huang et al., "The 37 implementation details of proximal policy optimization", 2022.

        Args:
            scale: factor of each feature, float32[features]; with suit layers it must be the same for all suits.
            hidden: sizes of the hidden layers.
            outputs: number of outputs: the actions of a policy, or fewer than 52 for a value network.
            gain: gain of the last layer's initial weights; ``None`` if all weights will be loaded.
            suit_layers: number of first hidden layers, and for a policy also of last ones, whose weights the suits
                share.

        Raises:
            ValueError: when there are too few hidden layers for the suit layers.
        """
        super().__init__()
        shapes = layer_shapes([len(scale), *hidden, outputs], suit_layers)
        inputs = torch.from_numpy(suit_inputs(len(scale))) if suit_layers else None
        self.register_buffer("scale", scale if inputs is None else scale[inputs[0]], persistent=False)
        self.register_buffer("inputs", None if inputs is None else inputs.flatten(), persistent=False)
        self.layers = nn.ModuleList(nn.Linear(width, units) for units, width in shapes)
        if gain is not None:
            for layer in self.linear_layers():
                nn.init.orthogonal_(layer.weight, HIDDEN_GAIN)
                nn.init.zeros_(layer.bias)
            nn.init.orthogonal_(self.linear_layers()[-1].weight, gain)
        self.compute_dtype = torch.float32
        card_layers = card_layers_of(suit_layers, outputs)
        self._suit_layers, self._trunk_end = suit_layers, len(hidden) - card_layers
        self._has_card_layers = card_layers > 0

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
        """Return weight and bias of each hidden layer, scaled and converted to ``compute_dtype``.

        The scale is applied to the weights rather than the features, which stay whole numbers that bfloat16 holds
        exactly.
        """
        hidden, dtype = self.linear_layers()[:-1], self.compute_dtype
        scaled = [layer.weight if number else layer.weight * self.scale for number, layer in enumerate(hidden)]
        if self.padding:
            scaled[0] = F.pad(scaled[0], (0, self.padding))
        return [(weight.to(dtype), layer.bias.to(dtype)) for weight, layer in zip(scaled, hidden, strict=True)]

    @property
    def padding(self) -> int:
        """Number of inputs, always 0, that are added to the first layer on a GPU."""
        return -self.scale.shape[0] % _ALIGNED if self.scale.device.type == "cuda" else 0

    def units(self, features: torch.Tensor, weights: Sequence[Weights]) -> torch.Tensor:
        """Return the last hidden layer's outputs, [rows, units], or with card layers each suit's, [4 * rows, units].

        Args:
            features: [rows, features], int8 or a floating type.
            weights: the hidden layers, as :meth:`weights` returns them.
        """
        rows = features.shape[0]  # not len(), which would fix the number of rows of an exported network
        if self.inputs is None:
            trunk = F.pad(features, (0, self.padding)) if self.padding else features
            trunk = trunk.to(self.compute_dtype)
        else:
            suits = self._suits(features, self.inputs).view(rows * NUM_SUITS, self.scale.shape[0] + self.padding)
            suits = suits.to(self.compute_dtype)
            for weight, bias in weights[: self._suit_layers]:
                suits = _hidden(suits, weight, bias)
            trunk = suits.view(rows, NUM_SUITS * suits.shape[1])
        for weight, bias in weights[self._suit_layers : self._trunk_end]:
            trunk = _hidden(trunk, weight, bias)
        if not self._has_card_layers:
            return trunk
        (weight, bias), *others = weights[self._trunk_end :]
        own = suits.shape[1]
        of_trunk = F.linear(trunk, weight[:, own:]).repeat_interleave(NUM_SUITS, 0)
        units = F.relu(F.linear(suits, weight[:, :own], bias) + of_trunk, inplace=True)
        for weight, bias in others:
            units = _hidden(units, weight, bias)
        return units

    def _suits(self, features: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
        """Return the inputs of each suit, one suit after the other, [rows, 4 * inputs]."""
        if self.padding:
            padded = F.pad(features, (0, 1))  # one more feature, always 0, which the padding inputs read
            inputs = F.pad(inputs.view(NUM_SUITS, -1), (0, self.padding), value=features.shape[1])
            return padded.to(self.compute_dtype).index_select(1, inputs.flatten())
        # torch gathers float32 five times as fast as int8 and bfloat16 on a CPU.
        return features.float().index_select(1, inputs)

    def joined(self, outputs: torch.Tensor) -> torch.Tensor:
        """Return the network's outputs, [rows, outputs]: with card layers, each suit's cards, then the other actions.

        The outputs for actions that are no cards are sums over the suits.
        """
        if not self._has_card_layers:
            return outputs
        suits = outputs.view(outputs.shape[0] // NUM_SUITS, NUM_SUITS, outputs.shape[1])
        return torch.cat([suits[:, :, :SUIT_SIZE].flatten(1), suits[:, :, SUIT_SIZE:].sum(1)], 1)

    def raw_layers(self) -> tuple[Layer, ...]:
        """Return the layers for unscaled features, as a checkpoint stores them."""
        layers = []
        for number, layer in enumerate(self.linear_layers()):
            weight = layer.weight.detach() * (1.0 if number else self.scale)
            layers.append((weight.cpu().numpy().copy(), layer.bias.detach().cpu().numpy().copy()))
        return tuple(layers)

    def load_raw_layers(self, layers: tuple[Layer, ...], name: str) -> None:
        """Copy the layers of a checkpoint.

        Args:
            layers: layers for unscaled features, as :meth:`raw_layers` returns them.
            name: name of the checkpoint, for the message.

        Raises:
            ValueError: when their sizes differ from the network's.
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


class FrozenMLP:
    """A copy of an MLP's current weights, for many forward passes without gradients.

    Later changes of the network's weights do not affect it. On a CPU the backend compiles a matrix product for each new
    number of rows, which costs more than the product itself, so rows are padded to one of a few numbers.
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
        rows = _MAX_ROWS if self._device.type == "cpu" else _MAX_ROWS_ON_GPU
        return torch.cat([self._outputs(part) for part in features.split(rows)])

    def _outputs(self, features: torch.Tensor) -> torch.Tensor:
        rows = len(features)
        if self._device.type == "cpu":
            features = F.pad(features, (0, 0, 0, -rows % _FEWEST_ROWS))
        units = self._network.units(features, self._weights)
        return self._network.joined(F.linear(units.float(), *self._last))[:rows]


def native_dtype(device: torch.device) -> torch.dtype:
    """Return the dtype for matrix products: bfloat16 where the hardware multiplies it natively, else float32.

    There, bfloat16 is several times as fast. A CPU that is restricted to AVX2 (``ATEN_CPU_CAPABILITY=avx2``) counts as
    one without AVX-512.
    """
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float32
    is_used = device.type == "cpu" and torch.backends.cpu.get_cpu_capability() == "AVX512"
    return torch.bfloat16 if is_used and has_bfloat16_products() else torch.float32


def mlp_of(layers: tuple[Layer, ...], suit_layers: int) -> MLP:
    """Return a network with a checkpoint's layers, which are for unscaled features; the random state is kept."""
    inputs, *hidden, outputs = sizes_of(layers, suit_layers)
    with torch.random.fork_rng(devices=[]):
        network = MLP(torch.ones(inputs), hidden, outputs, None, suit_layers)
    network.load_raw_layers(layers, "the checkpoint")
    return network
