"""The brute-force reference, checked on endgames that were solved by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.solver.brute_force import card_values, race_tricks, value


@pytest.mark.parametrize(
    ("leader", "follower", "trump", "tricks"),
    [
        ("SA", "SK", None, 1),
        ("SK", "SA", None, 0),
        ("S2", "HA", None, 1),  # an off-suit card that is no trump never wins
        ("SA", "H2", "H", 0),
        ("SA SQ", "SK S2", None, 1),  # the king makes a trick whatever is led
        ("SA SK", "SQ SJ", None, 2),
        ("SA D2", "HA H2", "H", 0),
        ("H3 D2", "DA D3", "H", 1),
        ("S2 H2", "SA HA", None, 0),
        ("", "", None, 0),
    ],
)
def test_the_leaders_tricks(leader: str, follower: str, trump: str | None, tricks: int) -> None:
    assert value(leader.split(), follower.split(), trump) == tricks


@pytest.mark.parametrize(
    ("leader", "follower", "settings", "values"),
    [
        ("SA S2", "SK S3", {"low": True}, {"SA": 1, "S2": 1}),
        ("S2 S3", "SA SK", {"low": True}, {"S2": 0, "S3": 0}),
        ("S3 H2", "S2 HA", {"low": True}, {"S3": 1, "H2": 1}),
        ("S3", "SA SQ", {"led": "SK"}, {"SA": 2, "SQ": 1}),
        ("D2", "S5 H3", {"trump": "H", "led": "SK"}, {"S5": 1}),  # the follower must follow suit
        ("D2", "C5 H3", {"trump": "H", "led": "SK"}, {"C5": 1, "H3": 2}),
    ],
)
def test_the_tricks_after_each_card(leader: str, follower: str, settings: Any, values: dict[str, int]) -> None:
    assert card_values(leader.split(), follower.split(), **settings) == values


@pytest.mark.parametrize(
    ("leader", "follower", "needs", "tricks"),
    [
        ("SA SK SQ", "S2 S3 S4", (2, 5), (2, 0)),  # a race stops when somebody has enough
        ("SA SK SQ", "S2 S3 S4", (5, 5), (3, 0)),
        ("SA S2", "SK S3", (0, 5), (0, 0)),
    ],
)
def test_a_races_tricks(leader: str, follower: str, needs: tuple[int, int], tricks: tuple[int, int]) -> None:
    assert race_tricks(leader.split(), follower.split(), None, needs) == tricks
