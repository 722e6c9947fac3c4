"""Baselines train for a budget, and their page shows the results in its file."""

from __future__ import annotations

import pytest

from tools import baselines
from tools.baselines import RESULTS, ROOT, finished, table


def test_the_page_shows_the_results() -> None:
    page = (ROOT / "docs" / "explanation" / "baselines.md").read_text(encoding="utf-8")
    assert table(finished(RESULTS)) in page, "python -m tools.baselines --table"


def test_fixed_costs_count_once_in_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]

    def train(decisions: int, seed: int) -> None:
        clock[0] += 5 + decisions / 1000

    monkeypatch.setattr(baselines, "processor_time", lambda: clock[0])
    assert baselines.decisions_within(train, 600) == pytest.approx(595_000)
