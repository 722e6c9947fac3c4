"""The policy network of ``trainer: sb3``, and its conversion to a checkpoint."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from german_whist.agents.policy.checkpoint import Checkpoint
from german_whist.agents.policy.network.layers import Layer
from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.vector import observation_layout
from german_whist.training.networks import LOW_SCALE


class ScaledTrunk(BaseFeaturesExtractor):
    """The first hidden layers, shared by actor and critic, over scaled observations."""

    scale: torch.Tensor

    def __init__(self, observation_space: spaces.Box, hidden: list[int], low_features: list[int]) -> None:
        """Build the layers.

        Args:
            observation_space: its upper bounds scale the features to [0, 1].
            hidden: sizes of the shared layers.
            low_features: features that say whether the endgame is played low; they are scaled to ``LOW_SCALE``.
        """
        super().__init__(observation_space, features_dim=hidden[-1])
        scale = 1.0 / torch.as_tensor(np.maximum(observation_space.high, 1), dtype=torch.float32)
        scale[low_features] *= LOW_SCALE
        self.register_buffer("scale", scale)
        sizes = [int(observation_space.shape[0]), *hidden]
        layers: list[nn.Module] = []
        for i in range(len(hidden)):
            layers += [nn.Linear(sizes[i], sizes[i + 1]), nn.ReLU()]
        self.layers = nn.Sequential(*layers)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the trunk's outputs, float32[rows, hidden[-1]]."""
        features: torch.Tensor = self.layers(observations * self.scale)
        return features


def policy_settings(hidden: list[int], rules: str | Rules = "classic") -> dict[str, Any]:
    """Return the policy arguments of MaskablePPO: all hidden layers but the last are shared by actor and critic."""
    low = observation_layout(rules).get("low")
    trunk, last = (hidden[:-1], hidden[-1:]) if len(hidden) > 1 else (hidden, [])
    return {
        "features_extractor_class": ScaledTrunk,
        "features_extractor_kwargs": {"hidden": trunk, "low_features": list(range(low.start, low.stop)) if low else []},
        "net_arch": {"pi": last, "vf": last},
        "activation_fn": nn.ReLU,
        "optimizer_kwargs": {"eps": 1e-5},
    }


def actor_layers(policy: MaskableActorCriticPolicy) -> tuple[Layer, ...]:
    """Return the actor as plain layers for unscaled observations: the scale is folded into the first weights.

    Raises:
        TypeError: when the policy has another features extractor than ours.
    """
    trunk = policy.features_extractor
    if not isinstance(trunk, ScaledTrunk):
        raise TypeError(f"the policy's features come from {type(trunk).__name__}, not from ScaledTrunk")
    modules = [*trunk.layers, *policy.mlp_extractor.policy_net, policy.action_net]
    linear = [module for module in modules if isinstance(module, nn.Linear)]
    layers = []
    for i, layer in enumerate(linear):
        weight = layer.weight.detach()
        if i == 0:
            weight = weight * trunk.scale
        layers.append((weight.cpu().numpy().copy(), layer.bias.detach().cpu().numpy().copy()))
    return tuple(layers)


def policy_checkpoint(policy: MaskableActorCriticPolicy, rules: Rules, training: dict[str, Any]) -> Checkpoint:
    """Return the actor of a policy as a checkpoint."""
    return Checkpoint(actor_layers(policy), rules, training)
