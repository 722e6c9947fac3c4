"""The nightly check of the rules runs, plays every preset, and finds differences."""

from __future__ import annotations

import pytest

from german_whist.game.rules import rule_names, rules
from tests.nightly_rules import check, game_of
from tests.reference import game


def test_every_preset_is_played() -> None:
    assert {game_of(2 * place, 0) for place in range(len(rule_names()))} == {*map(rules, rule_names())}


def test_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game, "follower_wins", lambda led, card, trump: False)
    with pytest.raises(AssertionError, match="chunk 0 of seed 0"):
        list(check(deals=2))
