"""Reports about a search: where it gains, and how its strength grows with its budget."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from german_whist.benchmarks.strength import search_budget, search_gain


def test_gains_are_of_decisions_that_the_search_changes(capsys: pytest.CaptureFixture[str]) -> None:
    gains = search_gain.measure("champion-small:search=4,candidates=16,threads=1", deals=6, seed=1, orders=2)
    assert 0 < gains.changed.sum() < len(gains.changed)
    assert not gains.tricks[~gains.changed].any()
    assert np.abs(gains.tricks).max() <= 2 * 6  # of the game's hands
    assert set(gains.trick.tolist()) <= set(range(1, 10))
    shown = search_gain.table(gains, 6)
    assert "| 1 to 3 |" in shown
    assert search_gain.main(["champion-small"]) == 2
    assert "does not search" in capsys.readouterr().err


def test_strength_over_budget_is_a_table_and_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "budget.png"
    assert search_budget.main(["small", "--worlds", "1", "2", "--deals", "2", "--picture", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "| 1 | " in shown
    assert "| 2 | " in shown
    assert path.read_bytes().startswith(b"\x89PNG")
    assert search_budget.main(["no-such-agent", "--deals", "2"]) == 2
