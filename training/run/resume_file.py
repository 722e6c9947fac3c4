"""Files that a stopped run resumes from: safetensors with a format name, read without running any code from them.

``torch.save`` and ``torch.load(weights_only=True)`` would do for the tensors; safetensors checks the whole file before
the first tensor is read, so that a truncated or foreign file gives one clear error.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from german_whist.envs.utils.atomic_file import write_atomically

UNREADABLE = (SafetensorError, OSError, RuntimeError, ValueError, KeyError, TypeError)


def write_resume_file(
    path: Path, file_format: str, tensors: Mapping[str, torch.Tensor], metadata: Mapping[str, str]
) -> None:
    """Write a file, atomically.

    Args:
        path: the file.
        file_format: name and version of the format.
        tensors: tensors by name.
        metadata: texts by name.

    Raises:
        OSError: when it cannot be written; an earlier one is left as it was.
    """
    contiguous = {name: tensor.contiguous() for name, tensor in tensors.items()}
    write_atomically(path, save(contiguous, metadata={"format": file_format, **metadata}))


def read_resume_file(path: Path, file_format: str) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Return the tensors and the metadata of a file.

    Raises:
        ValueError: when the file is of another format.
        SafetensorError, OSError: when it cannot be read.
    """
    with safe_open(str(path), framework="pt") as file:
        metadata = file.metadata() or {}
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    if metadata.get("format") != file_format:
        raise ValueError(f"it is not a {file_format} file")
    return tensors, metadata


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
