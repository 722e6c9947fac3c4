"""The script for a machine with a GPU does all its parts, tiny and on the CPU."""

from __future__ import annotations

import json
import sys

import pytest

from tools import gpu


def test_every_part_runs_and_is_right(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["gpu", "--device", "cpu", "--rows", "16", "--seconds", "0.1"])
    assert gpu.main() == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 10
    assert sum(line.get("right", False) for line in lines) == 4
