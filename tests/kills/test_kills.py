"""A few kills of each trainer; ``make kill-test`` has more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kills.__main__ import attack
from tests.kills.runs import TRAINERS


@pytest.mark.nightly
@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_killed_run_ends_as_if_it_had_not_been(trainer: str, tmp_path: Path) -> None:
    ended, wrong = attack(trainer, 5, 1, tmp_path)
    assert ended
    assert not wrong
