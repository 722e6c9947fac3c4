from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import german_whist as gw


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("trump", [2, -1])
def test_a_numba_function_of_ones_own_solves_endgames(trump: int, low: bool, rng: np.random.Generator) -> None:
    solve, solver = gw.endgame_tricks, gw.endgame_solver(trump >= 0, low)

    @numba.njit
    def tricks_of(solver: Any, leaders: Any, followers: Any, trump: int, leds: Any) -> Any:
        tricks = np.empty(len(leaders), np.int64)
        for i in range(len(leaders)):
            tricks[i] = solve(solver, leaders[i], followers[i], trump, leds[i])
        return tricks

    for cards in (1, 5, 13):
        dealt = np.array([rng.permutation(52)[: 2 * cards] for _ in range(40)], np.uint64)
        leaders, followers = np.left_shift(np.uint64(1), dealt.reshape(40, 2, cards)).sum(axis=2).T
        leds = np.array([-1 if row % 2 else gw.cards_of_mask(mask)[0] for row, mask in enumerate(leaders.tolist())])
        tricks = tricks_of(solver, leaders, followers, trump, leds)
        np.testing.assert_array_equal(tricks, gw.solve_endgames(leaders, followers, trump, low, leds))
        assert solve(solver, int(leaders[0]), int(followers[0]), trump, -1) == gw.solve_endgames(
            leaders[:1], followers[:1], trump, low
        )
