"""The page of baselines shows the results in its file."""

from __future__ import annotations

from tools.baselines import RESULTS, ROOT, finished, table


def test_the_page_shows_the_results() -> None:
    page = (ROOT / "docs" / "explanation" / "baselines.md").read_text(encoding="utf-8")
    assert table(finished(RESULTS)) in page, "python -m tools.baselines --table"
