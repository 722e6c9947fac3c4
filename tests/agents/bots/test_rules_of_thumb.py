"""Rules of thumb in the foreplay: those that greedy and heuristic share, and those of each."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.agents.registry import make_agent
from german_whist.envs.engine.cards import SUITS, parse_card
from tests.agents.positions import choice, view

GREEDY, HEURISTIC = BOTS = [make_agent(name) for name in ("greedy", "heuristic")]
HAND = "972.AQ63.T84.K53"
VOID = "9732..KT84.AK653"
TRUMPS = "97.AQ632.T84.K53"
both = pytest.mark.parametrize("bot", BOTS, ids=["greedy", "heuristic"])


def all_count(row: np.ndarray) -> np.ndarray:
    row["all_count"] = 1
    return row


@both
def test_prize_is_won_cheaply(bot: object) -> None:
    for led, card in [("D6", "D8"), ("H4", "H6"), ("HJ", "HQ"), ("HK", "HA"), ("CA", "C3")]:
        assert choice(bot, view(HAND, "S", face_up="SA", led=led)) == card


@both
def test_worthless_prize_is_ducked(bot: object) -> None:
    for led, card in [("D6", "D4"), ("H4", "H3"), ("C2", "C3")]:
        assert choice(bot, view(HAND, "S", face_up="D2", led=led)) == card


@both
def test_void_is_trumped_for_a_prize(bot: object) -> None:
    assert choice(bot, view(VOID, "S", face_up="SA", led="H9")) == "S2"
    assert choice(bot, view(VOID, "S", face_up="D2", led="H9")) == "C3"


@both
def test_lead_depends_on_prize(bot: object) -> None:
    assert choice(bot, view(HAND, "S", face_up="SA")) == "HA"
    assert choice(bot, view(HAND, "S", face_up="C2")) == "C3"


@both
def test_all_tricks_count(bot: object) -> None:
    assert choice(bot, all_count(view(HAND, "S", face_up="D2", led="H4"))) == "H6"


def test_greedy_prizes() -> None:
    for led, prize, card in [("D6", "HT", "D8"), ("H4", "CA", "H6"), ("HK", "S3", "HA"), ("H4", "C9", "H3")]:
        assert choice(GREEDY, view(HAND, "S", face_up=prize, led=led)) == card
    assert choice(GREEDY, view(TRUMPS, "S", face_up="S2", led="D6")) == "D8"
    assert choice(GREEDY, view(TRUMPS, "C", face_up="S2", led="D6")) == "D4"
    assert choice(GREEDY, view(".AQ3..", "S", opponent=".K4..", led="H2")) == "H3"


def test_heuristic_middling_prize() -> None:
    for led in ("HT", "HK"):
        assert choice(HEURISTIC, view("972.A643.T84.K53", "S", face_up="CJ", led=led)) == "H3"
    assert choice(HEURISTIC, view(VOID, "S", face_up="CJ", led="HA")) == "C3"
    assert choice(HEURISTIC, view(VOID, "S", face_up="SK", led="HA")) == "S2"
    assert parse_card(choice(HEURISTIC, view(HAND, "S", face_up="HJ"))) % 13 < 4


def test_heuristic_weighs_hidden_cards() -> None:
    assert choice(HEURISTIC, view(TRUMPS, "S", face_up="S6", led="D6")) == "D8"
    assert choice(HEURISTIC, view(TRUMPS, "C", face_up="S6", led="D6")) == "D4"
    # Two tricks before the endgame the hidden cards are either low side cards or higher trumps.
    hand = "7.Q.K84."
    assert choice(HEURISTIC, view(hand, "S", face_up="S3", led="D6", opponent="..532.5432")) == "D8"
    assert choice(HEURISTIC, view(hand, "S", face_up="S3", led="D6", opponent="AKQJT98...")) == "D4"


def test_heuristic_avoids_known_higher_card() -> None:
    hand = "972.KQ3.KT84.543"
    assert choice(HEURISTIC, view(hand, "S", face_up="SQ", known=".A..")) == "DK"
    assert choice(HEURISTIC, view(hand, "S", face_up="SQ", known="..A."))[0] == "H"


def test_heuristic_avoids_fresh_void() -> None:
    hand = "972.AQ3.AT84.543"
    assert choice(HEURISTIC, view(hand, "S", face_up="SQ", opponent_void="H")) == "DA"
    fresh = view(hand, "S", face_up="SQ", opponent_void="D")
    # With as many cards drawn unseen since as it holds, the opponent's void says nothing any more.
    stale = fresh.copy()
    stale["drawn_opponent"][0, SUITS.index("D")] = 13
    assert choice(HEURISTIC, stale) == choice(HEURISTIC, view(hand, "S", face_up="SQ")) == "DA"
    assert choice(HEURISTIC, fresh) == "HA"
