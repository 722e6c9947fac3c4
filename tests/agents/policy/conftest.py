"""A small checkpoint file, reading such files past ``load_checkpoint``, and its refusals."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from german_whist.agents.policy.checkpoint import load_checkpoint
from tests.agents.networks import some_network

Tensors = dict[str, np.ndarray]
ModelCard = dict[str, Any]


def read_raw(path: Path) -> tuple[Tensors, ModelCard]:
    content = path.read_bytes()
    [length] = struct.unpack("<Q", content[:8])
    return load_file(path), json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["card"])


def refusal(path: Path) -> str:
    """Why a file is refused: one line that names it."""
    with pytest.raises(ValueError, match="checkpoint") as caught:
        load_checkpoint(path)
    message = str(caught.value)
    assert "\n" not in message
    assert path.name in message
    assert caught.value.__cause__ is None
    return message


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of a small network."""
    path = tmp_path / "net.safetensors"
    some_network().save(path)
    return path
