"""Files are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from german_whist.agents.policy.checkpoint import load_checkpoint
from tests.agents.networks import some_network


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "net.safetensors"
    some_network().save(path)
    return path


def test_the_same_network_gives_the_same_bytes(tmp_path: Path) -> None:
    """The order of the texts in the header must not change from file to file."""
    files = [tmp_path / f"{number}.safetensors" for number in range(8)]
    for file in files:
        some_network().save(file)
    assert len({file.read_bytes() for file in files}) == 1
    assert load_checkpoint(files[0]).training == some_network().training
