"""A model of the opponents: a network that learns to play their actions, by behaviour cloning.

A best response needs their replies in its lookaheads. Asking them there would take a call of each for every action of
every position, too slow for an opponent that searches. On best responses to models of an opponent: Johanson, Zinkevich
and Bowling, "Computing robust counter-strategies", NIPS 2007.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch.nn.functional import cross_entropy

from german_whist.training.networks.ema import EMANetwork
from german_whist.training.policy_iteration.output_units import LOGITS_PER_OUTPUT


@dataclass(frozen=True)
class OpponentActions:
    """Decisions of the opponents in which they had a choice.

    Attributes:
        features: int8[positions, num_observations].
        masks: bool[positions, actions], legal actions.
        actions: int64[positions], what they played, by role.
    """

    features: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor


def learn_actions(model: EMANetwork, played: OpponentActions, minibatches: Iterable[torch.Tensor], rate: float) -> None:
    """Take a gradient step on the cross-entropy of the actions for each minibatch.

    Args:
        model: outputs float32[rows, actions], whose softmax, in logits, is the opponents' policy.
        played: their decisions.
        minibatches: int64[rows] each, positions of ``played``.
        rate: the learning rate.
    """
    for rows in minibatches:
        logits = model.network(played.features[rows]) * LOGITS_PER_OUTPUT
        logits = logits.masked_fill(~played.masks[rows], -torch.inf)
        model.step(cross_entropy(logits, played.actions[rows]), len(rows), rate)
