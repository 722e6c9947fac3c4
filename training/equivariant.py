"""A network that treats plain suits alike: what it learns of one it knows of all.

Units stand in groups: one for each suit, and a shared one. A layer maps groups to groups, and plain suits have their
weights in common: a suit's units see their own suit, the sum of the other plain suits, trumps and the shared units
(the equivariant layers of Zaheer et al., "Deep Sets", arXiv 1703.06114, with a channel for trumps beside them).
Renaming plain suits in an observation so renames cards in the outputs and changes nothing else. Written out in full the
layers are those of an ordinary perceptron, which is what checkpoints hold.

A third of the weights to learn needs a third of the positions: rollouts are so noisy that this is what counts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from german_whist.agents.checkpoint import Layer
from german_whist.envs.layout import Block
from german_whist.envs.observation import observation_layout
from german_whist.envs.rules import rules
from german_whist.training.actor_critic import ACTOR_GAIN, HIDDEN_GAIN, Perceptron
from german_whist.training.settings import SelfPlayConfig

_SUITS = 4
_RANKS = 13
_BY_SUIT = ("void_self", "void_opponent", "drawn_self", "drawn_opponent")


class Groups(NamedTuple):
    """How units are shared out.

    Attributes:
        alike: how many suits are alike: three, or four without trumps.
        plain: units of each of them.
        trump: units of the trump suit, 0 when there is none.
        shared: units of no suit.
    """

    alike: int
    plain: int
    trump: int
    shared: int

    @classmethod
    def of_suits(cls, alike: int, each: int, shared: int) -> Groups:
        """Return groups with as many units for each suit."""
        return cls(alike, each, each * (_SUITS - alike), shared)

    @property
    def units(self) -> int:
        """All units."""
        return self.alike * self.plain + self.trump + self.shared


class TiedLinear(nn.Module):
    """A linear layer between groups of units, with weights that plain suits have in common."""

    def __init__(self, inputs: Groups, outputs: Groups, gain: float) -> None:
        """Draw the weights, normal with the variance that keeps the size of what passes (He et al., 2015)."""
        super().__init__()
        self._inputs, self._outputs = inputs, outputs
        rest = inputs.trump + inputs.shared
        deviation = gain / math.sqrt(inputs.units)
        self.plain = nn.Parameter(torch.randn(outputs.plain, 2 * inputs.plain + rest) * deviation)
        self.others = nn.Parameter(torch.randn(outputs.trump + outputs.shared, inputs.plain + rest) * deviation)
        self.plain_bias = nn.Parameter(torch.zeros(outputs.plain))
        self.others_bias = nn.Parameter(torch.zeros(outputs.trump + outputs.shared))

    @property
    def weight(self) -> torch.Tensor:
        """The weights in full, float32[outputs, inputs]."""
        size, alike = self._inputs.plain, self._inputs.alike
        own, other, rest = self.plain[:, :size], self.plain[:, size : 2 * size], self.plain[:, 2 * size :]
        rows = [torch.cat([*[other] * k, own, *[other] * (alike - 1 - k), rest], 1) for k in range(alike)]
        each, rest = self.others[:, :size], self.others[:, size:]
        return torch.cat([*rows, torch.cat([*[each] * alike, rest], 1)])

    @property
    def bias(self) -> torch.Tensor:
        """The biases in full, float32[outputs]."""
        return torch.cat([*[self.plain_bias] * self._inputs.alike, self.others_bias])

    def load(self, weight: torch.Tensor, bias: torch.Tensor) -> None:
        """Take weights that are given in full: those of the first plain suit stand for all."""
        size, alike, out = self._inputs.plain, self._inputs.alike, self._outputs.plain
        with torch.no_grad():
            self.plain.copy_(torch.cat([weight[:out, : 2 * size], weight[:out, alike * size :]], 1))
            self.others.copy_(torch.cat([weight[alike * out :, :size], weight[alike * out :, alike * size :]], 1))
            self.plain_bias.copy_(bias[:out])
            self.others_bias.copy_(bias[alike * out :])


class EquivariantPerceptron(Perceptron):
    """A :class:`Perceptron` that treats plain suits alike.

    Attributes:
        order: int64[cells], the cells of an observation, those of the first suit first, of no suit last.
    """

    order: torch.Tensor

    def __init__(
        self, scale: torch.Tensor, layout: dict[str, Block], trumps: bool, hidden: list[int], outputs: int, gain: float
    ) -> None:
        """Build the layers.

        Args:
            scale: what each cell is multiplied by, float32[cells].
            layout: the blocks of an observation with its suits renamed by role.
            trumps: whether there is a trump suit, always in the last slot.
            hidden: sizes of the hidden layers: a fifth of the units for each suit, the rest shared.
            outputs: numbers that come out: 52 cards by role, then choices that are no cards.
            gain: of the last layer's weights.
        """
        alike = _SUITS - trumps
        by_suit, shared = _cells_by_suit(layout, len(scale))
        groups = [Groups.of_suits(alike, len(by_suit) // _SUITS, len(shared))]
        groups += [Groups.of_suits(alike, size // 5, size - _SUITS * (size // 5)) for size in hidden]
        groups.append(Groups.of_suits(alike, _RANKS, outputs - _SUITS * _RANKS))
        order = torch.tensor(by_suit + shared)
        gains = [HIDDEN_GAIN] * len(hidden) + [gain]
        layers = [TiedLinear(*ends, size) for *ends, size in zip(groups, groups[1:], gains, strict=False)]
        super().__init__(scale[order], layers)
        self.register_buffer("order", order, persistent=False)

    def forward(self, cells: torch.Tensor) -> torch.Tensor:
        """Return the outputs, float32[rows, outputs]; see :meth:`Perceptron.forward`."""
        return super().forward(cells[:, self.order])

    def raw_layers(self) -> tuple[Layer, ...]:
        """Return the layers in full as they act on unscaled cells, for a checkpoint."""
        (weight, bias), *rest = super().raw_layers()
        return ((weight[:, np.argsort(self.order.cpu().numpy())], bias), *rest)

    def load_raw_layers(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the layers of a checkpoint.

        Raises:
            ValueError: when their sizes are others, or they do not treat plain suits alike.
        """
        (weight, bias), *rest = layers
        if weight.shape[1] == len(self.order):
            weight = weight[:, self.order.cpu().numpy()]
        super().load_raw_layers(((weight, bias), *rest), name)
        for layer, (given, _) in zip(self.linear_layers(), ((weight, bias), *rest), strict=True):
            taken = layer.weight.detach().cpu() * (self.scale.cpu() if given is weight else 1.0)
            if not torch.allclose(taken, torch.as_tensor(given), rtol=1e-3, atol=1e-4):
                raise ValueError(f"init: {name!r} does not treat plain suits alike: set equivariant to false")


def make_actor(config: SelfPlayConfig, hidden: list[int], scale: torch.Tensor, actions: int) -> Perceptron:
    """Return a new policy network of the kind that the settings ask for.

    Args:
        config: the settings.
        hidden: sizes of the hidden layers.
        scale: what each cell is multiplied by, float32[num_observations].
        actions: size of the action space.
    """
    if not config.equivariant:
        return Perceptron.dense(scale, hidden, actions, ACTOR_GAIN)
    game = rules(config.rules)
    return EquivariantPerceptron(scale, observation_layout(game), game.trump != "none", hidden, actions, ACTOR_GAIN)


def _cells_by_suit(layout: dict[str, Block], cells: int) -> tuple[list[int], list[int]]:
    """Return the cells of each suit, as many and in the same order for each, one suit after the other, and the rest."""
    by_suit: list[int] = []
    for suit in range(_SUITS):
        for name, block in layout.items():
            if block.stop - block.start == _SUITS * _RANKS:
                by_suit += range(block.start + _RANKS * suit, block.start + _RANKS * (suit + 1))
            elif name in _BY_SUIT:
                by_suit.append(block.start + suit)
    return by_suit, sorted(set(range(cells)) - set(by_suit))
