"""What a finished deal pays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.game.rules import Rules
from german_whist.game.rules import rules as get_rules
from german_whist.game.scoring import REWARDS, reward_limit
from german_whist.simulator.batch import DealBatch
from tests.reference.game import points_of
from tests.strategies import GAMES, games

CLASSIC_ALL = Rules(points="over_book", counts="all")
SMALL_ALL = Rules(ranks=7, hand=7, stock=14, points="over_book", counts="all", book=6)
OVER_HALF = Rules(points="over_half", counts="all")


def finished(rules: Rules, foreplay: tuple[int, int], endgame: tuple[int, int], low: bool = False) -> DealBatch:
    """Two finished deals with these tricks of seats 0 and 1, swapped in the second deal."""
    batch = DealBatch(rules, 2)
    batch.states["low"] = low
    batch.states["tricks"][0] = [foreplay, endgame]
    batch.states["tricks"][1] = [foreplay[::-1], endgame[::-1]]
    batch.states["done"] = True
    return batch


def points(rules: Rules, winner: int, loser: int, low: bool = False) -> float:
    """The winner's points, after checking that the loser pays them, in either seat."""
    if rules.counts == "endgame":
        batch = finished(rules, (rules.foreplay, 0), (winner, loser), low)
    else:
        lost_early = min(loser, rules.foreplay)
        batch = finished(rules, (rules.foreplay - lost_early, lost_early), (0, 0))
        batch.states["tricks"][0, 1] = [winner - rules.foreplay + lost_early, loser - lost_early]
        batch.states["tricks"][1, 1] = batch.states["tricks"][0, 1, ::-1]
    assert winner + loser == rules.counted
    (first, second), swapped = batch.returns("points")
    assert second == -first
    assert swapped.tolist() == [second, first]
    return float(first)


@pytest.mark.parametrize(
    ("rules", "winner", "loser", "score"),
    [
        *(("seventh", 8, 5, 2), ("small", 5, 2, 2), ("small_all", 10, 4, 4), ("seventh", 10, 3, 4), ("small", 7, 0, 5)),
        *(("seventh", 13, 0, 10), ("humbug", 8, 5, 2), ("humbug", 13, 0, 7), ("all", 16, 10, 6), ("classic", 8, 5, 3)),
        (OVER_HALF, 16, 10, 3),
    ],
)
def test_points_match_worked_examples(rules: str | Rules, winner: int, loser: int, score: int) -> None:
    assert points(get_rules(rules), winner, loser) == score


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(
    "rules", [CLASSIC_ALL, OVER_HALF, Rules(counts="all"), SMALL_ALL, Rules(ranks=7, hand=7, stock=14, counts="all")]
)
def test_draws_pay_0(rules: Rules, reward: str) -> None:
    batch = finished(rules, (rules.foreplay, 0), (0, rules.hand))
    assert rules.foreplay == rules.hand
    assert batch.returns(reward).tolist() == [[0, 0], [0, 0]]
    assert not np.signbit(batch.returns(reward)).any()  # −0 equals 0 but prints differently


@given(games(), st.data())
def test_points_match_reference(rules: Rules, data: st.DataObject) -> None:
    winner = data.draw(st.integers((rules.counted + 1) // 2, rules.counted))
    expected = points_of(winner, rules.counted - winner, rules.points, rules.book, rules.slam)
    assert points(rules, winner, rules.counted - winner) == np.float32(expected)
    if rules.high_low:
        assert points(rules, winner, rules.counted - winner, low=True) == -np.float32(expected)


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("name", GAMES)
def test_reward_limit_is_reached(name: str, reward: str) -> None:
    rules = GAMES[name]
    batch = finished(rules, (rules.foreplay, 0), (rules.hand, 0))
    assert batch.returns(reward)[0, 0] == reward_limit(rules.record, reward) > 0
