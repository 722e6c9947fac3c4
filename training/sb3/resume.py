"""Weights and Adam's moments of a Stable-Baselines3 model as tensors by name, without pickles.

There is no random state: Stable-Baselines3's generators are seeded anew before each rollout, by the run's seed and its
decisions so far.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from sb3_contrib import MaskablePPO

from german_whist.training.run.resume_file import tensor_of_shape


def learner_state(model: MaskablePPO) -> dict[str, torch.Tensor]:
    """Return weights, moments and the number of updates of a model."""
    tensors = {f"policy.{name}": weight.detach() for name, weight in model.policy.named_parameters()}
    for number, state in model.policy.optimizer.state_dict()["state"].items():
        for name, value in state.items():
            tensors[f"optimizer.{number}.{name}"] = torch.as_tensor(value)
    return tensors | {"updates": torch.tensor(model._n_updates)}


def load_learner_state(model: MaskablePPO, tensors: Mapping[str, torch.Tensor]) -> None:
    """Restore what :func:`learner_state` returned.

    Raises:
        KeyError: when a tensor is missing.
        ValueError: when one has the shape of another network, or the number of updates is none.
    """
    updates = tensor_of_shape(tensors, "updates", torch.Size(()))
    if updates.dtype != torch.int64 or updates < 0:
        raise ValueError(f"its updates {updates.item()} are not a number of updates")
    with torch.no_grad():
        for name, weight in model.policy.named_parameters():
            weight.copy_(tensor_of_shape(tensors, f"policy.{name}", weight.shape))
    optimizer = model.policy.optimizer.state_dict()
    for number, weight in enumerate(model.policy.parameters()):
        shapes = {"step": torch.Size(()), "exp_avg": weight.shape, "exp_avg_sq": weight.shape}
        # A learner saved before its first update has no moments.
        if any(f"optimizer.{number}.{key}" in tensors for key in shapes):
            optimizer["state"][number] = {
                key: tensor_of_shape(tensors, f"optimizer.{number}.{key}", shape) for key, shape in shapes.items()
            }
    model.policy.optimizer.load_state_dict(optimizer)
    model._n_updates = int(updates)
