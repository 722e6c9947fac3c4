"""Flat Monte Carlo: the values of its actions, and that it plays the best one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from german_whist.agents.search.agent import SearchAgent
from german_whist.envs.engine.cards import card_text, cards_of, mask_of, parse_card
from german_whist.envs.engine.rules import Rules, rules
from german_whist.envs.simulator.batch import DealBatch
from german_whist.evaluation.match import play_match
from german_whist.solver.endgames import solve_endgames
from german_whist.solver.exact_endgame import ExactEndgameHook
from tests.agents.positions import HEURISTIC, Fixed, draw, some_positions, tried_actions, view
from tests.conftest import play_randomly
from tests.presets import PRESETS


def rollout_margin(game: Rules, states: np.ndarray[Any, Any], action: int) -> float:
    """What seat 0 gets in all, when it plays an action in some states and the heuristic bot plays on for both."""
    batch = DealBatch(game, len(states), endgame="played" if game.humbug else ExactEndgameHook())
    batch.states[:] = states
    batch.step(np.full(len(states), action))
    while not batch.done.all():
        live = ~batch.done
        actions = np.zeros(len(states), np.int64)
        actions[live] = HEURISTIC.act(batch.views()[live])
        batch.step(actions)
    return float(batch.returns()[:, 0].sum())


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("steps", [0, 7, 11])
def test_gains_are_the_mean_margins_of_playing_on_in_all_worlds(preset: str, steps: int) -> None:
    game = rules(preset)
    views = some_positions(game, 3, steps).views()
    views = views[(views["legal"] > 0) & ((views["stock"] > 0) | game.humbug)]
    for row in views:
        [chosen], [gains] = SearchAgent.flat(worlds=4, rules=game).search(np.array([row]), Fixed(99))
        _, states = draw(game, row, [99], 4)
        tried = tried_actions(row)
        if len(tried) == 1:
            assert np.isnan(gains).all()
            continue
        expected = {action: rollout_margin(game, states, action) for action in tried}
        [preferred] = [action for action in tried if gains[action] == 0 and np.isfinite(gains[action])][:1]
        assert {action: 4 * gains[action] for action in tried} == {
            action: expected[action] - expected[preferred] for action in tried
        }
        assert np.isfinite(gains).sum() == len(tried)
        assert expected[max(action for action in tried if action <= chosen)] == max(expected.values())


@pytest.mark.parametrize("preset", ["classic", "high_low", "no_trump", "small"])
def test_in_the_endgame_the_card_is_one_of_the_best(preset: str) -> None:
    game = rules(preset)
    for steps in (game.stock, game.stock + 3, game.stock + 8):
        batch = DealBatch(game, 20, 6)
        play_randomly(batch, np.random.default_rng(3), steps)
        views = batch.views()
        led = views["led"] >= 0
        own, other = views["hand"], views["unseen"] | views["opponent_known"]
        leaders, followers = np.where(led, other, own), np.where(led, own, other)
        low = views["low"].astype(np.bool_)
        values = solve_endgames(leaders, followers, trumps=views["trump"], lows=low, leds=views["led"], by_card=True)
        legal = values >= 0
        best = np.where(low, np.where(legal, values, 99).min(axis=1), values.max(axis=1))
        cards = SearchAgent.flat(worlds=3, rules=game).act(views, np.random.default_rng(0))
        assert (values[np.arange(20), cards] == best).all()
        once, thrice = (SearchAgent.flat(worlds=n, rules=game).search(views, Fixed(1))[1] for n in (1, 3))
        assert np.array_equal(once, thrice, equal_nan=True)  # there is one world


def test_cards_with_nothing_in_play_between_them_are_tried_once() -> None:
    [row] = view("AK54.2..2", "S", face_up="S7", opponent="QJT98.A.K.", played="32.3..")
    assert [card_text(card) for card in tried_actions(row)] == ["C2", "H2", "S4", "SK"]
    [row] = view("AK54.2..2", "S", face_up="S6", opponent="QJT98.A.K.", played="32.3..")
    assert [card_text(card) for card in tried_actions(row)] == ["C2", "H2", "S4", "SK"]


def test_face_up_cards_to_pick_are_all_tried() -> None:
    """Of two neighbours one seat gets the higher card and the other the lower one."""
    batch = DealBatch("open_stock:open_stock=26", 20, 1)
    play_randomly(batch, np.random.default_rng(1), 2)
    for row in batch.views():
        assert row["choice"]
        assert tried_actions(row) == list(cards_of(row["legal"]))


def test_a_card_led_or_face_up_stands_between_two_cards() -> None:
    [row] = view("J9.A..", "S", face_up="S7", led="ST", opponent="AKQ8.K..")
    assert [card_text(card) for card in tried_actions(row)] == ["S9", "SJ"]
    [row] = view("J9.A..", "S", face_up="ST", led="S7", opponent="AKQ8.K..")
    assert [card_text(card) for card in tried_actions(row)] == ["S9", "SJ"]
    [row] = view("J9.A..", "S", face_up="S7", led="S6", opponent="AKQ8.K..")
    assert [card_text(card) for card in tried_actions(row)] == ["S9"]
    row = view("J9.A..", "S", face_up="S7", led="ST", opponent="AKQ8.K..")
    [gains] = SearchAgent.flat(worlds=40).search(row, Fixed(4))[1]
    assert gains[parse_card("SJ")] != gains[parse_card("S9")]


def test_it_beats_its_rollout_bot_and_more_worlds_beat_fewer() -> None:
    assert play_match("mc:worlds=40", "heuristic", deals=150, seed=1, rules="small").interval[0] > 0.5
    assert play_match("mc:worlds=40", "mc:worlds=2", deals=150, seed=1, rules="small").interval[0] > 0.5


def test_ties_go_to_the_heuristic_bot() -> None:
    """Every card of a hand that loses all tricks has the same value."""
    row = view("2.3.4.", "C", opponent="...AKQ")
    row["tricks_self"] = row["tricks_opponent"] = 5  # which distinguishes an exhausted stock from none
    for legal in (["S2", "H3", "D4"], ["H3", "D4"]):
        row["legal"] = mask_of([parse_card(card) for card in legal])
        [chosen], [gains] = SearchAgent.flat(worlds=2).search(row, Fixed(1))
        assert set(gains[tried_actions(row[0])].tolist()) == {0.0}
        assert chosen == HEURISTIC.act(row)[0]


def test_choices_that_are_not_cards_are_decided() -> None:
    """In a draft the ace and the king of trumps are taken and the two of a plain suit mostly left."""
    batch = DealBatch("draft", 200, 3)
    bot = SearchAgent.flat(worlds=40, rules="draft")
    for _ in range(3):
        batch.step([max(cards_of(legal)) for legal in batch.legal()])
    for _ in range(2):
        batch.step([max(card for card in cards_of(legal) if card < 52) for legal in batch.legal()])
    views = batch.views()
    assert views["choice"].all()
    ranks = np.array([int(card).bit_length() - 1 for card in views["face_up"]])
    trumps = ranks // 13 == views["trump"]
    actions = bot.act(views, np.random.default_rng(0))
    assert set(actions[trumps & (ranks % 13 >= 11)].tolist()) == {52}
    assert (actions[~trumps & (ranks % 13 == 0)] == 53).mean() > 0.6
