"""``german-whist export``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.agents.networks import some_network
from tests.cli.commands import Run


def test_the_file_is_named_after_the_agent_unless_another_name_is_given(run: Run, here: Path) -> None:
    pytest.importorskip("torch")
    some_network().save(here / "mine.safetensors")
    completed = run("export", "checkpoint:mine.safetensors", "--to", "torchscript")
    assert (completed.code, completed.err) == (0, "")
    assert completed.out.startswith("mine.pt: ")
    assert run("export", "champion+exact", "--to", "torchscript", "--out", "other.pt").out.startswith("other.pt: ")
    assert {path.name for path in here.iterdir()} == {"mine.safetensors", "mine.pt", "other.pt"}


@pytest.mark.parametrize(("kind", "module", "extra"), [("onnx", "onnx", "export"), ("torchscript", "torch", "train")])
def test_a_missing_library_is_named_with_its_extra(
    run: Run, here: Path, kind: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    completed = run("export", "champion", "--to", kind)
    line = f'german-whist: {module} is not installed: pip install "german-whist[{extra}]"\n'
    assert (completed.code, completed.out, completed.err) == (2, "", line)
    assert not list(here.iterdir())
