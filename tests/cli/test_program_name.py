"""Printed commands work when they are copied into the same shell."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


ODD = [*'"\\~♠🃏\u200d\udcffé*x', "it's $HOME", "\n.", "\x1b[2J", ",lr=0.1", "+exact", "[a:b]"]
odd_names = st.lists(st.sampled_from(ODD), min_size=1, max_size=6).map("".join)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@given(odd_names)
def test_a_shell_takes_every_word_of_a_printed_command_as_it_is(encoding: str, name: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding))
        command = printed_command("evaluate", f"checkpoint:{name}", Path(f"-{name}"), "random")
        command.encode(encoding)
    assert command.isprintable()
    words = command.removeprefix(f"{program_name()} ")
    printed = subprocess.run(["sh", "-c", f"printf '%s\\0' {words}"], capture_output=True, check=True).stdout
    taken = printed.decode(errors="surrogateescape").split("\0")[:-1]
    assert taken == ["evaluate", f"checkpoint:{name}", f"./-{name}", "random"]
