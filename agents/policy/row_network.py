"""A policy network that kernels can evaluate: its weights in one array, scratch memory, and the forward pass.

The logits are bit for bit those of ``MLPForward``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.input_kernels import write_network_input
from german_whist.agents.policy.inputs import input_layout
from german_whist.agents.policy.network.forward import BLOCK, aligned, padded, row_scratch
from german_whist.agents.policy.network.forward_kernels import write_layer
from german_whist.agents.policy.network.layers import LOGITS_PER_TRICK, UNIVERSAL, Layer
from german_whist.agents.policy.network.vector_code import NARROW
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.canonical_kernels import RELABELING_SIZE, decode_action, encode_action, relabel_view
from german_whist.envs.observation.views import UNPLAYED, VIEW
from german_whist.envs.utils.bit_kernels import lowest
from german_whist.envs.utils.jit import kernel

_ONE = np.uint64(1)


class RowNetwork(NamedTuple):
    """A network and scratch memory to evaluate it in kernels for up to ``BLOCK`` views at a time.

    Scratch memory for the views is flat, row after row. It serves one thread; :meth:`copy` shares the weights.

    Attributes:
        weights: the weights and biases of all layers, float32.
        starts: offsets in ``weights`` of each layer's weight (inputs, outputs) and bias, int64[layers, 2].
        sizes: number of inputs, then of outputs of each layer with those added by ``padded``, int64[layers + 1]; one
            number alone if there is no network.
        rank_by_unplayed: int64[1], 1 if ranks are counted among the unplayed cards.
        universal: int64[1], 1 if the inputs are the universal encoding instead of the observation.
        logits_per_trick: float64[1], scale of the logits; ``LOGITS_PER_TRICK`` if they are not action values.
        game: ``GAME`` array (1,), the rules.
        views: the views, written by the caller, ``VIEW`` array (BLOCK,).
        canonical: the canonical views, ``VIEW`` array (BLOCK,).
        relabeling: their relabelings, int8[BLOCK × RELABELING_SIZE].
        logits: the logits of canonical actions, float32[BLOCK × actions].
        features: scratch, int8[BLOCK × inputs].
        units: scratch, float32[BLOCK × widest].
        other_units: scratch, float32[BLOCK × widest].
        places: scratch, uint32[BLOCK, widest + 8].
        values: scratch, float32[BLOCK, widest].
        counts: scratch, int64[BLOCK].
    """

    weights: npt.NDArray[np.float32]
    starts: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]
    rank_by_unplayed: npt.NDArray[np.int64]
    universal: npt.NDArray[np.int64]
    logits_per_trick: npt.NDArray[np.float64]
    game: npt.NDArray[Any]
    views: npt.NDArray[Any]
    canonical: npt.NDArray[Any]
    relabeling: npt.NDArray[np.int8]
    logits: npt.NDArray[np.float32]
    features: npt.NDArray[np.int8]
    units: npt.NDArray[np.float32]
    other_units: npt.NDArray[np.float32]
    places: npt.NDArray[np.uint32]
    values: npt.NDArray[np.float32]
    counts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, checkpoint: Checkpoint | None, rules: Rules) -> RowNetwork:
        """Pack a checkpoint's network for a game; ``None`` gives a network without layers (see :func:`has_layers`).

        Raises:
            ValueError: when the network has suit layers.
        """
        if checkpoint is None:
            return cls._packed((), [1], 0, 0, None, rules.game.copy())
        if checkpoint.suit_layers:
            raise ValueError("rollouts need a network of plain layers: this one has suit layers")
        sizes = checkpoint.sizes
        rank_by_unplayed = int(checkpoint.ranks == UNPLAYED)
        universal = int(checkpoint.inputs == UNIVERSAL)
        assert input_layout(rules, checkpoint.inputs)["turn"].stop <= sizes[0]
        return cls._packed(
            checkpoint.layers, sizes, rank_by_unplayed, universal, checkpoint.logits_per_trick, rules.game.copy()
        )

    @classmethod
    def _packed(
        cls,
        network: tuple[Layer, ...],
        sizes: list[int],
        rank_by_unplayed: int,
        universal: int,
        logits_per_trick: float | None,
        game: Any,
    ) -> RowNetwork:
        starts = np.zeros((len(network), 2), np.int64)
        parts: list[npt.NDArray[Any]] = [np.zeros(NARROW, np.float32)]  # not empty, even without layers
        for layer, (weight, bias) in enumerate(network):
            for which, array in enumerate((weight.T, bias)):
                starts[layer, which] = sum(part.size for part in parts)
                parts.append(padded(array).ravel())
        sizes = [sizes[0], *(size + -size % NARROW for size in sizes[1:])]
        widest = max(sizes)
        return cls(
            aligned(np.concatenate(parts)),
            starts,
            np.array(sizes, np.int64),
            np.array([rank_by_unplayed], np.int64),
            np.array([universal], np.int64),
            np.array([logits_per_trick or LOGITS_PER_TRICK]),
            game,
            np.zeros(BLOCK, VIEW),
            np.zeros(BLOCK, VIEW),
            np.zeros(BLOCK * RELABELING_SIZE, np.int8),
            np.zeros(BLOCK * sizes[-1], np.float32),
            np.zeros(BLOCK * sizes[0], np.int8),
            np.zeros(BLOCK * widest, np.float32),
            np.zeros(BLOCK * widest, np.float32),
            *row_scratch(widest),
        )

    def copy(self) -> RowNetwork:
        """Return the same network with scratch memory of its own, for another thread."""
        return self._replace(
            views=self.views.copy(),
            canonical=self.canonical.copy(),
            relabeling=self.relabeling.copy(),
            logits=self.logits.copy(),
            features=self.features.copy(),
            units=self.units.copy(),
            other_units=self.other_units.copy(),
            places=self.places.copy(),
            values=self.values.copy(),
            counts=self.counts.copy(),
        )


@kernel
def has_layers(network: Any) -> bool:
    """Return whether this is a network at all, see :meth:`RowNetwork.of`."""
    return bool(network.sizes.shape[0] > 1)


@kernel
def write_logits(network: Any, count: int) -> None:
    """Write the canonical form and the logits of the first ``count`` views."""
    views, canonical, inputs = network.views, network.canonical, network.sizes[0]
    features = network.features[: count * inputs].reshape(count, inputs)
    relabeling = network.relabeling[: count * RELABELING_SIZE].reshape(count, RELABELING_SIZE)
    for row in range(count):
        canonical[row] = views[row]
        relabel_view(views[row], canonical[row], relabeling[row], network.rank_by_unplayed[0] == 1)
        write_network_input(network.game[0], canonical[row], network.universal[0] == 1, features[row])
    weights, starts, sizes = network.weights, network.starts, network.sizes
    places, values, counts = network.places, network.values, network.counts
    actions, top = sizes[sizes.shape[0] - 1], sizes.shape[0] - 2
    logits = network.logits[: count * actions].reshape(count, actions)
    if top == 0:
        write_layer(features, weights, starts[0, 0], starts[0, 1], False, places, values, counts, logits)
    else:
        units, others = network.units, network.other_units
        below = units[: count * sizes[1]].reshape(count, sizes[1])
        write_layer(features, weights, starts[0, 0], starts[0, 1], True, places, values, counts, below)
        for layer in range(1, top):
            above = others[: count * sizes[layer + 1]].reshape(count, sizes[layer + 1])
            write_layer(below, weights, starts[layer, 0], starts[layer, 1], True, places, values, counts, above)
            below = above
            units, others = others, units  # each layer reads the buffer that the last one wrote
        write_layer(below, weights, starts[top, 0], starts[top, 1], False, places, values, counts, logits)


@kernel
def best_action(network: Any, row: int) -> int:
    """Return the legal action with the highest logit in view ``row``, whose logits must be written."""
    actions = network.sizes[network.sizes.shape[0] - 1]
    logits = network.logits[row * actions : (row + 1) * actions]
    relabeling = network.relabeling[row * RELABELING_SIZE : (row + 1) * RELABELING_SIZE]
    legal = network.canonical[row].legal
    best = lowest(legal)
    while legal:
        action = lowest(legal)
        legal &= legal - _ONE
        if logits[action] > logits[best]:
            best = action
    return int(decode_action(best, relabeling))


@kernel
def probability(network: Any, row: int, action: int, temperature: float) -> float:
    """Return the probability of an action in view ``row``, whose logits must be written.

    It is the softmax over legal actions of their values in tricks divided by ``temperature``, also in tricks.
    """
    actions = network.sizes[network.sizes.shape[0] - 1]
    logits = network.logits[row * actions : (row + 1) * actions]
    relabeling = network.relabeling[row * RELABELING_SIZE : (row + 1) * RELABELING_SIZE]
    legal = network.canonical[row].legal
    chosen = encode_action(action, relabeling)
    scale = 1.0 / (temperature * network.logits_per_trick[0])
    total = 0.0  # relative to the chosen action: if a term overflows to ∞, the probability is 0
    while legal:
        other = lowest(legal)
        legal &= legal - _ONE
        total += np.exp(scale * (np.float64(logits[other]) - np.float64(logits[chosen])))
    return 1.0 / total
