"""What a learner asks of an algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import torch

from german_whist.agents.policy.checkpoint import Layer


class Algorithm(Protocol):
    """Networks and how they learn."""

    def policy(self, cells: torch.Tensor) -> torch.Tensor:
        """Return the logits, float32[rows, actions], of cells int8[rows, num_observations]."""
        ...

    def update(self, *args: Any, **kwargs: Any) -> dict[str, float]:
        """Learn from what was played and return the metrics."""
        ...

    def layers(self) -> tuple[Layer, ...]:
        """Return the policy's layers, as they act on unscaled cells, for a checkpoint."""
        ...

    def start_from(self, layers: tuple[Layer, ...], name: str) -> None:
        """Take the policy from a checkpoint's layers."""
        ...

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the learnt weights and what they are called."""
        ...

    def state(self) -> dict[str, Any]:
        """Return all that the next update depends on, as tensors on the processor."""
        ...

    def load_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Go on from what :meth:`state` returned."""
        ...
