"""A policy network for kernels: the weights in one array, and scratch memory for some views at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.canonical_kernels import RELABELING_SIZE
from german_whist.agents.policy.checkpoint import UNPLAYED, Checkpoint
from german_whist.agents.policy.inputs import input_layout
from german_whist.agents.policy.network.forward import BLOCK, aligned, padded, row_scratch
from german_whist.agents.policy.network.layers import LOGITS_PER_TRICK, UNIVERSAL, Layer
from german_whist.agents.policy.network.vector_code import NARROW
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.views import VIEW


class RowNetwork(NamedTuple):
    """A network that kernels evaluate for up to ``BLOCK`` views at a time, bit for bit as ``MLPForward`` does.

    Scratch memory for the views is flat, row after row. One thread uses it at a time; :meth:`copy` shares the weights.

    Attributes:
        weights: the weights and biases of each layer, float32.
        starts: int64[layers, 2], where each layer's weight (inputs, outputs) and bias start.
        sizes: int64[layers + 1], inputs, and outputs with those added by ``padded``; a single number for no network.
        rank_by_unplayed: int64[1], 1 if ranks are counted among the unplayed cards.
        universal: int64[1], 1 if the network sees the universal encoding instead of the observation of its game.
        logits_per_trick: float64[1], ``LOGITS_PER_TRICK`` if the logits are no action values.
        game: ``GAME`` array (1,), the rules.
        views: the views, written by the caller, ``VIEW`` array (BLOCK,).
        canonical: the canonical views, ``VIEW`` array (BLOCK,).
        relabeling: their relabelings, int8[BLOCK × RELABELING_SIZE].
        logits: the output, float32[BLOCK × actions], of canonical actions.
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
        """Pack a checkpoint's network for a game.

        Without a checkpoint, it is one without layers, which :func:`has_layers` tells apart.

        Raises:
            ValueError: when the suits share layers.
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
        parts: list[npt.NDArray[Any]] = [np.zeros(NARROW, np.float32)]
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
