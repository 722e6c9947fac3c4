"""What a stopped run of our own trainer goes on from: everything the next update depends on, in one safetensors file.

There is no random state: every random number of a run is a function of its seed and of where the run stands.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from german_whist.envs.utils.atomic_file import write_atomically

FORMAT = "german-whist-selfplay"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class Snapshot:
    """A run between two updates.

    Attributes:
        decisions: trained on so far.
        seconds: spent on that.
        learner: networks and optimiser, by name.
        deals: the deals of each process.
    """

    decisions: int
    seconds: float
    learner: dict[str, torch.Tensor]
    deals: list[dict[str, torch.Tensor]]

    def save(self, path: Path) -> None:
        """Write the file, atomically.

        Raises:
            OSError: when it cannot be written; an earlier one is left as it was.
        """
        tensors = {f"learner.{name}": tensor.contiguous() for name, tensor in self.learner.items()}
        for rank, of_process in enumerate(self.deals):
            tensors |= {f"deals.{rank}.{name}": tensor.contiguous() for name, tensor in of_process.items()}
        about = {"decisions": self.decisions, "seconds": self.seconds, "processes": len(self.deals)}
        metadata = {"format": FORMAT, "version": str(FORMAT_VERSION), "about": json.dumps(about)}
        write_atomically(path, save(tensors, metadata=metadata))

    @classmethod
    def load(cls, path: Path) -> Snapshot:
        """Read the file.

        Raises:
            ValueError: when it is damaged or something else; one line says which.
        """
        try:
            with safe_open(str(path), framework="pt") as file:
                metadata = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
            if (metadata.get("format"), metadata.get("version")) != (FORMAT, str(FORMAT_VERSION)):
                raise ValueError(f"it is not a {FORMAT} of version {FORMAT_VERSION}")
            about = json.loads(metadata["about"])
            return cls(
                int(about["decisions"]),
                float(about["seconds"]),
                _below(tensors, "learner."),
                [_below(tensors, f"deals.{rank}.") for rank in range(int(about["processes"]))],
            )
        except (SafetensorError, OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
            raise unusable(path, error) from None


def unusable(path: Path, error: Exception) -> ValueError:
    """Return the error that says why a run cannot be resumed."""
    reason = f"it has no {error.args[0]}" if isinstance(error, KeyError) else str(error).splitlines()[0]
    return ValueError(f"{str(path)!r} cannot be resumed: {reason}")


def _below(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
