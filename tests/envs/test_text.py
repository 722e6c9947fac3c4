from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable

import pytest

from german_whist.envs.batch import DealBatch
from german_whist.envs.cards import parse_card
from german_whist.envs.text import check_render_mode, deal_text, print_deal
from tests.redeal import Redeal

Positions = Callable[..., DealBatch]

# Seat 0 deals, so seat 1 holds the cards at odd places: CA HK … ; trumps are spades.
DECK = (
    "CA C2 C3 C4 HK C5 C6 C7 H5 H6 D2 D3 DA D4 S7 S6 ST SJ H2 H3 D9 DT S2 S3 C9 CK "
    "SA S4 S5 S8 S9 SQ SK C8 CT CJ CQ D5 D6 D7 D8 DJ DQ DK H4 H7 H8 H9 HT HJ HQ HA"
)


def table(*cards: str) -> DealBatch:
    """The deal of ``DECK`` after some cards."""
    batch = DealBatch("classic", 1)
    batch.deal_decks([DECK], [0])
    for card in cards:
        batch.step([parse_card(card)])
    return batch


def test_the_open_table() -> None:
    assert deal_text(table("CA")).split("\n") == [
        "German Whist   trumps ♠   foreplay, trick 1 of 26   stock 26",
        "────────────────────────────────────────────────────────────────────",
        "  player_1   ♠ T72      ♥ K52      ♦ A92      ♣ 963",
        "             tricks: foreplay 0, endgame 0",
        "",
        "             ♣A led          ♠A face up",
        "",
        "▶ player_0   ♠ J63      ♥ 63       ♦ T43      ♣ K7542",
        "             dealer · tricks: foreplay 0, endgame 0",
        "────────────────────────────────────────────────────────────────────",
    ]


def test_the_table_as_seat_0_sees_it_hides_the_other_hand() -> None:
    assert deal_text(table("CA", "C2", "SA"), seat=0, unicode=False).split("\n") == [
        "German Whist   trumps S   foreplay, trick 2 of 26   stock 24",
        "--------------------------------------------------------------------",
        "  player_1   S -        H -        D -        C -        + 12 unseen",
        "             tricks: foreplay 1, endgame 0",
        "",
        "             SA led          S5 face up",
        "",
        "> player_0   S J643     H 63       D T43      C K754",
        "             dealer | tricks: foreplay 0, endgame 0",
        "--------------------------------------------------------------------",
    ]


def test_cards_seen_taken_are_shown_and_seat_1_sits_at_the_bottom_of_its_own_view() -> None:
    lines = deal_text(table("CA", "C2", "C9", "CK"), seat=1, unicode=False).split("\n")
    assert lines[2] == "> player_0   S 5        H -        D -        C -        + 12 unseen"
    assert lines[7].startswith("  player_1   S AT872    H K52      D A92      C 63")


def test_a_void_that_was_shown_is_told() -> None:
    batch = table("CA", "C2", "H2", "H3", "H6", "H5", "C4", "C9", "HK", "C5")
    assert "void of H (trick 5)" in deal_text(batch, seat=1, unicode=False)
    assert "void" not in deal_text(batch, seat=0)
    assert "void" not in deal_text(batch)


@pytest.mark.parametrize("steps", [0, 9, 20])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_seats_view_is_the_same_whatever_the_hidden_cards(steps: int, seat: int) -> None:
    redeal = Redeal("classic", seed=5, seat=seat, steps=steps)
    for course, others in redeal.steps():
        hidden = {deal_text(others, row, seat) for row in range(others.size)}
        assert hidden == {deal_text(course, seat=seat)}
    assert len({deal_text(others, row) for row in range(others.size)}) > 1


@pytest.mark.parametrize(
    ("name", "words"), [("classic", r"wins \d+ to \d+"), ("tiny:counts=all", r"wins [34] to [01]|2 to 2, a draw")]
)
def test_a_finished_deal_tells_its_result(name: str, words: str, positions: Positions) -> None:
    batch = positions(name, size=20, steps=None)
    margins = batch.returns("win")[:, 0].tolist()
    for row, won in enumerate(margins):
        text = deal_text(batch, row)
        assert ("player_0 wins" in text) == (won > 0)
        assert ("player_1 wins" in text) == (won < 0)
        assert ("a draw" in text) == (won == 0)
        assert re.search(words, text)
    assert len(set(margins)) >= 2


def test_only_the_suits_of_the_deck_are_shown(positions: Positions) -> None:
    text = deal_text(positions("tiny", steps=0))
    assert "♠" not in text
    assert "♦" in text


def test_a_terminal_that_knows_no_suit_symbols_gets_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    print_deal(table())
    screen.flush()
    assert b"trumps S" in screen.buffer.getvalue()  # type: ignore[attr-defined]


def test_a_terminal_that_knows_them_gets_suit_symbols(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", screen)
    print_deal(table(), seat=1)
    screen.flush()
    assert "trumps ♠" in screen.buffer.getvalue().decode()  # type: ignore[attr-defined]


@pytest.mark.parametrize(("wrong", "word"), [({"row": 1}, "row 1"), ({"row": -1}, "row -1"), ({"seat": 2}, "seat 2")])
def test_a_row_or_seat_that_is_not_there_is_named(wrong: dict[str, int], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        deal_text(table(), **wrong)


def test_an_unknown_render_mode_gets_the_nearest_name() -> None:
    with pytest.raises(ValueError, match="did you mean 'ansi'"):
        check_render_mode("ascii")
