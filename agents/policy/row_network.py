"""A policy network that kernels evaluate; the logits are bit for bit those of ``Forward``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.input_kernels import write_network_input
from german_whist.agents.policy.network.forward import packed
from german_whist.agents.policy.network.forward_kernels import write_layer_rows
from german_whist.agents.policy.network.layers import LOGITS_PER_TRICK, UNIVERSAL
from german_whist.game.rules import Rules
from german_whist.game.utils.bit_kernels import lowest
from german_whist.game.utils.jit import kernel
from german_whist.simulator.observation.canonical_kernels import (
    RELABELING_SIZE,
    decode_action,
    encode_action,
    relabel_view,
)
from german_whist.simulator.observation.views import UNPLAYED, VIEW

VIEWS = 32  # evaluated together: side by side, rollouts take 5 % less time than one after the other
_ONE = np.uint64(1)


class RowNetwork(NamedTuple):
    """A network with one hidden layer, and scratch memory to evaluate it in one thread for up to ``VIEWS`` views.

    Attributes:
        hidden: the hidden layer, packed, float32[inputs + 1, units]; without inputs if there is no network.
        last: the last layer, packed, float32[units + 1, actions].
        rank_by_unplayed: whether ranks are counted among the unplayed cards.
        universal: whether the inputs are the universal encoding instead of the observation.
        logits_per_trick: scale of the logits; ``LOGITS_PER_TRICK`` if they are not action values.
        record: the rules, a ``RULES_RECORD`` array (1,).
        views: the views, written by the caller, ``VIEW`` array (VIEWS,).
        canonical: the canonical views, ``VIEW`` array (VIEWS,).
        relabeling: their relabelings, int8[VIEWS, RELABELING_SIZE].
        features: scratch, int8[VIEWS, inputs].
        indices: scratch, int64.
        units: scratch, float32[VIEWS, units].
        logits: the logits of canonical actions, float32[VIEWS, actions].
    """

    hidden: npt.NDArray[np.float32]
    last: npt.NDArray[np.float32]
    rank_by_unplayed: bool
    universal: bool
    logits_per_trick: float
    record: npt.NDArray[Any]
    views: npt.NDArray[Any]
    canonical: npt.NDArray[Any]
    relabeling: npt.NDArray[np.int8]
    features: npt.NDArray[np.int8]
    indices: npt.NDArray[np.int64]
    units: npt.NDArray[np.float32]
    logits: npt.NDArray[np.float32]

    @classmethod
    def for_rules(cls, checkpoint: Checkpoint | None, rules: Rules) -> RowNetwork:
        """Pack a checkpoint's network for a game; ``None`` gives one that plays nothing, see :func:`is_network`.

        Raises:
            ValueError: when the network has suit layers, or not one hidden layer.
        """
        if checkpoint is None:
            checkpoint = Checkpoint(((np.zeros((1, 0), np.float32), np.zeros(1, np.float32)),) * 2, rules)
        elif checkpoint.suit_layers or len(checkpoint.layers) != 2:
            raise ValueError(f"rollouts need a network with one hidden layer, got layers of {checkpoint.sizes}")
        hidden, last = (packed(*layer) for layer in checkpoint.layers)
        inputs = hidden.shape[0] - 1
        return cls(
            hidden,
            last,
            checkpoint.ranks == UNPLAYED,
            checkpoint.inputs == UNIVERSAL,
            checkpoint.logits_per_trick or LOGITS_PER_TRICK,
            rules.record.copy(),
            np.zeros(VIEWS, VIEW),
            np.zeros(VIEWS, VIEW),
            np.zeros((VIEWS, RELABELING_SIZE), np.int8),
            np.zeros((VIEWS, inputs), np.int8),
            np.zeros(max(hidden.shape[0], last.shape[0]), np.int64),
            np.zeros((VIEWS, last.shape[0] - 1), np.float32),
            np.zeros((VIEWS, last.shape[1]), np.float32),
        )


@kernel
def is_network(network: Any) -> bool:
    """Return whether this is a network at all, see :meth:`RowNetwork.of`."""
    return bool(network.features.shape[1] > 0)


@kernel
def write_logits(network: Any, count: int) -> None:
    """Write the canonical form and the logits of the first ``count`` views."""
    views, canonical, features = network.views, network.canonical, network.features
    for row in range(count):
        canonical[row] = views[row]
        relabel_view(views[row], canonical[row], network.relabeling[row], network.rank_by_unplayed)
        write_network_input(network.record[0], canonical[row], network.universal, features[row])
    units, indices = network.units[:count], network.indices
    write_layer_rows(features[:count], network.hidden, True, indices, units)
    write_layer_rows(units, network.last, False, indices, network.logits[:count])


@kernel
def best_action(network: Any, row: int) -> int:
    """Return the legal action with the highest logit in view ``row``, whose logits must be written."""
    logits, legal = network.logits[row], network.canonical[row].legal
    best = lowest(legal)
    while legal:
        action = lowest(legal)
        legal &= legal - _ONE
        if logits[action] > logits[best]:
            best = action
    return int(decode_action(best, network.relabeling[row]))


@kernel
def probability(network: Any, row: int, action: int, temperature: float) -> float:
    """Return the probability of an action in view ``row``, whose logits must be written.

    It is the softmax over legal actions of their values in tricks divided by ``temperature``, also in tricks.
    """
    logits, legal = network.logits[row], network.canonical[row].legal
    chosen = encode_action(action, network.relabeling[row])
    scale = 1.0 / (temperature * network.logits_per_trick)
    total = 0.0  # relative to the chosen action: if a term overflows to ∞, the probability is 0
    while legal:
        other = lowest(legal)
        legal &= legal - _ONE
        total += np.exp(scale * (np.float64(logits[other]) - np.float64(logits[chosen])))
    return 1.0 / total
