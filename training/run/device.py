"""The torch device of a run."""

from __future__ import annotations

import torch


def check_device(name: str) -> None:
    """Refuse a device that does not exist; Stable-Baselines3 would silently use the CPU instead of a missing GPU.

    Raises:
        ValueError: when torch has no such device on this machine.
    """
    if name == "auto":
        return
    try:
        torch.zeros(1, device=torch.device(name)).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"device: {name!r} cannot be used: {reason}") from None
