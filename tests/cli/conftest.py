"""Fixtures: an empty working directory, a command runner, and typed input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.cli.commands import Run, runner

Typist = Callable[[Iterable[str]], list[str]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, so that relative names mean files of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "argv", ["german-whist"])
    return tmp_path


@pytest.fixture
def run(here: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command: ``run("evaluate", "random", "greedy")`` returns exit code and output."""
    return runner(capsys)


@pytest.fixture
def type_lines(monkeypatch: pytest.MonkeyPatch) -> Typist:
    """Give ``type_lines(lines)``: type these lines at prompts from now on; returns a list that collects the prompts."""

    def script(lines: Iterable[str]) -> list[str]:
        rest, asked = iter(lines), []

        def answer(prompt: str = "") -> str:
            asked.append(prompt)
            try:
                return next(rest)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)
        return asked

    return script
