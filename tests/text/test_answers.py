"""Answers in free text: which card or choice is read in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.envs.engine.cards import NUM_CARDS, parse_card
from german_whist.envs.engine.rules import rules
from german_whist.text.answers import read_action

CLASSIC, DRAFT, HUMBUG = rules("classic"), rules("draft"), rules("humbug")
CARDS = (1 << NUM_CARDS) - 1  # a card is to be chosen
CHOICE = 3 << NUM_CARDS  # one of the two choices
RANKS = [*"23456789TJQKA"]
RANK_WORDS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"]
SUITS = ["clubs", "diamonds", "hearts", "spades"]


def spellings(rank: int, suit: int, *, loose: bool) -> list[str]:
    """Ways to write a card; the loose ones, only in brackets or alone."""
    codes = [RANKS[rank], "10"] if RANKS[rank] == "T" else [RANKS[rank]]
    letter, word, singular = SUITS[suit][0].upper(), SUITS[suit], SUITS[suit].removesuffix("s")
    symbols = ["♣♦♥♠"[suit], "♧♢♡♤"[suit], "♣♦♥♠"[suit] + "\ufe0f"]
    found = [form for code in codes for form in (letter + code, code + letter, f"{code} of {word}")]
    found += [form for code in codes for sign in symbols for form in (sign + code, code + sign)]
    found += [
        f"{RANK_WORDS[rank]} of {word}",
        f"{RANK_WORDS[rank].title()} of {word.title()}",
        f"{codes[0]} of {singular}",
    ]
    found += [f"{RANK_WORDS[rank].upper()} OF {word.upper()}", f"{RANK_WORDS[rank]} of {symbols[0]}"]
    if loose:
        found += [form.lower() for form in found]
        found += [f"{letter} {codes[-1]}", f"{codes[-1]}-{letter}", f"{word} {codes[-1]}", f"{codes[-1]} {singular}"]
    return found


@given(st.integers(0, 12), st.integers(0, 3), st.booleans(), st.data())
def test_every_card_is_read_in_every_spelling(rank: int, suit: int, loose: bool, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(spellings(rank, suit, loose=loose)))
    tight = ["I lead {}.", "play {}", "{}, because it wins", "**{}**", "So: {}!\n", "HK would win, but {} will do"]
    around = ["{}", "[{}]", "[play {}]", "[I play the {}!] or not SA", " *{}*. "] if loose else tight
    assert read_action(data.draw(st.sampled_from(around)).format(text), CARDS, CLASSIC) == 13 * suit + rank


@pytest.mark.parametrize(
    ("answer", "card"),
    [
        ("SA beats HK, so SA; not H2", "H2"),
        ("I thought of HK. [SA] is better than D2.", "SA"),
        ("[SA] no, [C2]", "C2"),
        ("[C2, no: the king of hearts]", "HK"),
        ("[HK] [sure]", "HK"),
        ("as it is a 9 or so I had better play the queen of clubs, as I said", "CQ"),
        ("take the trick with S9", "S9"),
        ("<think>SA? HK?</think> 10♦", "DT"),
        ("A♠K♥", "HK"),
        ("[\u212aing of \u017fpades]", "SK"),  # kelvin and long s
        ("S\u0130X of d\u0131amonds", "D6"),  # Turkish I with a dot and i without
    ],
)
def test_the_last_card_in_brackets_counts_or_else_the_last_one(answer: str, card: str) -> None:
    assert read_action(answer, CARDS, CLASSIC) == parse_card(card)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "[]",
        "I pass.",
        "as you like",
        "a heart",
        "SA1",
        "XSA",
        "11 of hearts",
        "I hold 2 hearts",
        "take",
        "[S]",
        "H1O",
        "0",
    ],
)
def test_an_answer_without_a_card_names_nothing(answer: str) -> None:
    assert read_action(answer, CARDS, CLASSIC) is None


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ("Take it", 52),
        ("[leave]", 53),
        ("I leave the SA and take", 52),
        ("[take] rather than leave", 52),
        ("SA", 51),
        ("x", None),
    ],
)
def test_a_choice_is_read_before_a_card_where_one_is_due(answer: str, action: int | None) -> None:
    assert read_action(answer, CHOICE, DRAFT) == action


def test_choices_are_those_of_the_rules() -> None:
    assert read_action("keep or swap", CHOICE, HUMBUG) == 53
    assert read_action("[KEEP]", CHOICE, HUMBUG) == 52
    assert read_action("swap", CARDS, DRAFT) is None
    assert read_action("take", CARDS, DRAFT) == 52  # nothing else is named, so the refusal can say what is wrong
