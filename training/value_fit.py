"""The value network that a run ships: margin and winning chance, fitted to the outcomes of self-play.

In training the value estimates a squashed margin and bootstraps from itself. Here its last layer is replaced by two
linear outputs on its last hidden layer: the margin of the deal by least squares, and the winning chance by logistic
regression (Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning", 2nd edition, 3.4.1 and 4.4.1), both
with a small ridge penalty. The policy is not touched, and any snapshot of a run can be given a value.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import torch

from german_whist.agents.policy.network.layers import Layer
from german_whist.agents.policy.network.mlp import mlp_of
from german_whist.envs.engine.rules import rules
from german_whist.training.config import SELF
from german_whist.training.rollouts import Collector, Network

MAX_ROWS = 100_000  # positions that the outputs are fitted to
FIRST_RANK = 2**20  # ranges of deals from here on belong to no process that trains
_MAX_ENVS = 1024
_GREEDY = 1e4  # inverse temperature: the action with the highest logit
_RIDGE = 1e-5
_NEWTON_STEPS = 12

Outcomes = tuple[npt.NDArray[np.int8], npt.NDArray[np.float64]]


def self_play_outcomes(
    policy: Network, shares: Mapping[str, float], deals: int, seed: int, inputs: str, device: str = "cpu"
) -> Outcomes:
    """Play deals with a policy's best actions and exact endgames; return every decision and what it led to.

    Args:
        policy: float32[rows, actions] for observations int8[rows, features].
        shares: share of each game; the sum is 1.
        deals: number of deals, all games together; at least one of each game is played.
        seed: seed of the deals.
        inputs: what the policy sees.
        device: torch device of the policy.

    Returns:
        Features int8[n, features], and the final margin of the seat to act in tricks, float64[n].
    """
    features, margins = [], []
    for game, share in shares.items():
        left, rank = max(round(deals * share), 1), FIRST_RANK
        while left > 0:
            envs = min(left, _MAX_ENVS)
            found = _play(policy, game, envs, seed, inputs, rank, device)
            features.append(found[0])
            margins.append(found[1])
            left, rank = left - envs, rank + 1
    return np.concatenate(features), np.concatenate(margins)


def _play(policy: Network, game: str, envs: int, seed: int, inputs: str, rank: int, device: str) -> Outcomes:
    """Play one deal in each environment."""
    steps = 4 * rules(game).foreplay  # a card and a choice of each seat a trick
    collector = Collector(
        game, envs, steps, {SELF: 1.0}, {}, seed=seed, inputs=inputs, rank=rank, solves=True, device=device
    )
    rollout = collector.rollout
    collector.begin_rollout()
    for step in range(steps):
        collector.observe(step)
        collector.choose(step, lambda features: policy(features) * _GREEDY)
        collector.play(step)
    ended = torch.cumsum(rollout.ends.to(torch.int32), 0) - rollout.ends.to(torch.int32)
    first = ended == 0  # decisions of each environment's first deal
    margins = (rollout.margins * first).sum(0, dtype=torch.float64)
    own = torch.where(rollout.seats == 0, margins, -margins)
    return collector.features(rollout.views_where(first)).cpu().numpy(), own[first].cpu().numpy()


def fit_value(layers: tuple[Layer, ...], suit_layers: int, outcomes: Outcomes) -> tuple[Layer, ...]:
    """Return a value network's layers with a last layer for the margin and the logit of the winning chance.

    Args:
        layers: the trained value network, for unscaled features.
        suit_layers: number of its layers that the suits share.
        outcomes: from :func:`self_play_outcomes`.
    """
    features, margins = outcomes
    every = max(1, -(-len(features) // MAX_ROWS))
    last = _last_layer(_hidden(layers, suit_layers, features[::every]), margins[::every])
    return (*layers[:-1], last)


@torch.inference_mode()
def _hidden(layers: tuple[Layer, ...], suit_layers: int, features: npt.NDArray[np.int8]) -> torch.Tensor:
    """Return the last hidden layer and a column of ones, float64[rows, units + 1]."""
    network = mlp_of(layers, suit_layers)
    hidden = network.units(torch.from_numpy(features), network.weights())
    return torch.cat([hidden, torch.ones(len(hidden), 1)], 1).double()


def _last_layer(hidden: torch.Tensor, margins: npt.NDArray[np.float64]) -> Layer:
    """Return weight float32[2, units] and bias float32[2]: the margin, and the logit of the winning chance."""
    targets = torch.from_numpy(margins)
    wins = (1 + targets.sign()) / 2
    gram = hidden.T @ hidden
    ridge = _RIDGE * (gram.trace() / len(gram) + 1) * torch.eye(len(gram), dtype=torch.float64)
    margin = torch.linalg.solve(gram + ridge, hidden.T @ targets)
    logit = torch.zeros_like(margin)
    for _ in range(_NEWTON_STEPS):  # iteratively reweighted least squares
        chance = torch.sigmoid(hidden @ logit)
        gradient = hidden.T @ (wins - chance) - ridge @ logit
        curvature = (hidden * (chance * (1 - chance))[:, None]).T @ hidden + ridge
        step = torch.linalg.solve(curvature, gradient)
        logit += step
        if float(step.abs().max()) < 1e-6 * (1 + float(logit.abs().max())):
            break
    outputs = torch.stack([margin, logit]).float().numpy()
    return outputs[:, :-1].copy(), outputs[:, -1].copy()
