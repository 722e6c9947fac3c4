"""The nightly check of the rules runs, covers every preset, and finds differences."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.envs.simulator import batch as engine
from tests.nightly_rules import CHUNK, check, play_chunk


def test_deals_of_presets_and_drawn_games_without_a_difference() -> None:
    results = list(check(deals=500))
    assert sum(deals for deals, _ in results) == 500


def test_a_difference_tells_field_game_and_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = engine.DealBatch.step

    def cheat(batch: engine.DealBatch, actions: np.ndarray) -> None:
        honest(batch, actions)
        batch.states["tricks"][-1, 0, 0] += batch.states["tricks"][-1, 0, 0] > 0

    monkeypatch.setattr(engine.DealBatch, "step", cheat)
    with pytest.raises(AssertionError, match=r"chunk 2 of seed 5, Rules.*: tricks: the engine has"):
        play_chunk(2, 5, CHUNK // 50)
