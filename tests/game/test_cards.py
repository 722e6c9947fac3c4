"""Cards, hands and decks as numbers, masks and text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.game.cards import (
    card_text,
    cards_of,
    deck_text,
    hand_text,
    mask_of,
    parse_card,
    parse_deck,
    parse_hand,
    parse_suit,
)
from german_whist.game.rules import Rules
from german_whist.game.utils.bit_kernels import highest, lowest, popcount
from tests.reference.plain import NAMES
from tests.strategies import spellings

masks = st.integers(0, 2**52 - 1)


def test_card_numbers_follow_suit_and_rank() -> None:
    assert [card_text(card) for card in range(52)] == NAMES
    assert (NAMES[0], NAMES[12], NAMES[13], NAMES[51]) == ("C2", "CA", "D2", "SA")


@given(st.integers(0, 51), st.data())
def test_parse_card_reads_every_spelling(card: int, data: st.DataObject) -> None:
    assert parse_card(NAMES[card]) == card
    assert parse_card(data.draw(st.sampled_from(spellings(card)))) == card


def test_parse_suit_reads_every_name() -> None:
    for suit, names in enumerate((("C", "♣", "clubs"), ("d", "♦\ufe0f", "Diamond"), ("H", "♡"), ("S", "SPADES"))):
        assert {parse_suit(name) for name in names} == {suit}


def test_hand_text_is_read_back() -> None:
    hand = mask_of(map(parse_card, ["SA", "SK", "SQ", "S2", "HT", "H9", "H8", "CJ", "C4"]))
    assert hand_text(hand) == "AKQ2.T98..J4"
    assert parse_hand("akq2.T98..J4") == hand
    assert hand_text(0) == "..."


@given(masks)
def test_hand_round_trip(mask: int) -> None:
    assert parse_hand(hand_text(mask)) == mask


SMALL = Rules(suits=2, ranks=3, hand=2, stock=2).cards


def parse_small_deck(deck: Any) -> list[int]:
    return parse_deck(deck, SMALL)


@given(st.permutations(SMALL))
def test_deck_round_trip(deck: list[int]) -> None:
    assert parse_deck(deck_text(deck), SMALL) == deck
    assert parse_deck(deck, SMALL) == deck
    assert parse_deck(np.array(deck, np.int8), SMALL) == deck  # type: ignore[arg-type]


@given(masks)
def test_bit_kernels_match_sets(mask: int) -> None:
    cards = list(cards_of(mask))
    assert popcount(np.uint64(mask)) == len(cards)
    assert lowest(np.uint64(mask)) == (cards[0] if cards else 64)
    assert highest(np.uint64(mask)) == (cards[-1] if cards else -1)


@pytest.mark.parametrize(
    ("parse", "given", "complaint"),
    [
        *((parse_card, text, "is not a card") for text in ["", "S1", "SAA", "A of", "11H", 12]),
        (parse_suit, "SA", "'SA'"),
        (parse_hand, "AK.Q", "'AK.Q'"),
        (parse_hand, "A1...", "'1'"),
        (parse_hand, "AA...", "SA"),
        (parse_small_deck, "CQ CK CA DQ DK", "DA is missing"),
        (parse_small_deck, "CQ CK CA DQ DK DK", "DK appears twice"),
        (parse_small_deck, "CQ CK CA DQ DK SA", "SA"),
        (parse_small_deck, [10, 11, 12, 23, 24, 99], "99"),
        (parse_small_deck, [10, 11, 12, 23, 24, 25.5], "25.5"),
        (parse_small_deck, 5, "5"),
        (card_text, -1, "-1"),
        (card_text, 52, "52"),
        (card_text, 1.5, "1.5"),
        (card_text, "SA", "SA"),
    ],
)
def test_parse_errors_show_what_was_given(parse: Callable[[Any], Any], given: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as error:
        parse(given)
    if parse is parse_card:
        assert repr(given) in str(error.value)
