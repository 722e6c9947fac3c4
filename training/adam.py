"""The state of the optimiser, by name, for snapshots."""

from __future__ import annotations

from collections.abc import Sequence

import torch

ADAM_EPSILON = 1e-5


def moments_of(optimizer: torch.optim.Optimizer, called: str = "optimizer") -> dict[str, torch.Tensor]:
    """Return Adam's moments, on the processor, by names that start with what it is called."""
    return {
        f"{called}.{number}.{name}": torch.as_tensor(moment).cpu().clone()
        for number, moments in optimizer.state_dict()["state"].items()
        for name, moment in moments.items()
    }


def load_moments(
    optimizer: torch.optim.Optimizer,
    parameters: Sequence[torch.Tensor],
    tensors: dict[str, torch.Tensor],
    called: str = "optimizer",
) -> None:
    """Give Adam the moments that :func:`moments_of` returned.

    Raises:
        KeyError: when one is missing.
        ValueError: when one has another shape than its weights.
    """
    moments = optimizer.state_dict()
    for number, weight in enumerate(parameters):
        shapes = {"step": torch.Size(()), "exp_avg": weight.shape, "exp_avg_sq": weight.shape}
        # A learner that was saved before its first update has no moments.
        if any(f"{called}.{number}.{name}" in tensors for name in shapes):
            moments["state"][number] = {
                name: tensor_of_shape(tensors, f"{called}.{number}.{name}", shape) for name, shape in shapes.items()
            }
    optimizer.load_state_dict(moments)


def tensor_of_shape(tensors: dict[str, torch.Tensor], name: str, shape: torch.Size) -> torch.Tensor:
    """Return a tensor by name.

    Raises:
        KeyError: when it is missing.
        ValueError: when it has another shape.
    """
    tensor = tensors[name]
    if tensor.shape != shape:
        raise ValueError(f"{name} has shape {list(tensor.shape)}, the network of config.yaml needs {list(shape)}")
    return tensor
