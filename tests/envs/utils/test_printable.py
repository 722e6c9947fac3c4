"""Text of others as one line that cannot steer a terminal; numbers with what they count."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.envs.utils.specs import count_text, percent_text, printable


@given(st.text())
def test_nothing_that_steers_is_left(text: str) -> None:
    shown = printable(text)
    assert len(shown.splitlines()) <= 1
    assert not {unicodedata.category(sign) for sign in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert printable(shown) == shown


@pytest.mark.parametrize("text", ["", "champion:search=64", "Jürgen's ♠ 日本　語 bot", "a\u00a0b", r"C:\x1b", "שלום"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_what_steers_is_shown_as_an_escape() -> None:
    assert printable("a\x1b[2J\n\u202e\x9b") == r"a\x1b[2J\n\u202e\x9b"


def test_numbers_agree_with_what_they_count() -> None:
    assert [count_text(1, noun) for noun in ("trick", "match")] == ["1 trick", "1 match"]
    assert [count_text(0, "card"), count_text(12345, "deal"), count_text(2, "mirrored match")] == [
        "0 cards",
        "12,345 deals",
        "2 mirrored matches",
    ]
    assert [count_text(count, "point") for count in (1.0, 0.5, 2.5)] == ["1 point", "0.5 points", "2.5 points"]
    assert [percent_text(1), percent_text(0.0), percent_text(0.6257, 1)] == ["100 %", "0 %", "62.6 %"]
