"""Events: complete, in order, in English, and without hidden cards."""

from __future__ import annotations

import re

import pytest

from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.envs.text.words import card_name
from german_whist.evaluation.recording import DealResult
from german_whist.session.deal.events import deal_events, move_texts
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.deal.words import result_sentence
from tests.session.playing import play, session, table

NAMES = ("You", "Ann")


def texts(deal: TableDeal, observer: int | None = 0) -> list[str]:
    return [event.text for event in deal_events(deal, observer, NAMES)]


def test_a_trick_is_told_in_order() -> None:
    assert texts(table("classic", "CA", "C2")) == [
        "You deal.",
        "The ace of spades is turned up: spades are trumps.",
        "Ann leads the ace of clubs.",
        "You play the two of clubs.",
        "Ann wins the trick.",
        "Ann takes the ace of spades.",
        "You draw the four of spades.",
        "The five of spades is turned up.",
    ]
    assert texts(table("classic", "CA", "C2"), 1)[-2] == "You draw a card unseen."


def test_choices_are_told() -> None:
    left = texts(table("draft", "CA", "C2", "leave"))
    assert left[-4:-1] == ["Ann leaves the ace of spades.", "Ann draws a card unseen.", "You take the ace of spades."]
    picked = texts(table("open_stock", "CA", "C2", "S4"))
    assert "The four of spades is turned up." in picked
    assert picked[-3:-1] == ["Ann takes the four of spades.", "You draw the five of spades."]
    kept = texts(table("humbug", "swap", "keep"))
    assert kept[1] == "The last card, the ace of hearts, is shown: hearts are trumps."
    assert kept[2:] == ["Ann swaps the hand for a blind one.", "You keep the hand."]
    assert "There are no trumps." in texts(table("no_trump"))


@pytest.mark.parametrize("game", rule_names())
def test_no_event_names_a_card_that_the_seat_has_not_seen(game: str) -> None:
    made = session(game, "random", seed=4)
    while not made.deal.done:
        for seat in (0, 1):
            hidden = {card_name(card) for card in cards_of(int(made.deal.views(seat)[0]["unseen"]))}
            told = " ".join(event.text for event in deal_events(made.deal, seat, NAMES))
            assert not hidden & set(re.findall(r"\w+ of (?:clubs|diamonds|hearts|spades)", told))
        play(made, 1)


@pytest.mark.parametrize("game", rule_names())
def test_every_card_is_played_once_and_every_trick_is_won(game: str) -> None:
    made = play(session(game, "random", seed=6))
    events = deal_events(made.deal, None, NAMES)
    tricks = int(made.deal.state["tricks"].sum())
    cards = [event.card for event in events if event.kind == "play"]
    assert len(cards) == len(set(cards)) == 2 * tricks
    assert [event.trick for event in events if event.kind == "win"] == list(range(1, tricks + 1))
    gained = [event.card for event in events if event.kind in ("take", "draw")]
    draws = tricks - 1 if made.deal.rules.race else tricks  # the trick that ends a race brings no cards
    assert len(gained) == len(set(gained)) == 2 * min(draws, made.deal.rules.foreplay)
    assert events[-1].kind == "result"
    moves = move_texts(made.deal, NAMES)
    assert len(moves) == len(made.deal.actions)
    assert all(re.fullmatch(r"(You|Ann) \w+ the [\w ]+\.", move) for move in moves)


@pytest.mark.parametrize(
    ("game", "result", "low", "sentence"),
    [
        ("classic", DealResult(3, 3, ((7, 6), (8, 5))), False, "You win 8 to 5: 3 points."),
        ("classic", DealResult(-1, -1, ((7, 6), (6, 7))), False, "Ann wins 7 to 6: 1 point."),
        ("all", DealResult(2, 1.5, ((7, 6), (7, 6))), False, "You win 14 to 12: 1.5 points."),
        ("high_low", DealResult(3, 3, ((7, 6), (5, 8))), True, "You win 5 to 8, played low: 3 points."),
        ("open_stock", DealResult(0, 0, ((3, 4), (1, 1))), False, "The deal is drawn, 1 trick each."),
    ],
)
def test_results_are_told_with_their_points(game: str, result: DealResult, low: bool, sentence: str) -> None:
    assert result_sentence(result, rules(game), low, NAMES) == sentence
