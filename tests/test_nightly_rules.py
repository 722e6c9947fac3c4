"""The nightly check of the rules runs, covers every preset, and finds differences."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from german_whist.envs.engine.rules import rule_names, rules
from german_whist.envs.simulator import batch as engine
from tests import nightly_rules
from tests.nightly_rules import CHUNK, begin, check, game_of, play_chunk


def test_deals_of_presets_and_drawn_games_without_a_difference() -> None:
    results = list(check(deals=500))
    assert sum(deals for deals, _ in results) == 500


@pytest.mark.nightly
def test_twenty_thousand_deals_without_a_difference() -> None:
    assert sum(deals for deals, _ in check(deals=20_000)) == 20_000


def test_every_preset_has_its_turn_and_the_drawn_games_differ() -> None:
    assert {game_of(chunk, 0) for chunk in range(0, 2 * len(rule_names()), 2)} == set(map(rules, rule_names()))
    assert len({game_of(chunk, 0) for chunk in range(1, 200, 2)}) > 90


def test_a_difference_tells_field_game_and_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = engine.DealBatch.step

    def cheat(batch: engine.DealBatch, actions: np.ndarray) -> None:
        honest(batch, actions)
        batch.states["tricks"][-1, 0, 0] += batch.states["tricks"][-1, 0, 0] > 0

    monkeypatch.setattr(engine.DealBatch, "step", cheat)
    with pytest.raises(AssertionError, match=r"chunk 2 of seed 5, Rules.*: tricks: the engine has"):
        play_chunk(2, 5, CHUNK // 50)


def test_a_stopped_check_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nightly_rules, "CHUNK", 20)
    whole = list(check(deals=50, cards=8))
    assert [deals for deals, _ in whole] == [20, 20, 10]
    assert list(check(deals=50, cards=8, done=40)) == whole[2:]


ENGINE = {"engine": "a", "cards": 8, "presets": False}


def test_progress_is_that_of_the_same_engine_and_games(tmp_path: Path) -> None:
    progress = tmp_path / "progress.json"
    assert begin(progress, ENGINE, 3) == begin(None, ENGINE, 3) == (3, 0, 0)
    progress.write_text(json.dumps({**ENGINE, "seed": 3, "deals": 500, "positions": 9000, "complete": False}))
    assert begin(progress, ENGINE, 3) == begin(progress, ENGINE, 0) == (3, 500, 9000)
    assert begin(progress, ENGINE, 4) == (4, 0, 0)
    for change in ({"engine": "b"}, {"cards": 52}, {"presets": True}):
        assert begin(progress, {**ENGINE, **change}, 3) == (3, 0, 0)


def test_a_check_after_a_complete_one_has_the_next_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(nightly_rules, "CHUNK", 4)
    words = ["--deals", "6", "--processes", "1", "--cards", "8", "--progress", str(tmp_path / "progress.json")]
    monkeypatch.setattr("sys.argv", ["nightly_rules", *words])
    for seed in range(2):
        nightly_rules.main()
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == f"seed {seed}, from deal 0"
        assert lines[-1].startswith("6 deals, ")


def test_all_deals_can_be_of_presets() -> None:
    presets = [*map(rules, rule_names())]
    assert [game_of(chunk, 0, only_presets=True) for chunk in range(2 * len(presets))] == 2 * presets
