"""Every variant, setting of a seed and named agent, each used once."""

from __future__ import annotations

import pytest

import german_whist as gw

PRESETS = (
    "all", "classic", "draft", "high_low", "humbug", "no_trump", "open_stock", "race", "race9", "seventh", "short",
    "six_cards", "small", "small_all", "tiny",
)  # fmt: skip
SEED_SETTINGS = (
    "classic:counts=all,points=over_half",
    "classic:points=over_book,book=6,slam=10",
    "small:points=over_book,book=3,slam=5",
    "small_all:points=over_book,book=6",
    "classic:high_low=true,trump=none",
    "no_trump:counts=all",
    "open_stock:open_stock=3",
    "draft:counts=all",
    "race:race=5,counts=endgame",
    "humbug:trump=turned",
    "classic:suits=2,ranks=4,hand=2,stock=4",
)


@pytest.mark.parametrize("rules", [*PRESETS, *SEED_SETTINGS])
def test_rules_are_played(rules: str) -> None:
    assert gw.play_match("heuristic", "random", deals=4, rules=rules).deals == 4
