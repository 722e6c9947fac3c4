"""Files that a stopped run resumes from: safetensors with a format name, read without running any code from them.

``torch.save`` and ``torch.load(weights_only=True)`` would do for the tensors; safetensors checks the whole file before
the first tensor is read, so that a truncated or foreign file gives one clear error.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from german_whist.envs.utils.atomic_file import write_atomically

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
