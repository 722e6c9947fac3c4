"""The greedy bot: wins a trick as cheaply as possible if it wants the prize."""

from __future__ import annotations

import pytest

from german_whist.agents.registry import make_agent
from tests.agents.positions import choice, view

GREEDY = make_agent("greedy")
HAND = "972.AQ63.T84.K53"


@pytest.mark.parametrize(
    ("led", "prize", "card"),
    [
        ("D6", "HT", "D8"),
        ("H4", "CA", "H6"),
        ("HJ", "SA", "HQ"),
        ("HK", "S3", "HA"),
        ("CA", "SA", "C3"),
    ],
)
def test_a_wanted_prize_is_won_with_the_cheapest_card_that_does_it(led: str, prize: str, card: str) -> None:
    assert choice(GREEDY, view(HAND, "S", face_up=prize, led=led)) == card


@pytest.mark.parametrize(("led", "card"), [("D6", "D4"), ("H4", "H3"), ("C2", "C3")])
@pytest.mark.parametrize("prize", ["D2", "C9"])
def test_a_low_side_card_is_left_to_the_opponent(led: str, prize: str, card: str) -> None:
    assert choice(GREEDY, view(HAND, "S", face_up=prize, led=led)) == card


def test_a_low_trump_is_a_prize_and_a_low_side_card_is_none() -> None:
    assert choice(GREEDY, view("97.AQ632.T84.K53", "S", face_up="S2", led="D6")) == "D8"
    assert choice(GREEDY, view("97.AQ632.T84.K53", "C", face_up="S2", led="D6")) == "D4"


def test_a_void_is_trumped_for_a_prize_with_the_lowest_trump_and_else_trumps_are_kept() -> None:
    hand = "9732..KT84.AK653"
    assert choice(GREEDY, view(hand, "S", face_up="SA", led="H9")) == "S2"
    assert choice(GREEDY, view(hand, "S", face_up="D2", led="H9")) == "C3"


def test_a_wanted_prize_is_led_for_with_the_highest_card_and_an_unwanted_one_with_the_cheapest() -> None:
    assert choice(GREEDY, view(HAND, "S", face_up="SA")) == "HA"
    assert choice(GREEDY, view(HAND, "S", face_up="D2")) == "C3"


def test_every_trick_is_wanted_in_the_endgame_and_where_all_count() -> None:
    assert choice(GREEDY, view(".AQ3..", "S", opponent=".K4..", led="H2")) == "H3"
    row = view(HAND, "S", face_up="D2", led="H4")
    row["all_count"] = 1
    assert choice(GREEDY, row) == "H6"
