"""Presets as parameters of tests: some in every run, all of them at night."""

from __future__ import annotations

import pytest

from german_whist.game.rules import rule_names

DAILY = ("classic", "draft", "high_low", "humbug", "open_stock", "race")
PRESETS = [name if name in DAILY else pytest.param(name, marks=pytest.mark.nightly) for name in rule_names()]
