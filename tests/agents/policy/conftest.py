"""A small checkpoint file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.networks import some_network


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of a small network."""
    path = tmp_path / "net.safetensors"
    some_network().save(path)
    return path
