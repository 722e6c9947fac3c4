"""What a network with weights shared by the four suits sees of each suit, and the shapes of its layers.

Suits differ in the cards that are where, not in what that means, so the *suit layers* read each suit with the same
weights: the suit's part of every block of cards, its own numbers (trumps, voids), and everything that has no suit. The
*trunk* joins the four results. As many layers after it judge each suit's cards, again with the same weights, from what
the suit layers and the trunk give. (Weight sharing: LeCun et al., "Backpropagation applied to handwritten zip code
recognition", 1989; per element and pooled: Zaheer et al., "Deep sets", arXiv 1703.06114.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.input_blocks import UNIVERSAL_LAYOUT

SUITS, RANKS = 4, 13
CARDS = SUITS * RANKS

_BLOCKS = [(block.start, block.stop - block.start) for block in UNIVERSAL_LAYOUT.values()]
_PLANES = [start for start, size in _BLOCKS if size == CARDS]
_BY_SUIT = [start for start, size in _BLOCKS if size == SUITS]
_WITHOUT_SUIT = CARDS * len(_PLANES) + SUITS * len(_BY_SUIT)  # the first such feature, of every game and encoding
_OWN = RANKS * len(_PLANES) + len(_BY_SUIT)  # inputs that are a suit's own


def suit_inputs(features: int) -> npt.NDArray[np.int64]:
    """Return which of a network's inputs each suit's units see, int64[4, inputs].

    Args:
        features: number of inputs, of an observation or the universal encoding.
    """
    rest = np.arange(_WITHOUT_SUIT, features)
    suits = [
        np.concatenate(
            [
                *(start + RANKS * suit + np.arange(RANKS) for start in _PLANES),
                np.array([start + suit for start in _BY_SUIT]),
                rest,
            ]
        )
        for suit in range(SUITS)
    ]
    return np.stack(suits).astype(np.int64)


def suit_layer_shapes(sizes: Sequence[int], suit_layers: int) -> list[tuple[int, int]]:
    """Return the shapes (out, in) of the layers.

    Args:
        sizes: inputs; units for each suit, of the suit layers; units of each layer of the trunk; then, for a policy,
            units for each suit, of as many layers again, and actions; for a value, outputs.
        suit_layers: number of suit layers, at least 1.

    Raises:
        ValueError: when there are too few sizes.
    """
    features, *hidden, outputs = sizes
    card_layers = card_layers_of(suit_layers, outputs)
    if suit_layers < 1 or len(hidden) <= suit_layers + card_layers:
        raise ValueError(f"{len(hidden)} hidden layers are too few for {suit_layers} suit layers")
    shapes = []
    width = features - _WITHOUT_SUIT + _OWN
    for number, units in enumerate(hidden):
        if number == suit_layers:
            width *= SUITS
        if number == len(hidden) - card_layers:
            width += hidden[suit_layers - 1]
        shapes.append((units, width))
        width = units
    return [*shapes, (outputs - CARDS + RANKS if card_layers else outputs, width)]


def card_layers_of(suit_layers: int, outputs: int) -> int:
    """Return how many hidden layers judge each suit's cards: as many as suit layers; none for a value."""
    return suit_layers if outputs >= CARDS else 0


def suit_layer_sizes(shapes: Sequence[tuple[int, int]]) -> list[int]:
    """Return the sizes that shapes come from: the inverse of :func:`suit_layer_shapes`."""
    outputs = shapes[-1][0]
    return [
        shapes[0][1] + _WITHOUT_SUIT - _OWN,
        *(units for units, _ in shapes[:-1]),
        outputs + (CARDS - RANKS if outputs >= RANKS else 0),
    ]
