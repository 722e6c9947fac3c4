"""A policy network that kernels ask about views, as in rollouts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.input_kernels import write_network_input
from german_whist.agents.policy.network.forward import ForwardScratch, PackedNetwork
from german_whist.agents.policy.network.forward_kernels import write_outputs
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
    """A network with scratch memory to evaluate it in one thread for up to ``VIEWS`` views.

    Attributes:
        network: the network; without inputs if there is none.
        rank_by_unplayed: whether ranks are counted among the unplayed cards.
        universal: whether the inputs are the universal encoding instead of the observation.
        logits_per_trick: scale of the logits; ``LOGITS_PER_TRICK`` if they are not action values.
        record: the rules, a ``RULES_RECORD`` array (1,).
        views: the views, written by the caller, ``VIEW`` array (VIEWS,).
        canonical: the canonical views, ``VIEW`` array (VIEWS,).
        relabeling: their relabelings, int8[VIEWS, RELABELING_SIZE].
        features: scratch, int8[VIEWS, inputs].
        scratch: scratch memory of the forward pass.
        logits: the logits of canonical actions, float32[VIEWS, actions].
    """

    network: PackedNetwork
    rank_by_unplayed: bool
    universal: bool
    logits_per_trick: float
    record: npt.NDArray[Any]
    views: npt.NDArray[Any]
    canonical: npt.NDArray[Any]
    relabeling: npt.NDArray[np.int8]
    features: npt.NDArray[np.int8]
    scratch: ForwardScratch
    logits: npt.NDArray[np.float32]

    @classmethod
    def for_rules(cls, checkpoint: Checkpoint | None, rules: Rules) -> RowNetwork:
        """Return a checkpoint's network for a game; ``None`` gives one that plays nothing, see :func:`is_network`."""
        if checkpoint is None:
            checkpoint = Checkpoint(((np.zeros((1, 0), np.float32), np.zeros(1, np.float32)),), rules)
        network = checkpoint.packed
        return cls(
            network,
            checkpoint.ranks == UNPLAYED,
            checkpoint.inputs == UNIVERSAL,
            checkpoint.logits_per_trick or LOGITS_PER_TRICK,
            rules.record.copy(),
            np.zeros(VIEWS, VIEW),
            np.zeros(VIEWS, VIEW),
            np.zeros((VIEWS, RELABELING_SIZE), np.int8),
            np.zeros((VIEWS, checkpoint.sizes[0]), np.int8),
            ForwardScratch.create(network, VIEWS),
            np.zeros((VIEWS, network.outputs), np.float32),
        )


@kernel
def is_network(network: Any) -> bool:
    """Return whether this is a network at all, see :meth:`RowNetwork.for_rules`."""
    return bool(network.features.shape[1] > 0)


@kernel
def write_logits(network: Any, count: int) -> None:
    """Write the canonical form and the logits of the first ``count`` views."""
    views, canonical, features = network.views, network.canonical, network.features
    for row in range(count):
        canonical[row] = views[row]
        relabel_view(views[row], canonical[row], network.relabeling[row], network.rank_by_unplayed)
        write_network_input(network.record[0], canonical[row], network.universal, features[row])
    write_outputs(network.network, features[:count], network.scratch, network.logits[:count])


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
