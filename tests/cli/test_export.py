"""``german-whist export``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.networks import some_network
from tests.cli.commands import Run


def test_the_file_is_named_after_the_agent_unless_another_name_is_given(run: Run, here: Path) -> None:
    pytest.importorskip("onnx")
    some_network().save(here / "mine.safetensors")
    completed = run("export", "checkpoint:mine.safetensors")
    assert (completed.code, completed.err) == (0, "")
    assert completed.out.startswith("mine.onnx: ")
    assert run("export", "champion+exact", "--out", "other.onnx").out.startswith("other.onnx: ")
    assert {path.name for path in here.iterdir()} == {"mine.safetensors", "mine.onnx", "other.onnx"}
