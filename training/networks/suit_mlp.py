"""Multilayer perceptrons whose first and last layers the suits share; see ``agents/policy/network/suit_layout.py``."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

from german_whist.agents.policy.network.layers import layer_shapes
from german_whist.agents.policy.network.suit_layout import NUM_SUITS, card_layers_of, suit_inputs
from german_whist.envs.engine.cards import SUIT_SIZE
from german_whist.training.networks.mlp import MLP, Weights


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
        # torch gathers float32 five times as fast as int8 and bfloat16.
        suits = features.float().index_select(1, self.inputs).view(rows * NUM_SUITS, self.scale.shape[0])
        suits = suits.to(self.compute_dtype)
        for weight, bias in weights[: self._suit_layers]:
            suits = F.relu(F.linear(suits, weight, bias), inplace=True)
        trunk = suits.view(rows, NUM_SUITS * suits.shape[1])
        for weight, bias in weights[self._suit_layers : self._trunk_end]:
            trunk = F.relu(F.linear(trunk, weight, bias), inplace=True)
        if not self._judges_cards:
            return trunk
        (weight, bias), *others = weights[self._trunk_end :]
        own = suits.shape[1]
        of_trunk = F.linear(trunk, weight[:, own:]).repeat_interleave(NUM_SUITS, 0)
        units = F.relu(F.linear(suits, weight[:, :own], bias) + of_trunk, inplace=True)
        for weight, bias in others:
            units = F.relu(F.linear(units, weight, bias), inplace=True)
        return units

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
