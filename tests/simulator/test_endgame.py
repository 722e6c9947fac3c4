"""Deals that end where the endgame begins, with the tricks of perfect play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings

import german_whist as gw
from german_whist.game.rules import Rules
from german_whist.game.scoring import REWARDS
from german_whist.game.state import ENDGAME
from german_whist.simulator.batch import DealBatch
from tests.players import random_legal
from tests.reference.plain import NAMES, NUMBERS, cards, raw
from tests.solver.brute_force import card_values, race_card_margins
from tests.strategies import drawn_games, seeds


def play_perfectly(batch: DealBatch, row: int = 0) -> None:
    """Play one deal of a batch from the start of its endgame to its end, by brute force."""
    while not batch.done[row]:
        state = batch.states[row]
        seat, led = int(state["turn"]), int(state["led"])
        leader = seat if led < 0 else 1 - seat
        hands = [sorted(cards(state["hands"][one])) for one in (leader, 1 - leader)]
        trump = None if state["trump"] < 0 else "CDHS"[state["trump"]]
        card = None if led < 0 else NAMES[led]
        if batch.rules.race:
            taken = [sum(state["tricks"][batch.rules.counts != "all" :, one]) for one in (leader, 1 - leader)]
            needs = (batch.rules.race - int(taken[0]), batch.rules.race - int(taken[1]))
            values = race_card_margins(hands[0], hands[1], trump, needs, card)
            best = max(values, key=values.__getitem__)
        else:
            values = card_values(hands[0], hands[1], trump, bool(state["low"]), card)
            best = (min if state["low"] else max)(values, key=values.__getitem__)
        batch.step([NUMBERS[best]], rows=[row])


def play_foreplay(solved: DealBatch, played: DealBatch, rng: np.random.Generator) -> None:
    """Play two batches alike until all deals of the first, which solves its endgames, are done."""
    while not solved.done.all():
        actions = random_legal(solved.action_mask(), rng)
        moving = np.flatnonzero(~solved.done)
        solved.step(actions)
        played.step(actions[moving], rows=moving)


FOUR_CARDS = {"suits": 3, "ranks": 4, "hand": 4, "stock": 4}


@given(drawn_games().filter(lambda game: game.hand <= 4 and not game.humbug), seeds)
@example(Rules(**FOUR_CARDS), 5)
@example(Rules(**FOUR_CARDS, counts="all", race=4), 5)
@example(Rules(**FOUR_CARDS, race=2), 5)
@example(Rules(**FOUR_CARDS, high_low=True, points="over_half"), 5)
@example(Rules(**FOUR_CARDS, open_stock=0, trump="none"), 5)
@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_exact_endgame_is_perfect_play(game: Rules, seed: int) -> None:
    """Play two batches alike until the one is done, and the other one on, by brute force."""
    size = 4
    solved, played = DealBatch(game, size, seed, endgame="exact"), DealBatch(game, size, seed)
    play_foreplay(solved, played, np.random.default_rng(1))
    assert (played.states["tricks"][:, ENDGAME] == 0).all()
    np.testing.assert_array_equal(solved.states["hands"], played.states["hands"])
    for row in range(size):
        play_perfectly(played, row)
    np.testing.assert_array_equal(solved.states["tricks"], played.states["tricks"])
    for reward in REWARDS:
        np.testing.assert_array_equal(solved.returns(reward), played.returns(reward))
    assert (solved.legal() == 0).all()


def test_decided_race_is_left_alone() -> None:
    solved, played = (DealBatch("tiny:counts=all,race=2", 64, 3, endgame=endgame) for endgame in ("exact", "played"))
    play_foreplay(solved, played, np.random.default_rng(2))
    early = played.done.copy()
    assert 0 < early.sum() < 64
    assert raw(solved.states[early]) == raw(played.states[early])
    assert (solved.states["tricks"][early, ENDGAME] == 0).all()


class LeaderTakesAll:
    """An ending of somebody's own."""

    def check(self, rules: Rules) -> None:
        if rules.race:
            raise ValueError(f"no endgame of mine with race={rules.race}")

    def finish(self, rules: Rules, states: Any) -> Any:
        return np.where(states["turn"][:, None] == [0, 1], rules.hand, 0)


def test_endgame_may_be_an_own_hook(rng: np.random.Generator) -> None:
    batch = gw.DealBatch("tiny", 50, endgame=LeaderTakesAll())
    while not batch.done.all():
        batch.step(random_legal(batch.action_mask(), rng))
    assert set(batch.returns()[:, 0].tolist()) == {2.0, -2.0}
    np.testing.assert_array_equal(batch.returns()[:, 0] > 0, batch.states["winner"] == 0)
    with pytest.raises(ValueError, match="no endgame of mine with race=1"):
        gw.DealBatch("tiny:race=1", endgame=LeaderTakesAll())


@pytest.mark.parametrize(
    ("game", "endgame", "named"),
    [
        ("classic", "exat", "did you mean 'exact'"),
        ("humbug", "exact", "humbug"),
        ("classic:hand=14,stock=24", "exact", "14"),
    ],
)
def test_unsolvable_rules_are_refused(game: str, endgame: str, named: str) -> None:
    for make in (gw.DealBatch, gw.env):
        with pytest.raises(ValueError, match=named):
            make(rules=game, endgame=endgame)
