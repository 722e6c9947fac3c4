"""A folder to stand in, and a way to run commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import Run, runner


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, so that relative names mean files of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def run(here: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command: ``run("evaluate", "random", "greedy")`` returns exit code and output."""
    return runner(capsys)
