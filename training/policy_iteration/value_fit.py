"""The value network of checkpoints, fitted to self-play after training."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import torch

from german_whist.agents.policy.network.layers import Layer
from german_whist.agents.policy.network.mlp import mlp_of
from german_whist.game.rules import rules
from german_whist.training.config import SELF
from german_whist.training.policy_iteration.collector import Collector, Network

OUTCOMES_RANK = 2**20  # ranges of deals from this rank on belong to no training process
_MOST_ENVS = 1024  # most environments of self-play for outcomes
_GREEDY = 1e4  # inverse temperature: sampling then picks the action with the highest logit
RIDGE = 1e-5  # relative to the mean square of a hidden unit, summed over positions
NEWTON_STEPS = 12
Outcomes = tuple[npt.NDArray[np.int8], npt.NDArray[np.float64]]  # :func:`self_play_outcomes` returns them


def self_play_outcomes(
    policy: Network, shares: Mapping[str, float], deals: int, seed: int, inputs: str, device: str = "cpu"
) -> Outcomes:
    """Play deals with a policy's best actions and exact endgames; return every decision with its outcome.

    Args:
        policy: returns logits, float32[rows, actions], for observations int8[rows, features].
        shares: shares of the games, which sum to 1.
        deals: number of deals in all games together; at least one of each game is played.
        seed: seed of the deals.
        inputs: the policy's encoding.
        device: torch device of the policy.

    Returns:
        Features, int8[n, features], and the final margin of the seat to act, in tricks, float64[n].
    """
    features, margins = [], []
    for game, share in shares.items():
        left, rank = max(round(deals * share), 1), OUTCOMES_RANK
        while left > 0:
            envs = min(left, _MOST_ENVS)
            found = _play(policy, game, envs, seed, inputs, rank, device)
            features.append(found[0])
            margins.append(found[1])
            left, rank = left - envs, rank + 1
    return np.concatenate(features), np.concatenate(margins)


def _play(policy: Network, game: str, envs: int, seed: int, inputs: str, rank: int, device: str) -> Outcomes:
    """Play one deal in each environment."""
    steps = 4 * rules(game).foreplay  # an upper bound: a card and a choice of each seat per trick
    collector = Collector(
        game, envs, steps, {SELF: 1.0}, {}, seed=seed, inputs=inputs, rank=rank, solves=True, device=device
    )
    rollout = collector.rollout
    collector.begin_rollout()
    for step in range(steps):
        collector.observe(step)
        collector.choose(step, lambda features: policy(features) * _GREEDY)
        collector.play(step)
    # Environments whose deal is over go on with further deals, which are left out.
    ended = torch.cumsum(rollout.ends.to(torch.int32), 0) - rollout.ends.to(torch.int32)
    first = ended == 0  # decisions of each environment's first deal
    margins = (rollout.margins * first).sum(0, dtype=torch.float64)
    own = torch.where(rollout.seats == 0, margins, -margins)
    return collector.features(rollout.views_where(first)).cpu().numpy(), own[first].cpu().numpy()


def fit_value(layers: tuple[Layer, ...], suit_layers: int, outcomes: Outcomes) -> tuple[Layer, ...]:
    """Return a value network's layers with a new last layer: the margin, and the logit of the chance to win.

    During training, the value network estimates a squashed margin and bootstraps from itself, so it is not calibrated.
    Its last layer is replaced by two linear outputs on the last hidden layer h. With the final margin m of the seat to
    act and y = (1 + sign m) / 2, these minimise

    * margin: Σ (w·h − m)² + ρ |w|², by least squares;
    * chance to win: −Σ (y log σ(u·h) + (1 − y) log(1 − σ(u·h))) + ρ/2 |u|², by Newton's method (logistic regression),

    where ρ is small and relative to the size of h (Hastie, Tibshirani and Friedman, "The Elements of Statistical
    Learning", 2nd edition, 3.4.1 and 4.4.1). The policy is not touched.

    Args:
        layers: the trained value network, which expects unscaled features.
        suit_layers: number of its suit layers.
        outcomes: from :func:`self_play_outcomes`.
    """
    features, margins = outcomes
    return (*layers[:-1], _last_layer(_hidden(layers, suit_layers, features), margins))


@torch.inference_mode()
def _hidden(layers: tuple[Layer, ...], suit_layers: int, features: npt.NDArray[np.int8]) -> torch.Tensor:
    """Return the units of the last hidden layer and a column of ones for the bias, float64[rows, units + 1]."""
    network = mlp_of(layers, suit_layers)
    hidden = network.units(torch.from_numpy(features), network.weights())
    return torch.cat([hidden, torch.ones(len(hidden), 1)], 1).double()


def _last_layer(hidden: torch.Tensor, margins: npt.NDArray[np.float64]) -> Layer:
    """Fit the last layer: float32[2, units] and bias float32[2], for the margin and the logit of the chance to win."""
    targets = torch.from_numpy(margins)
    wins = (1 + targets.sign()) / 2
    gram = hidden.T @ hidden
    ridge = RIDGE * (gram.trace() / len(gram) + 1) * torch.eye(len(gram), dtype=torch.float64)
    margin = torch.linalg.solve(gram + ridge, hidden.T @ targets)
    logit = torch.zeros_like(margin)
    for _ in range(NEWTON_STEPS):  # Newton's method, that is, iteratively reweighted least squares
        chance = torch.sigmoid(hidden @ logit)
        gradient = hidden.T @ (wins - chance) - ridge @ logit
        curvature = (hidden * (chance * (1 - chance))[:, None]).T @ hidden + ridge
        step = torch.linalg.solve(curvature, gradient)
        logit += step
        if float(step.abs().max()) < 1e-6 * (1 + float(logit.abs().max())):
            break
    outputs = torch.stack([margin, logit]).float().numpy()
    return outputs[:, :-1].copy(), outputs[:, -1].copy()
