"""Printed commands work when they are copied into the same shell."""

from __future__ import annotations

import shutil
import sys

import pytest

from german_whist.cli.terminal.program_name import program_name


@pytest.mark.parametrize(
    ("found", "typed", "name"),
    [
        ("/usr/bin/german-whist", ".venv/bin/german-whist", "german-whist"),
        (None, ".venv/bin/german-whist", ".venv/bin/german-whist"),
        (None, "site-packages/german_whist/__main__.py", "python -m german_whist"),
    ],
)
def test_the_program_is_named_as_the_shell_finds_it(
    found: str | None, typed: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: found)
    monkeypatch.setattr(sys, "argv", [typed])
    assert program_name() == name
