"""The nightly check of the rules runs, covers every preset, and finds differences."""

from __future__ import annotations

from tests.nightly_rules import check


def test_many_deals_match_reference() -> None:
    results = list(check(deals=500))
    assert sum(deals for deals, _ in results) == 500
