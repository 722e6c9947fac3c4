"""Reports about a search: where it gains, and how its strength grows with its budget."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from german_whist.benchmarks.strength import search_budget, search_gain

AGENT = "small:search=4,threads=1"


def test_gains_are_of_decisions_that_the_search_changes(capsys: pytest.CaptureFixture[str]) -> None:
    (gains,) = search_gain.measure([AGENT], deals=6, seed=1, orders=2)
    assert 0 < gains.changed.sum() < len(gains.changed)
    assert not gains.tricks[~gains.changed].any()
    assert np.abs(gains.tricks).max() <= 2 * 13  # of the game's hands
    assert set(gains.trick.tolist()) <= set(range(1, 14))
    assert "| 1 to 3 |" in search_gain.by_trick(gains, 6)
    assert search_gain.main(["small"]) == 2
    assert "does not search" in capsys.readouterr().err


def test_searches_are_compared_on_the_same_decisions(capsys: pytest.CaptureFixture[str]) -> None:
    more = AGENT.replace("search=4", "search=32")
    one, same, other = search_gain.measure([AGENT, AGENT, more], deals=6, seed=1, orders=2)
    for got, expected in zip(same[:5], one[:5], strict=True):  # but for the time
        np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(other.deal, one.deal)
    assert (other.changed != one.changed).any()
    assert search_gain.main([AGENT, more, "--deals", "2"]) == 0
    assert f"| `{more}` |" in capsys.readouterr().out
    assert search_gain.main([AGENT, "champion:search=4"]) == 2
    assert "the same policy" in capsys.readouterr().err


def test_gains_against_another_agent_are_of_one_seat_in_each_deal() -> None:
    (alone,) = search_gain.measure([AGENT], deals=4, seed=1, orders=1)
    (gains,) = search_gain.measure([AGENT], deals=4, seed=1, orders=1, against="heuristic")
    assert 0 < np.bincount(gains.deal).max() <= 13 < np.bincount(alone.deal).max()


def test_strength_over_budget_is_a_table_and_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "budget.png"
    assert search_budget.main(["small", "--worlds", "1", "2", "--deals", "2", "--picture", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "| 1 | " in shown
    assert "| 2 | " in shown
    assert path.read_bytes().startswith(b"\x89PNG")
    assert search_budget.main(["no-such-agent", "--deals", "2"]) == 2
