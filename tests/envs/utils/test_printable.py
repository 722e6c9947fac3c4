"""Text of others as one line that cannot steer a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.envs.utils.specs import printable


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
