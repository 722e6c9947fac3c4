"""The table after each event: what the position said then, and nothing that the seat saw only later."""

from __future__ import annotations

from typing import Any

import pytest

from german_whist.envs.engine.rules import rule_names, rules
from german_whist.session.deal.events import deal_events
from german_whist.session.deal.position import position
from german_whist.session.deal.table_deal import TableDeal
from german_whist.session.deal.tables import event_tables
from tests.redeal import Redeal
from tests.session.playing import table

NAMES = ("You", "Ann")
SIDES = ("you", "opponent")


def tables(deal: TableDeal, seat: int, since: int = 0) -> list[Any]:
    return event_tables(deal, seat, deal_events(deal, seat, NAMES), since)


def some_deal(game: str, seed: int) -> TableDeal:
    """A whole deal of random actions."""
    redeal = Redeal(game, seed=seed, seat=0, steps=1000, attempts=1)
    state = redeal.others.states[0]
    deck = state["deck"][: len(redeal.course.rules.cards)].tolist()
    return TableDeal(redeal.course.rules, deck, int(state["dealer"]), redeal.actions)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("game", rule_names())
def test_before_each_decision_the_table_is_that_of_the_position(game: str, seat: int) -> None:
    whole = some_deal(game, seed=3)
    deal = TableDeal(whole.rules, whole.deck, whole.dealer)
    for step in range(len(whole.actions) + 1):
        events = deal_events(deal, seat, NAMES)
        seen = tables(deal, seat)[-1]
        then = position(deal, seat, NAMES, events)
        if events[-1].kind == "win":  # the trick still lies there
            assert (seen["trick"], seen["turn"]) == (events[-1].trick, None)
            assert all(seen["cards"].values())
            shared = {"stage", "stock", "face_up", "opponent", "tricks", "exchanged"}
        else:
            assert seen["cards"] == {side: then["led"]["card"] if _led_by(then, side) else None for side in SIDES}
            shared = set(seen) & set(then) - {"hand"}
            assert shared >= {"trick", "turn", "last_trick"}
        assert {key: seen[key] for key in shared} == {key: then[key] for key in shared}  # type: ignore[literal-required]
        assert seen["hand"] == [card["card"] for card in then["hand"]]
        if step < len(whole.actions):
            deal.play(whole.actions[step])


def _led_by(then: Any, side: str) -> bool:
    return then["led"] is not None and then["led"]["by"] == side


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("game", rule_names())
def test_a_table_tells_nothing_that_was_seen_later(game: str, seat: int) -> None:
    made, checked = rules(game), 0
    for seed in range(12):
        redeal = Redeal(game, seed=seed, seat=seat, steps=min(10, made.hand))
        dealer, actions = int(redeal.course.states["dealer"][0]), redeal.actions
        decks = redeal.others.states["deck"][:, : len(made.cards)].tolist()
        then = tables(TableDeal(made, decks[0], dealer, actions), seat)
        for deck in decks[1:4]:  # the seat has seen the same so far, and will see other cards
            later = TableDeal(made, deck, dealer, actions)
            while not later.done:
                later.play(later.legal.bit_length() - 1)
            assert tables(later, seat)[: len(then)] == then
            checked += 1
    assert checked


@pytest.mark.parametrize("game", ["classic", "draft", "humbug", "open_stock"])
def test_only_events_since_an_action_have_a_table_and_it_is_the_same(game: str) -> None:
    deal = some_deal(game, seed=5)
    every = tables(deal, 0)
    assert None not in every
    steps = [event.step for event in deal_events(deal, 0, NAMES)]
    for since in (1, 2, 7, len(deal.actions)):
        assert tables(deal, 0, since) == [
            one if step >= since else None for one, step in zip(every, steps, strict=True)
        ]


def test_a_trick_is_shown_step_by_step() -> None:
    _dealt, trump, led, played, won, taken, drawn, turned = tables(table("classic", "CA", "C2"), 0)
    assert trump["face_up"] == ["SA"]
    assert led["cards"] == {"you": None, "opponent": "CA"}
    assert (led["opponent"]["cards"], led["turn"]) == (12, "you")
    assert played["cards"] == {"you": "C2", "opponent": "CA"}
    assert "C2" not in played["hand"]
    assert (played["winner"], played["tricks"]["opponent"]["foreplay"]) == (None, 0)
    assert won["cards"] == played["cards"]
    assert (won["winner"], won["tricks"]["opponent"]["foreplay"], won["last_trick"]) == ("opponent", 1, None)
    assert taken["cards"] == {"you": None, "opponent": None}
    assert (taken["winner"], taken["last_trick"]["winner"]) == (None, "opponent")
    assert (taken["stock"], taken["face_up"]) == (25, [])
    assert taken["opponent"] == {"cards": 13, "known": ["SA"], "voids": {}}
    assert (drawn["stock"], "S4" in drawn["hand"], "S4" in taken["hand"]) == (24, True, False)
    assert (turned["face_up"], turned["trick"], turned["turn"]) == (["S5"], 2, "opponent")


def test_open_cards_are_turned_up_one_by_one() -> None:
    dealt, *turned = tables(table("open_stock"), 0)
    assert [len(one["face_up"]) for one in (dealt, *turned)] == [0, 1, 2]
