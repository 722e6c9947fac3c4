"""What a learner needs from an algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar

import torch

from german_whist.agents.policy.network.layers import Layer

Batch_contra = TypeVar("Batch_contra", contravariant=True)


class Algorithm(Protocol[Batch_contra]):
    """Networks, and their update from the ``Batch`` of a rollout."""

    def policy(self, features: torch.Tensor) -> torch.Tensor:
        """Return the logits, float32[rows, actions], for observations int8[rows, num_observations]."""
        ...

    def update(self, batch: Batch_contra, progress: float, *, value_only: bool = False) -> dict[str, float]:
        """Learn from a rollout and return the metrics.

        Args:
            batch: experience of the current policy.
            progress: share of the run that is done, 0 to 1, for the schedules.
            value_only: train everything except the policy.
        """
        ...

    def layers(self) -> tuple[Layer, ...]:
        """Return the policy's layers for unscaled features, as a checkpoint stores them."""
        ...

    def start_from(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the policy from a checkpoint's layers; ``name`` is the checkpoint's, for errors."""
        ...

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the trained weights by name."""
        ...

    def state(self) -> dict[str, torch.Tensor]:
        """Return everything that the next update depends on, as tensors on the CPU."""
        ...

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state` returned."""
        ...
