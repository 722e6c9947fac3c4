"""The nightly check of the rules runs, covers every preset, and finds differences."""

from __future__ import annotations

from tests.nightly_rules import check


def test_deals_of_presets_and_drawn_games_without_a_difference() -> None:
    results = list(check(deals=500))
    assert sum(deals for deals, _ in results) == 500
