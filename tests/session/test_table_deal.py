"""A deal on the table: what the seats knew at each of its actions."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.rules import rules
from german_whist.envs.text.words import join_words, the_cards
from german_whist.session.coach.hints import hint
from german_whist.session.deal.position import decision_text
from german_whist.session.deal.table_deal import TableDeal


@pytest.mark.parametrize("game", ["small", "draft", "open_stock", "humbug"])
def test_decisions_are_what_the_seats_knew_then(game: str) -> None:
    deal, rng = TableDeal.at_address(rules(game), 4, 1), np.random.default_rng(2)
    known, gone_back = [], False
    while not deal.done:
        known.append((deal.views(deal.turn)[0].copy(), *deal.batch.history(seats=[deal.turn])))
        deal.play(int(rng.choice(list(cards_of(deal.legal)))))
        if len(deal.actions) == 3 and not gone_back:  # what is taken back leaves no trace
            deal.go_back(2)
            known.pop()
            gone_back = True
    views, (tokens, lengths) = deal.decisions()
    assert len(views) == len(deal.actions) == len(known)
    for step, (view, past_tokens, past_lengths) in enumerate(known):
        for name in view.dtype.names:
            assert (views[step][name] == view[name]).all(), name
        length = int(past_lengths[0])
        assert lengths[step] == length
        assert (tokens[step, :length] == past_tokens[0, :length]).all()


def test_a_deal_that_is_over_cannot_be_lost() -> None:
    deal = TableDeal.at_address(rules("tiny"), 1, 0)
    deal.lose(1, "late")
    assert deal.done
    assert (deal.turn, deal.result().margin) == (-1, deal.rules.counted)
    with pytest.raises(ValueError, match="over"):
        deal.lose(0, "late")
    with pytest.raises(ValueError, match="over"):
        deal.play(0)


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("classic", "take {}; lose it and you take the hidden card."),
        ("draft", "may take {} or leave it for the hidden card."),
        ("open_stock", "pick {}; lose it and you take the hidden card."),
    ],
)
def test_the_first_three_tricks_say_what_they_are_about(game: str, words: str) -> None:
    deal = TableDeal.at_address(rules(game), 3, 0)
    said = set()
    while not deal.done:
        view = deal.views(deal.turn)[0]
        cards = list(cards_of(int(view["face_up"])))
        prize = the_cards(cards) if len(cards) == 1 else join_words([the_cards([card]) for card in cards] or [""], "or")
        stake = f"Win this trick and you {words.format(prize)}"
        trick = int(view["tricks_self"].sum() + view["tricks_opponent"].sum())
        explained = trick < 3 and not view["choice"]
        assert (decision_text(deal, view) == stake) == explained
        if trick in (1, 4) and not view["choice"] and trick not in said:
            assert (f" {stake} " in hint(deal, worlds=2)["reason"]) == explained
            said.add(trick)
        deal.play(next(cards_of(deal.legal)))
    assert said == {1, 4}
