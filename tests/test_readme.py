"""README.md: its examples run unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.examples import ROOT, blocks, run_page

README = ROOT / "README.md"


def test_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [block.kind for block in blocks(README)]
    assert {"python", "console"} <= set(kinds)
    run_page(README, tmp_path, monkeypatch)
