"""The engine plays the deals in ``golden`` as it did when they were written."""

from __future__ import annotations

import pytest

from german_whist.game.rules import rule_names
from tests.golden import path_of, playthrough


@pytest.mark.parametrize("preset", rule_names())
def test_golden_deal(preset: str) -> None:
    written = path_of(preset).read_text(encoding="utf-8").split("\n")
    assert playthrough(preset).split("\n") == written  # python -m tests.golden
