"""The brute-force reference, checked on endgames that were solved by hand."""

from __future__ import annotations

import pytest

from tests.solver.brute_force import card_values, race_tricks, value


def cards(text: str) -> list[str]:
    return text.split()


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
    assert value(cards(leader), cards(follower), trump) == tricks


def test_in_a_low_game_tricks_are_given_away() -> None:
    assert value(cards("SA S2"), cards("SK S3"), low=True) == 1
    assert value(cards("SA S2"), cards("SK S3"), low=False) == 1
    assert value(cards("S2 S3"), cards("SA SK"), low=True) == 0
    assert card_values(cards("S3 H2"), cards("S2 HA"), low=True) == {"S3": 1, "H2": 1}


def test_ace_and_queen_behind_a_king_led_are_two_choices() -> None:
    assert card_values(cards("S3"), cards("SA SQ"), led="SK") == {"SA": 2, "SQ": 1}


def test_the_follower_must_follow_suit() -> None:
    assert set(card_values(cards("D2"), cards("S5 H3"), "H", led="SK")) == {"S5"}
    assert set(card_values(cards("D2"), cards("C5 H3"), "H", led="SK")) == {"C5", "H3"}


def test_a_race_stops_when_somebody_has_enough() -> None:
    assert race_tricks(cards("SA SK SQ"), cards("S2 S3 S4"), None, (2, 5)) == (2, 0)
    assert race_tricks(cards("SA SK SQ"), cards("S2 S3 S4"), None, (5, 5)) == (3, 0)
    assert race_tricks(cards("SA S2"), cards("SK S3"), None, (0, 5)) == (0, 0)
