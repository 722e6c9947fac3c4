"""OpenSpiel's algorithms run, and its NashConv is ours."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import policy as policies
from open_spiel.python.algorithms import exploitability

from german_whist.game.rules import rules
from german_whist.openspiel.game import GermanWhistGame
from german_whist.openspiel.observer import history_text
from tests.openspiel.exact_best_response import Key, SmallGame


@cache
def six_cards() -> SmallGame:
    return SmallGame(rules("six_cards"))


@cache
def game() -> GermanWhistGame:
    loaded: GermanWhistGame = pyspiel.load_game("python_german_whist(rules=six_cards)")
    return loaded


def test_nash_conv_agrees() -> None:
    table = policies.TabularPolicy(game())
    rng = np.random.default_rng(0)
    table.action_probability_array[:] = rng.random(table.action_probability_array.shape) * table.legal_actions_mask
    table.action_probability_array /= table.action_probability_array.sum(axis=1, keepdims=True)

    def looked_up(key: Key, legal: tuple[int, ...]) -> dict[int, float]:
        seat, history = key
        tokens = np.frombuffer(history, np.int8).reshape(-1, 4)
        state = f"player {seat}: {history_text(tokens, int((tokens[:, 0] > 0).sum()))}"
        chances = table.policy_for_key(state)
        return {action: float(chances[action]) for action in legal}

    on_policy = six_cards().value(looked_up)
    expected = six_cards().best_response(0, looked_up), six_cards().best_response(1, looked_up)
    result = exploitability.nash_conv(game(), table, return_only_nash_conv=False)
    assert result.nash_conv == pytest.approx(sum(expected), abs=1e-9)
    assert result.player_improvements == pytest.approx([expected[0] - on_policy, expected[1] + on_policy], abs=1e-9)
