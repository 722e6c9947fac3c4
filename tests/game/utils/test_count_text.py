"""Numbers with what they count."""

from __future__ import annotations

from german_whist.simulator.text.words import count_text, percent_text


def test_numbers_agree_with_what_they_count() -> None:
    assert [count_text(count, "point") for count in (1.0, 0, 0.5, 2.5)] == [
        *("1 point", "0 points", "0.5 points", "2.5 points"),
    ]
    assert [percent_text(1), percent_text(0.0), percent_text(0.6257, 1)] == ["100 %", "0 %", "62.6 %"]
