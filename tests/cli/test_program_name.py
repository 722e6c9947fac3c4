"""Printed commands work when they are copied into the same shell."""

from __future__ import annotations

import shlex
import shutil
import sys

import pytest

from german_whist.cli.terminal import printed_command, program_name


@pytest.mark.parametrize(
    ("found", "typed", "name"),
    [
        ("/usr/bin/german-whist", ".venv/bin/german-whist", "german-whist"),
        (None, ".venv/bin/german-whist", ".venv/bin/german-whist"),
        (None, "my venv/bin/german-whist", "'my venv/bin/german-whist'"),
        (None, "site-packages/german_whist/__main__.py", "python -m german_whist"),
    ],
)
def test_the_program_is_named_as_the_shell_finds_it(
    found: str | None, typed: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: found)
    monkeypatch.setattr(sys, "argv", [typed])
    assert program_name() == name


def test_a_shell_takes_every_word_of_a_printed_command_as_it_is() -> None:
    words = ["evaluate", "checkpoint:my runs/it's $HOME/final.safetensors", "random"]
    assert shlex.split(printed_command(*words))[-3:] == words
