"""Commands run in this process, as a shell would see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from german_whist.cli import main


class CommandResult(NamedTuple):
    """The result of a command: its exit code and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., CommandResult]


def runner(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: str) -> CommandResult:
        capsys.readouterr()
        code = main([str(word) for word in words])
        return CommandResult(code, *capsys.readouterr())

    return run
