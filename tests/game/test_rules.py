"""Rules are data: valid and invalid settings, presets and specifications."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from german_whist.game.rules import Rules, rules, rules_from_dict
from tests.reference.compare import play_both
from tests.reference.game import full_deck
from tests.reference.plain import NAMES
from tests.strategies import games


def test_classic_is_the_default() -> None:
    assert rules("classic") == Rules() == rules()


@given(games())
def test_deck_has_as_many_cards_as_are_dealt(rules: Rules) -> None:
    assert [NAMES[card] for card in rules.cards] == full_deck(rules.suits, rules.ranks)
    assert 2 * rules.tricks == len(rules.cards) // (2 if rules.humbug else 1)
    assert rules.counted == (rules.tricks if rules.counts == "all" else rules.hand)


@given(games())
def test_rules_round_trip(rules: Rules) -> None:
    assert rules_from_dict(rules.to_dict()) == rules
    assert rules_from_dict(yaml.safe_load(yaml.safe_dump(rules.to_dict()))) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert hash(rules_from_dict(rules.to_dict())) == hash(rules)


def test_rules_cannot_be_changed() -> None:
    rules = Rules()
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.hand = 5  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        pickle.loads(pickle.dumps(rules)).record["hand"] = 5
    assert dataclasses.replace(rules, hand=5, stock=42).hand == 5


OVER_BOOK, FOUR_HANDS = {"points": "over_book"}, {"stock": 0, "humbug": True}


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        # a field alone
        ({"suits": 5}, ["suits", "got 5", "from 1 to 4"]),
        ({"suits": 4.0}, ["suits", "got 4.0"]),
        ({"ranks": "13"}, ["ranks", "got '13'"]),
        ({"hand": 0, "stock": 52}, ["hand", "got 0"]),
        ({"hand": 13, "stock": 25}, ["stock=25", "odd"]),
        ({"counts": "endgme"}, ["counts", "did you mean 'endgame'"]),
        ({**OVER_BOOK, "book": 7}, ["book", "got 7", "from 0 to 6"]),
        ({**OVER_BOOK, "slam": -1}, ["slam", "got -1"]),
        ({"open_stock": -1}, ["open_stock", "got -1"]),
        ({"race": 27, "counts": "all"}, ["race", "got 27", "from 0 to 26"]),
        ({"trump": None}, ["trump", "None", "turned, none"]),
        ({"draft": 1}, ["draft", "got 1"]),
        # fields that do not go together, besides those that the property below finds
        ({"hand": 12}, ["hand", "stock", "50", "suits", "ranks", "52"]),
        ({"book": 6}, ["book=6", "points=over_book", "points=difference"]),
        ({**OVER_BOOK, "slam": 6}, ["slam=6", "book=6"]),
        ({"open_stock": 0, "trump": "none", "high_low": True}, ["open_stock=0", "high_low=True"]),
        ({**FOUR_HANDS, "hand": 12}, ["humbug=True", "4 * hand = 48"]),
        ({"race": 7, "points": "over_half"}, ["race=7", "points='over_half'"]),
    ],
)
def test_wrong_fields_are_named(fields: dict[str, Any], named: list[str]) -> None:
    for make in (lambda: Rules(**fields), lambda: rules_from_dict(fields)):
        with pytest.raises(ValueError, match="rules") as error:
            make()
        assert [part for part in named if part not in str(error.value)] == []


SETTINGS = st.fixed_dictionaries(
    {
        "deal": st.sampled_from([(2, 4, 2, 4, False), (4, 2, 1, 6, False), (4, 3, 3, 6, False), (3, 4, 3, 0, True)]),
        "open_stock": st.integers(0, 7),
        "trump": st.sampled_from(["turned", "none"]),
        "high_low": st.booleans(),
        "draft": st.booleans(),
        "race": st.integers(0, 1),
        "counts": st.sampled_from(["endgame", "all"]),
        "points": st.sampled_from(["difference", "over_book", "over_half"]),
        "slam": st.sampled_from([0, 0, 9]),
    }
)


@settings(max_examples=200)
@given(SETTINGS)
def test_settings_are_refused_or_playable(fields: dict[str, Any]) -> None:
    suits, ranks, hand, stock, fields["humbug"] = fields.pop("deal")
    try:
        rules = Rules(suits, ranks, hand, stock, **fields)
    except ValueError as error:
        named = [field for field in [*fields, "stock"] if f"{field}=" in str(error)]
        assert len(named) >= 2
    else:
        play_both(rules, 2, seed=1, first=0, rng=np.random.default_rng(1))


# Specification strings.


def test_rules_spec_overrides_a_preset() -> None:
    assert rules("classic:hand=5,stock=42") == Rules(hand=5, stock=42)
    assert rules("classic:counts=all,points=over_book,book=13") == Rules(counts="all", points="over_book", book=13)
    assert rules("tiny:points=over_half").hand == 2
    assert rules("classic:points=over_book,book=null").book is None


def test_rules_of_rules_are_themselves() -> None:
    made = Rules(hand=5, stock=42)
    assert rules(made) is made


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("champion", "rules 'champion'"),  # an agent
        ("clasic", "'clasic': did you mean 'classic'"),
        ("classic:hnad=3", "'hnad': did you mean 'hand'"),
        ("classic:hand", "'hand' is not key=value"),
        ("classic:hand=5,hand=5", "'hand'"),
        ("classic:hand=five", "'five'"),
        ("classic:slam=!!python/name:os.system", "!!python"),
        ("classic:slam=!!bool x", "!!bool"),
        ("classic:slam=!!timestamp x", "!!timestamp"),
        (None, "None"),
    ],
)
def test_wrong_spec_is_refused(spec: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        rules(spec)  # type: ignore[arg-type]
