"""What follows when a card is played in an endgame with open hands."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.agents.endgame.open_hands import OpenHands, after_card, card_margins, one_of_each_run
from german_whist.envs.engine.cards import card_text, cards_of, parse_card, parse_hand
from german_whist.solver.races import NOT_LEGAL_MARGIN


def one(
    own: str, other: str, led: str | None = None, *, low: bool = False, needs: tuple[int, int] = (0, 0)
) -> OpenHands:
    return OpenHands(
        own=np.array([parse_hand(own)], np.uint64),
        other=np.array([parse_hand(other)], np.uint64),
        led=np.array([parse_card(led) if led else -1], np.int8),
        trump=np.array([-1], np.int8),
        low=np.array([low]),
        needs=np.array([needs], np.int8),
    )


def cards(mask: np.ndarray) -> set[str]:
    return {card_text(card) for card in cards_of(int(mask[0]))}


def test_after_a_lead_the_other_seat_follows() -> None:
    following = after_card(one("A2...", "K3..."), np.array([parse_card("SA")]))
    assert (cards(following.next.own), cards(following.next.other)) == ({"SK", "S3"}, {"S2"})
    assert card_text(following.next.led[0]) == "SA"
    assert (following.reward[0], following.same_player[0], following.terminated[0]) == (0, False, False)


@pytest.mark.parametrize(("low", "gain"), [(False, 1), (True, -1)])
def test_the_winner_of_a_trick_leads_the_next(low: bool, gain: int) -> None:
    won = after_card(one("A2...", "3...", "SK", low=low), np.array([parse_card("SA")]))
    assert (cards(won.next.own), cards(won.next.other), won.next.led[0]) == ({"S2"}, {"S3"}, -1)
    assert (won.reward[0], won.same_player[0], won.terminated[0]) == (gain, True, False)
    lost = after_card(one("A2...", "3...", "SK", low=low), np.array([parse_card("S2")]))
    assert (cards(lost.next.own), cards(lost.next.other), lost.next.led[0]) == ({"S3"}, {"SA"}, -1)
    assert (lost.reward[0], lost.same_player[0], lost.terminated[0]) == (-gain, False, False)


def test_the_deal_is_over_with_the_last_card_or_when_a_race_is_won() -> None:
    ace, two = np.array([parse_card("SA")]), np.array([parse_card("S2")])
    assert after_card(one("A...", "...", "SK"), ace).terminated[0]
    assert after_card(one("A2...", "3...", "SK", needs=(1, 3)), ace).terminated[0]
    assert after_card(one("A2...", "3...", "SK", needs=(3, 1)), two).terminated[0]
    on = after_card(one("A2...", "3...", "SK", needs=(2, 1)), ace)
    assert (on.terminated[0], on.next.needs[0].tolist()) == (False, [1, 1])
    on = after_card(one("A2...", "3...", "SK", needs=(1, 2)), two)
    assert (on.terminated[0], on.next.needs[0].tolist()) == (False, [1, 1])
    assert after_card(one("A2...", "K3...", needs=(2, 5)), ace).next.needs[0].tolist() == [5, 2]


def test_margins_of_a_race_stop_with_it() -> None:
    played_out = card_margins(one("A3...", "K2..."))[0]
    raced = card_margins(one("A3...", "K2...", needs=(1, 2)))[0]
    assert (played_out[parse_card("SA")], raced[parse_card("SA")]) == (0, 1)
    assert (played_out[parse_card("S3")], raced[parse_card("S3")]) == (0, 0)
    assert (raced == NOT_LEGAL_MARGIN).sum() == 50


@pytest.mark.parametrize(
    ("own", "other", "led", "kept"),
    [
        ("AKQ.A..", "2...2", None, {"SQ", "HA"}),
        ("AQ9...", "K...", None, {"S9", "SA"}),  # queen and nine are neighbours once those between are gone
        ("AQ...", "2...", "SK", {"SQ", "SA"}),  # a card led stands between, too
        ("2.2..2", "A.A..", None, {"S2", "H2", "C2"}),
        ("2...", ".A..", None, {"S2"}),
    ],
)
def test_adjacent_cards_of_one_hand_count_once(own: str, other: str, led: str | None, kept: set[str]) -> None:
    hands = one(own, other, led)
    some = np.zeros((1, 52), np.bool_)
    some[0, list(cards_of(parse_hand(own)))] = True
    one_of_each_run(hands, some)
    assert {card_text(card) for card in np.flatnonzero(some[0])} == kept
