"""Endgames of races, checked against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.game.cards import SUITS, parse_card
from german_whist.solver.endgames import solve_endgames
from german_whist.solver.races import solve_races
from tests.solver.brute_force import race_tricks
from tests.solver.hands import Endgame, random_endgame, rows


def race_rows(dealt: list[Endgame]) -> dict[str, np.ndarray]:
    arguments = rows(dealt)
    del arguments["lows"]
    return arguments


def needs_of(rng: np.random.Generator, dealt: list[Endgame]) -> np.ndarray:
    return np.array([rng.integers(1, len(endgame.leader) + 3, 2) for endgame in dealt])


def test_race_values_match_brute_force(rng):
    dealt = [random_endgame(rng, 1 + i % 5) for i in range(200)]
    needs = needs_of(rng, dealt)
    tricks = solve_races(**race_rows(dealt), needs=needs)
    for endgame, need, found in zip(dealt, needs.tolist(), tricks.tolist(), strict=True):
        expected = race_tricks(endgame.kept, endgame.follower, endgame.trump, tuple(need), endgame.led)
        assert found[0] - found[1] == expected[0] - expected[1]
        assert tuple(found) == expected


def test_unreachable_goals_leave_the_endgame_plain(rng):
    dealt = [random_endgame(rng, cards) for cards in range(1, 14) for _ in range(5)]
    plain = rows(dealt)
    plain["lows"][:] = False
    tricks = solve_races(**race_rows(dealt), needs=[26, 26])
    cards = np.array([len(endgame.leader) for endgame in dealt])
    assert (tricks[:, 0] == solve_endgames(**plain)).all()
    assert (tricks.sum(axis=1) == cards).all()


def test_race_to_seven_ends_at_seven(rng):
    dealt = [random_endgame(rng, 13) for _ in range(60)]
    plain = rows(dealt)
    plain["lows"][:] = False
    tricks = solve_races(**race_rows(dealt), needs=[7, 7])
    assert ((tricks[:, 0] == 7) == solve_endgames(**plain, at_least=7)).all()
    assert (tricks.max(axis=1) == 7).all()
    assert (tricks.min(axis=1) < 7).all()


@pytest.mark.parametrize("needs", [[0, 3], [3, 27], [1.5, 2], [1, 2, 3], 4])
def test_impossible_goal_is_refused(needs):
    with pytest.raises(ValueError, match="needs"):
        solve_races([1 << parse_card("SA")], [1 << parse_card("S2")], SUITS.index("S"), needs=needs)
