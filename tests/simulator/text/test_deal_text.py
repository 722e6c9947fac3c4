from __future__ import annotations

import pytest

from german_whist.game.cards import parse_card
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.text.deal_text import deal_text
from tests.redeal import Redeal

# Seat 0 deals, so seat 1 holds the 1st, 3rd, … card: CA HK … ; trumps are spades.
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


def test_open_table_shows_both_cards() -> None:
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


def test_table_of_seat_0() -> None:
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


@pytest.mark.parametrize(
    ("name", "steps"),
    [("classic", 0), ("classic", 9), ("open_stock:open_stock=3", 11), ("no_trump", 9), ("draft", 8), ("humbug", 7)],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_hidden_cards_are_hidden(name: str, steps: int, seat: int) -> None:
    redeal = Redeal(name, seed=5, seat=seat, steps=steps)
    for course, others in redeal.steps():
        hidden = {deal_text(others, row, seat) for row in range(others.size)}
        assert hidden == {deal_text(course, seat=seat)}
    assert len({deal_text(others, row) for row in range(others.size)}) > 1


def test_colours_mark_red_suits_and_trumps() -> None:
    painted = deal_text(table("CA"), color=True)
    assert "\x1b[31m♥ K52\x1b[0m" in painted
    assert "\x1b[1m♠ T72\x1b[0m" in painted
    assert "\x1b[7;1m♠A\x1b[0m face up" in painted
    assert "♣A led" in painted
