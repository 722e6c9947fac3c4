"""The solver benchmark: its endgames come from play and its values are right; speed is not tested."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.benchmarks.harness.figures import Figure, Skipped
from german_whist.benchmarks.speed import endgame
from german_whist.solver.endgames import solve_endgames
from german_whist.solver.search.value_kernels import write_tricks
from tests.conftest import SMALL_TABLE


def test_endgames_come_from_play_and_lookups_save_time(monkeypatch):
    monkeypatch.setattr(endgame, "POSITIONS", 40)
    monkeypatch.setattr(endgame, "_SINGLE", 2)
    monkeypatch.setattr(endgame, "_PEER_POSITIONS", 2)
    monkeypatch.setattr(endgame, "DEFAULT_CARDS", SMALL_TABLE)
    lines = endgame.measure(0.01, lambda share: None)
    figures = {line.name: line for line in lines if isinstance(line, Figure)}
    assert figures["exact value"].ours < figures["exact value"].theirs
    assert figures["exact value: positions"].ours < figures["exact value: positions"].theirs
    assert [line.name for line in lines if isinstance(line, Skipped)] == ["exact value, full table"]


@pytest.mark.parametrize("count", [30])
def test_every_row_gets_its_value(count):
    endgames = endgame.played_endgames(count)
    leaders, followers, trumps, _, _ = endgames
    tricks = np.zeros(count, np.int8)
    table = endgame.load_table(endgame.build_table(endgame.KINDS["trump-high"], SMALL_TABLE))
    solving = endgame.SolverWorkload(table, endgames, write_tricks, tricks)
    assert solving() == count
    assert (tricks == solve_endgames(leaders, followers, trumps)).all()
    assert solving.positions_searched > 0
    assert all(int(hand).bit_count() == 13 for hand in (*leaders, *followers))
