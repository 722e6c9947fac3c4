"""The script for a machine with a GPU does all its parts, tiny and on the CPU."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tools import gpu


def test_every_part_runs_and_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["gpu", "--offline", "--out", str(tmp_path)])
    assert gpu.main() == 0
    lines = [json.loads(line) for line in (tmp_path / "gpu.jsonl").read_text().splitlines()]
    assert all(line.get("right", True) for line in lines)
    assert len({line["what"] for line in lines}) > 20
