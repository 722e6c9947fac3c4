"""The layers of policy and value networks, and their form in a checkpoint file.

The tensors of a network are ``PREFIX.0.weight`` (out, in), ``PREFIX.0.bias`` (out,), ``PREFIX.1.weight``, …, all
float32 or all float16. In a plain network each layer reads the one before it. A network may also have *suit layers*:

A card means the same in every suit, so the *suit layers* read each suit with the same weights. Their inputs are
the suit's part of every block of cards, the suit's own numbers (trumps, voids), and all features without a suit. The
*trunk* joins the four results. After it, as many *card layers* evaluate each suit's cards, again with shared weights,
from the outputs of the suit layers and the trunk. (Weight sharing: LeCun et al., "Backpropagation applied to
handwritten zip code recognition", 1989; per element and pooled: Zaheer et al., "Deep sets", arXiv 1703.06114.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from german_whist.game.cards import NUM_CARDS, SUIT_SIZE, SUITS
from german_whist.game.layout import starts_of

NUM_SUITS = len(SUITS)
OBSERVATION, UNIVERSAL = "observation", "universal"  # kinds of inputs, see ``input_kernels``
INPUTS = (OBSERVATION, UNIVERSAL)
# The scale of logits that are action values: an action that loses one more trick is e**4 times less likely. Logits that
# are not action values are read on the same scale: an action e times as likely counts as a quarter of a trick better.
LOGITS_PER_TRICK = 4.0

Layer = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]


def layer_shapes(sizes: Sequence[int], suit_layers: int = 0) -> list[tuple[int, int]]:
    """Return the shapes (out, in) of the layers' weights.

    Args:
        sizes: number of inputs, then of units in each layer; the last number is that of the outputs.
        suit_layers: number of suit layers; 0 for a plain multilayer perceptron.

    Raises:
        ValueError: when there are too few layers for the suit layers.
    """
    if suit_layers:
        return _suit_layer_shapes(sizes, suit_layers)
    return [(stop, start) for start, stop in pairwise(sizes)]


def sizes_of(layers: Sequence[Layer], suit_layers: int = 0) -> list[int]:
    """Return the number of inputs, then of units in each layer: the inverse of :func:`layer_shapes`."""
    shapes = [(int(weight.shape[0]), int(weight.shape[1])) for weight, _ in layers]
    if suit_layers:
        return _suit_layer_sizes(shapes)
    return [shapes[0][1], *(units for units, _ in shapes)]


def layer_tensors(layers: Sequence[Layer], prefix: str, *, half: bool = False) -> dict[str, npt.NDArray[Any]]:
    """Return layers as the tensors of a file, by name.

    Args:
        layers: weight float32[out, in] and bias float32[out] of each.
        prefix: prefix of the names.
        half: convert to float16.
    """
    return {
        f"{prefix}.{i}.{name}": np.ascontiguousarray(array, np.float16 if half else np.float32)
        for i, layer in enumerate(layers)
        for name, array in zip(("weight", "bias"), layer, strict=True)
    }


@cache
def _features_of_suits() -> npt.NDArray[np.int64]:
    """Return the indices of each suit's features, int64[4, features]: its cards in every block, then its own numbers.

    They are the same in every game and encoding, and all later features are without a suit.
    """
    from german_whist.agents.policy.input_kernels import UNIVERSAL_BLOCKS  # loads the compiler; reading a card does not

    starts = starts_of(UNIVERSAL_BLOCKS)
    return np.concatenate(
        [
            starts[block.name] + np.arange(size).reshape(NUM_SUITS, size // NUM_SUITS)
            for size in (NUM_CARDS, NUM_SUITS)
            for block in UNIVERSAL_BLOCKS
            if block.size == size
        ],
        axis=1,
    )


def suit_inputs(features: int) -> npt.NDArray[np.int64]:
    """Return the indices of the network's inputs that each suit's first layer reads, int64[4, inputs].

    Args:
        features: number of the network's inputs, an observation or the universal encoding.
    """
    of_suits = _features_of_suits()
    rest = np.arange(of_suits.size, features)
    return np.concatenate([of_suits, np.tile(rest, (NUM_SUITS, 1))], axis=1)


def _suit_layer_shapes(sizes: Sequence[int], suit_layers: int) -> list[tuple[int, int]]:
    """Return the shapes (out, in) of the layers' weights.

    Args:
        sizes: number of inputs; units per suit of each suit layer; units of each trunk layer; then, for a policy, units
            per suit of each card layer, and actions; for a value network, outputs.
        suit_layers: number of suit layers, at least 1.

    Raises:
        ValueError: when there are too few sizes.
    """
    features, *hidden, outputs = sizes
    card_layers = card_layers_of(suit_layers, outputs)
    if suit_layers < 1 or len(hidden) <= suit_layers + card_layers:
        raise ValueError(f"{len(hidden)} hidden layers are too few for {suit_layers} suit layers")
    shapes = []
    width = suit_inputs(features).shape[1]
    for number, units in enumerate(hidden):
        if number == suit_layers:  # the trunk reads all four suits
            width *= NUM_SUITS
        if number == len(hidden) - card_layers:  # the first card layer reads the suit's units and the trunk's
            width += hidden[suit_layers - 1]
        shapes.append((units, width))
        width = units
    return [*shapes, (outputs - NUM_CARDS + SUIT_SIZE if card_layers else outputs, width)]


def card_layers_of(suit_layers: int, outputs: int) -> int:
    """Return the number of card layers: as many as suit layers in a policy, none in a value network."""
    return suit_layers if outputs >= NUM_CARDS else 0


def _suit_layer_sizes(shapes: Sequence[tuple[int, int]]) -> list[int]:
    """Return the sizes of a network from its shapes: the inverse of :func:`_suit_layer_shapes`."""
    outputs = shapes[-1][0]
    return [
        shapes[0][1] + (NUM_SUITS - 1) * _features_of_suits().shape[1],  # other suits' features
        *(units for units, _ in shapes[:-1]),
        outputs + (NUM_CARDS - SUIT_SIZE if outputs >= SUIT_SIZE else 0),
    ]
