"""The engine plays the deals in ``golden`` as it did when they were written."""

from __future__ import annotations

import pytest

from german_whist.envs.engine.rules import rule_names
from tests.golden import FOLDER, path_of, playthrough


@pytest.mark.parametrize("preset", rule_names())
def test_every_preset_plays_its_golden_deal_as_written(preset: str) -> None:
    written = path_of(preset).read_text(encoding="utf-8").split("\n")
    assert playthrough(preset).split("\n") == written  # python -m tests.golden


def test_every_playthrough_is_that_of_a_preset_and_fit_to_read() -> None:
    files = {path.stem: path for path in FOLDER.glob("*.txt") if path.stem != "decks"}
    assert set(files) == set(rule_names())
    for path in files.values():
        assert path.stat().st_size < 60_000
        assert max(map(len, path.read_text(encoding="utf-8").split("\n"))) < 400


def test_playthroughs_show_every_kind_of_decision() -> None:
    texts = {preset: path_of(preset).read_text(encoding="utf-8") for preset in rule_names()}
    assert all("play a card" in text for text in texts.values())
    for preset, words in {
        "open_stock": "pick an open card",
        "draft": "take or leave",
        "humbug": "keep or swap",
    }.items():
        assert [name for name, text in texts.items() if words in text] == [preset]
    assert {": take\n", ": leave\n"} <= {line for line in (": take\n", ": leave\n") if line in texts["draft"]}
