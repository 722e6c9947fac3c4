"""The snapshot from which a run resumes: named tensors and a few values, with a checksum, in one file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from german_whist.game.utils.files import write_atomically

SNAPSHOT_FORMAT = "german-whist-snapshot-5"


def write_snapshot(path: Path, about: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
    """Write a snapshot beside the previous one, and rename it.

    Args:
        path: the file.
        about: values for its JSON metadata.
        tensors: tensors by name.
    """
    content = {name: tensor.contiguous() for name, tensor in tensors.items()}
    described = {"format": SNAPSHOT_FORMAT, "about": json.dumps(about)}
    described["sha256"] = _digest(described["about"], content)
    write_atomically(path, save(content, described))


def read_snapshot(path: Path) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """Return the ``about`` and the tensors of a snapshot.

    Raises:
        ValueError: if it is damaged or of another version.
    """
    try:
        with safe_open(path, "pt") as file:
            described = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no dictionary
    except SafetensorError as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    if described.get("format") != SNAPSHOT_FORMAT:
        raise ValueError(f"{path} is of another version, {described.get('format')}: start a new run (init)")
    if described.get("sha256") != _digest(described.get("about", ""), tensors):
        raise ValueError(f"{path} is damaged: its checksum is wrong")
    about: dict[str, Any] = json.loads(described["about"])
    return about, tensors


def _digest(about: str, tensors: Mapping[str, torch.Tensor]) -> str:
    digest = hashlib.sha256(about.encode())
    for name in sorted(tensors):
        digest.update(name.encode() + tensors[name].numpy().tobytes())
    return digest.hexdigest()
