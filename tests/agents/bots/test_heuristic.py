"""The heuristic bot's foreplay, strategy by strategy; its endgame is in ``test_heuristic_endgame``."""

from __future__ import annotations

import pytest

from german_whist.agents.registry import make_agent
from german_whist.envs.engine.cards import SUITS, parse_card
from tests.agents.positions import choice, view

HEURISTIC = make_agent("heuristic")
HAND = "972.AQ63.T84.K53"


@pytest.mark.parametrize(("led", "card"), [("D6", "D8"), ("H4", "H6"), ("HJ", "HQ"), ("HK", "HA")])
def test_a_wanted_prize_is_won_with_the_cheapest_card_that_does_it(led: str, card: str) -> None:
    assert choice(HEURISTIC, view(HAND, "S", face_up="SA", led=led)) == card


@pytest.mark.parametrize(("led", "card"), [("D6", "D4"), ("H4", "H3"), ("C2", "C3")])
def test_a_worthless_prize_is_left_to_the_opponent(led: str, card: str) -> None:
    assert choice(HEURISTIC, view(HAND, "S", face_up="D2", led=led)) == card


@pytest.mark.parametrize("led", ["HT", "HK"])
def test_a_middling_prize_is_not_won_with_a_high_card(led: str) -> None:
    assert choice(HEURISTIC, view("972.A643.T84.K53", "S", face_up="CJ", led=led)) == "H3"


def test_trumps_are_kept_from_tricks_that_are_not_worth_one() -> None:
    hand = "9732..KT84.AK653"
    assert choice(HEURISTIC, view(hand, "S", face_up="D2", led="H9")) == "C3"
    assert choice(HEURISTIC, view(hand, "S", face_up="CJ", led="HA")) == "C3"


def test_a_void_is_trumped_with_the_lowest_trump_for_a_high_one() -> None:
    hand = "9732..KT84.AK653"
    assert choice(HEURISTIC, view(hand, "S", face_up="SA", led="H9")) == "S2"
    assert choice(HEURISTIC, view(hand, "S", face_up="SK", led="HA")) == "S2"


def test_the_same_card_is_a_prize_as_a_trump_and_none_as_a_side_card() -> None:
    hand = "97.AQ632.T84.K53"
    assert choice(HEURISTIC, view(hand, "S", face_up="S6", led="D6")) == "D8"
    assert choice(HEURISTIC, view(hand, "C", face_up="S6", led="D6")) == "D4"


def test_the_prize_is_weighed_against_the_cards_still_hidden() -> None:
    # Two tricks before the endgame the hidden cards are either low side cards or higher trumps.
    hand = "7.Q.K84."
    assert choice(HEURISTIC, view(hand, "S", face_up="S3", led="D6", opponent="..532.5432")) == "D8"
    assert choice(HEURISTIC, view(hand, "S", face_up="S3", led="D6", opponent="AKQJT98...")) == "D4"


def test_a_wanted_prize_is_led_for_with_a_high_card_and_a_worthless_one_is_given_away() -> None:
    assert choice(HEURISTIC, view(HAND, "S", face_up="SA")) == "HA"
    assert choice(HEURISTIC, view(HAND, "S", face_up="C2")) == "C3"


def test_a_middling_prize_is_not_led_for_with_a_high_card() -> None:
    card = choice(HEURISTIC, view(HAND, "S", face_up="HJ"))
    assert parse_card(card) % 13 < 4


def test_a_lead_avoids_the_suit_in_which_the_opponent_is_known_to_hold_a_higher_card() -> None:
    hand = "972.KQ3.KT84.543"
    assert choice(HEURISTIC, view(hand, "S", face_up="SQ", known=".A..")) == "DK"
    assert choice(HEURISTIC, view(hand, "S", face_up="SQ", known="..A."))[0] == "H"


def test_a_lead_avoids_the_suit_in_which_the_opponent_has_shown_a_void() -> None:
    hand = "972.AQ3.AT84.543"
    assert choice(HEURISTIC, view(hand, "S", face_up="SQ", opponent_void="H")) == "DA"
    assert choice(HEURISTIC, view(hand, "S", face_up="SQ", opponent_void="D")) == "HA"


def test_a_void_shown_long_ago_counts_less() -> None:
    # With as many cards drawn unseen since as it holds, the opponent's void says nothing any more.
    hand = "972.AQ3.AT84.543"
    fresh = view(hand, "S", face_up="SQ", opponent_void="D")
    stale = fresh.copy()
    stale["drawn_opponent"][0, SUITS.index("D")] = 13
    never = view(hand, "S", face_up="SQ")
    assert choice(HEURISTIC, stale) == choice(HEURISTIC, never) == "DA"
    assert choice(HEURISTIC, fresh) == "HA"


def test_where_all_tricks_count_a_worthless_prize_is_won_for_the_trick() -> None:
    row = view(HAND, "S", face_up="D2", led="H4")
    row["all_count"] = 1
    assert choice(HEURISTIC, row) == "H6"
