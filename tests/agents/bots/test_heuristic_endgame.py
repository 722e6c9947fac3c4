"""The endgame of the heuristic bot: the rules of thumb, and looking ahead over them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from german_whist.agents.bots.heuristic.endgame_kernels import rollout_margin, rule_card
from german_whist.agents.registry import make_agent
from german_whist.envs.engine.cards import card_text, cards_of, parse_card, parse_hand
from tests.agents.endgame import reference_endgame as reference
from tests.agents.positions import choice, view

HEURISTIC = make_agent("heuristic")


class Endgame(NamedTuple):
    """A position with both hands open."""

    hand: list[str]
    opponent: list[str]
    led: str | None
    trump: str | None
    low: bool = False

    def masks(self) -> tuple[np.uint64, np.uint64, int, int, bool]:
        hand, opponent = (
            np.uint64(sum(1 << parse_card(card) for card in cards)) for cards in (self.hand, self.opponent)
        )
        led = -1 if self.led is None else parse_card(self.led)
        trump = -1 if self.trump is None else reference.SUITS.index(self.trump)
        return hand, opponent, led, trump, self.low


@st.composite
def endgames(draw: st.DrawFn) -> Endgame:
    ranks = draw(st.integers(1, 13))
    deck = [suit + rank for suit in reference.SUITS for rank in reference.RANKS[13 - ranks :]]
    size = draw(st.integers(1, min(13, len(deck) // 2)))
    cards = draw(st.permutations(deck))[: 2 * size]
    trump = draw(st.sampled_from([*reference.SUITS, None]))
    led = cards.pop() if draw(st.booleans()) else None
    return Endgame(cards[:size], cards[size:], led, trump, draw(st.booleans()))


def names(hand: str) -> list[str]:
    return [card_text(card) for card in cards_of(parse_hand(hand))]


@given(endgames())
def test_the_rules_choose_and_play_out_as_in_plain_python(position: Endgame) -> None:
    assert card_text(rule_card(*position.masks())) == reference.rule_card(*position)
    assert rollout_margin(*position.masks()) == reference.rollout_margin(*position)


@given(endgames())
def test_the_bot_plays_the_card_that_brings_most(position: Endgame) -> None:
    hand, opponent = (
        ".".join("".join(card[1] for card in cards if card[0] == suit) for suit in "SHDC")
        for cards in (position.hand, position.opponent)
    )
    row = view(hand, position.trump, opponent=opponent, led=position.led, low=position.low)
    assert choice(HEURISTIC, row) == reference.look_ahead(*position)


def test_giving_up_the_lead_to_be_led_into_is_found_by_looking_ahead() -> None:
    # HA first leaves HQ to the king. After C2 the opponent must lead a heart into ace and queen.
    throw_in = Endgame(names(".AQ..2"), names(".K3..A"), None, "S")
    assert reference.rule_card(*throw_in) == "HA"
    assert choice(HEURISTIC, view(".AQ..2", "S", opponent=".K3..A")) == "C2"


def test_of_equal_cards_the_cheapest_goes_whatever_its_suit() -> None:
    # The rules would lead HQ and lose it to a ruff. S7 and DQ both bring a trick more.
    equal = Endgame(names("7.Q.Q."), names(".T9..J"), None, "C")
    assert reference.rule_card(*equal) == "HQ"
    results = {card: reference.result_of(card, *equal) for card in equal.hand}
    assert results == {"S7": 1, "DQ": 1, "HQ": -1}
    assert choice(HEURISTIC, view("7.Q.Q.", "C", opponent=".T9..J")) == "S7"
