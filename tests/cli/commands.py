"""Commands run in this process, as a shell would see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from german_whist.cli import main


class Said(NamedTuple):
    """The result of a command: its exit code and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Said]


def runner(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: str) -> Said:
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Said(code, *capsys.readouterr())

    return run
