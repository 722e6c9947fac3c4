"""The snapshot that a stopped run resumes from: everything that the next update depends on.

There is no random state: every random number of a run is a function of its seed and of how far the run is.
``torch.save`` and ``torch.load(weights_only=True)`` would do for the tensors; safetensors checks the whole file before
the first tensor is read, so that a truncated or foreign file gives one clear error.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from german_whist.envs.utils.checks import is_whole_number
from german_whist.envs.utils.files import write_atomically
from german_whist.training.config import MAX_NUMBER
from german_whist.training.run.provenance import Provenance

MAX_BYTES = 16 << 30  # of a file
UNREADABLE = (SafetensorError, OSError, RuntimeError, ValueError, KeyError, TypeError)


def write_resume_file(
    path: Path, file_format: str, tensors: Mapping[str, torch.Tensor], metadata: Mapping[str, str]
) -> None:
    """Write a file, atomically, with a checksum.

    Args:
        path: the file.
        file_format: name and version of the format.
        tensors: tensors by name.
        metadata: texts by name.

    Raises:
        OSError: when it cannot be written; an earlier one is left as it was.
    """
    contiguous = {name: tensor.contiguous() for name, tensor in tensors.items()}
    texts = {"format": file_format, **metadata}
    write_atomically(path, save(contiguous, metadata={**texts, "sha256": _checksum(contiguous, texts)}))


def read_resume_file(path: Path, file_format: str) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Return the tensors and the metadata of a file.

    Raises:
        ValueError: when the file is of another format, too large, or its checksum is wrong.
        SafetensorError, OSError: when it cannot be read.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ValueError("it is not a file")
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"it has {path.stat().st_size} bytes: at most {MAX_BYTES} are read")
    with safe_open(str(path), framework="pt") as file:
        metadata = file.metadata() or {}
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    if metadata.get("format") != file_format:
        raise ValueError(f"it is not a {file_format} file")
    if metadata.pop("sha256", None) != _checksum(tensors, metadata):
        raise ValueError("it is damaged: its checksum is wrong")
    return tensors, metadata


def _checksum(tensors: Mapping[str, torch.Tensor], texts: Mapping[str, str]) -> str:
    """Return the SHA-256 of tensors and texts, with their names, types and shapes."""
    digest = hashlib.sha256(json.dumps(sorted(texts.items())).encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(json.dumps([name, str(tensor.dtype), list(tensor.shape)]).encode())
        digest.update(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def tensor_of_shape(tensors: Mapping[str, torch.Tensor], name: str, shape: torch.Size) -> torch.Tensor:
    """Return a tensor by name.

    Raises:
        KeyError: when it is missing.
        ValueError: when it has another shape.
    """
    tensor = tensors[name]
    if tensor.shape != shape:
        raise ValueError(f"{name} has shape {list(tensor.shape)}, the network of config.yaml needs {list(shape)}")
    return tensor


def cannot_resume(path: Path, error: Exception) -> ValueError:
    """Return the one-line error that says why a run cannot be resumed."""
    reason = f"it has no {error.args[0]}" if isinstance(error, KeyError) else str(error).splitlines()[0]
    return ValueError(f"{str(path)!r} cannot be resumed: {reason}")


FORMAT = "german-whist-snapshot"


@dataclass(frozen=True)
class Snapshot:
    """A run between two updates.

    Attributes:
        decisions: decisions trained on so far.
        seconds: seconds of training so far.
        learner: weights and optimiser state, by name.
        deals: the collector's state in each process, by name.
        provenance: the settings of the run and its checkpoints.
    """

    decisions: int
    seconds: float
    learner: dict[str, torch.Tensor]
    deals: list[dict[str, torch.Tensor]]
    provenance: Provenance

    def save(self, path: Path) -> None:
        """Write the file, atomically.

        Raises:
            OSError: when it cannot be written; an earlier one is left as it was.
        """
        tensors = {f"learner.{name}": tensor for name, tensor in self.learner.items()}
        for rank, of_process in enumerate(self.deals):
            tensors |= {f"deals.{rank}.{name}": tensor for name, tensor in of_process.items()}
        about = {"decisions": self.decisions, "seconds": self.seconds, "processes": len(self.deals)}
        texts = {"about": json.dumps(about), "provenance": self.provenance.to_text()}
        write_resume_file(path, FORMAT, tensors, texts)

    @classmethod
    def load(cls, path: Path) -> Snapshot:
        """Read the file.

        Raises:
            ValueError: when it is damaged or not a snapshot; the message is one line.
        """
        try:
            tensors, metadata = read_resume_file(path, FORMAT)
            about = json.loads(metadata["about"])
            decisions, seconds, processes = (about[name] for name in ("decisions", "seconds", "processes"))
            found = {name.split(".")[1] for name in tensors if name.startswith("deals.")}
            if not is_whole_number(decisions, 0, MAX_NUMBER):
                raise ValueError(f"its decisions {decisions!r:.60} are not a number of decisions")
            if not isinstance(seconds, float) or not math.isfinite(seconds) or seconds < 0:
                raise ValueError(f"its seconds {seconds!r:.60} are not a time")
            if not is_whole_number(processes, 1) or found != {str(rank) for rank in range(min(processes, 10**4))}:
                raise ValueError(f"it holds the deals of {len(found)} processes, not of {processes!r:.60}")
            return cls(
                decisions,
                seconds,
                _below(tensors, "learner."),
                [_below(tensors, f"deals.{rank}.") for rank in range(processes)],
                Provenance.from_text(metadata["provenance"]),
            )
        except UNREADABLE as error:
            raise cannot_resume(path, error) from None


def _below(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
