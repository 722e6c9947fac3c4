"""Snapshots with changes, and runs that must refuse to resume from them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open

from german_whist.training.run.directory import RunDirectory
from german_whist.training.run.snapshot import FORMAT, write_resume_file
from tests.training.whole_runs import resume_run

WITH_POOL = {"opponents": {"self": 0.5, "pool": 0.5}}


def files(run: RunDirectory) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in run.path.rglob("*") if path.is_file()}


def refused(run: RunDirectory, reason: str) -> None:
    """Resuming fails in one line and changes no file."""
    before = files(run)
    with pytest.raises(ValueError, match=reason) as caught:
        resume_run(run.path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 500
    assert files(run) == before


def rewrite(path: Path, change: Callable[[dict[str, torch.Tensor], dict[str, Any]], None]) -> None:
    """Change a snapshot's tensors and texts, under a checksum that is right."""
    with safe_open(path, framework="pt") as file:
        texts = dict(file.metadata())
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    del texts["sha256"], texts["format"]
    about: dict[str, Any] = {key: json.loads(texts[key]) for key in ("about", "decisions") if key in texts}
    change(tensors, about)
    texts |= {key: json.dumps(value) for key, value in about.items()}
    write_resume_file(path, FORMAT, tensors, texts)
