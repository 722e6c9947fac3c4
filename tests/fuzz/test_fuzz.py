"""The first cases of every target; ``make fuzz`` runs on."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from german_whist.envs.utils.files import CACHE_VARIABLE
from tests.fuzz import contract
from tests.fuzz.contract import BrokenError, command, refused_or
from tests.fuzz.targets import TARGETS

CASES = {"commands": 40, "requests": 20}
MANY = 60


@pytest.mark.parametrize("name", TARGETS)
def test_mutated_input_is_refused_in_one_line_or_does_no_harm(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    case = TARGETS[name](tmp_path)
    for number in range(CASES.get(name, MANY)):
        case(np.random.default_rng([number, *name.encode()]))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the test forks on purpose
def test_the_contract_can_be_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")

    def crash() -> None:
        raise KeyError("x")

    def two_lines() -> None:
        raise ValueError("one\ntwo")

    def other_code() -> None:
        import subprocess

        subprocess.run(["true"], check=True)

    def fork() -> None:
        if not os.fork():
            os._exit(0)
        os.wait()

    def wait() -> None:
        (tmp_path / "pipe").read_bytes()

    for broken in (crash, two_lines, other_code, fork):
        with pytest.raises(BrokenError):
            refused_or(broken)
    # For this one alone: an alarm in the middle of a slow fork leaves the lock of `logging` taken for ever.
    monkeypatch.setattr(contract, "WAIT", 0.3)
    with pytest.raises(BrokenError, match=r"more than 0\.3 s"):
        refused_or(wait)
    assert refused_or(lambda: 7) == 7
    assert command(["rules", "absent"]) is None
