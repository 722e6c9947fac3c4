"""Rules in words: every field changes the text, and the examples are what the scoring pays."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given

from german_whist.game.rules import Rules, rules
from german_whist.game.scoring import REWARDS, seat_return
from german_whist.game.state import STATE
from german_whist.simulator.text.rules_text import rules_spec, rules_text, scoring_examples
from tests.strategies import games

# For each field two games that differ in it, and in other fields only where they must.
PAIRS: dict[str, tuple[Rules, Rules]] = {
    "suits": (Rules(suits=3, ranks=12, hand=10, stock=16), Rules(suits=4, ranks=9, hand=10, stock=16)),
    "ranks": (Rules(suits=4, ranks=9, hand=10, stock=16), Rules(suits=3, ranks=12, hand=10, stock=16)),
    "hand": (Rules(), Rules(hand=12, stock=28)),
    "stock": (Rules(ranks=12, hand=12, stock=24), Rules(ranks=12, hand=11, stock=26)),
    "open_stock": (Rules(), Rules(open_stock=2)),
    "trump": (Rules(), Rules(trump="none")),
    "high_low": (Rules(), Rules(high_low=True)),
    "draft": (Rules(), Rules(draft=True)),
    "race": (Rules(counts="all"), Rules(counts="all", race=7)),
    "humbug": (Rules(), Rules(stock=0, humbug=True)),
    "counts": (Rules(), Rules(counts="all")),
    "points": (Rules(points="over_book"), Rules(points="over_half")),
    "book": (Rules(points="over_book"), Rules(points="over_book", book=5)),
    "slam": (Rules(points="over_book"), Rules(points="over_book", slam=10)),
}


def body(rules: Rules) -> str:
    """The text without its title, which names the settings."""
    return rules_text(rules).partition("\n")[2]


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Rules)])
def test_fields_change_text(field: str) -> None:
    one, other = PAIRS[field]
    assert getattr(one, field) != getattr(other, field)
    assert body(one) != body(other)


@given(games(), games())
def test_text_identifies_game(one: Rules, other: Rules) -> None:
    assert (body(one) == body(other)) == (one.record.tobytes() == other.record.tobytes())


def finished(rules: Rules, mine: int, theirs: int, low: bool) -> float:
    """The points that the engine pays seat 0 for these counted tricks."""
    state = np.zeros(1, STATE)
    state["tricks"][0, 1] = mine, theirs
    state["low"] = low
    return float(seat_return(rules.record[0], state[0], REWARDS.index("points")))


@given(games())
def test_scoring_examples_in_words_are_right(rules: Rules) -> None:
    text = " ".join(rules_text(rules).split())
    examples = scoring_examples(rules)
    assert examples
    for mine, theirs, points in examples:
        low = mine < theirs
        assert low <= rules.high_low
        assert finished(rules, mine, theirs, low) == points > 0
        assert finished(rules, theirs, mine, low) == -points
        assert f"{mine}-{theirs}{' in a low game' if low else ''} scores {points:g}" in text
        assert mine + theirs <= rules.counted
        assert rules.race or mine + theirs == rules.counted
    assert any(mine < theirs for mine, theirs, _ in examples) == rules.high_low


@given(games())
def test_rules_spec_round_trip(game_rules: Rules) -> None:
    assert rules(rules_spec(game_rules)).record.tobytes() == game_rules.record.tobytes()
