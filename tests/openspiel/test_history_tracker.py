"""A seat's views at its decisions tell the whole history that it has seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

pytest.importorskip("pyspiel")

from german_whist.envs.engine.rules import Rules, rule_names, rules
from german_whist.envs.simulator.batch import DealBatch
from german_whist.openspiel.history_tracker import HistoryTracker
from tests.strategies import games, seeds


def check(game: Rules, seed: int) -> None:
    rng = np.random.default_rng(seed % 2**32)
    batch = DealBatch(game, 1, seed, first=seed % 2, history=True)
    trackers = HistoryTracker(game), HistoryTracker(game)
    actions: list[int] = []
    while not batch.done[0]:
        tracker = trackers[int(batch.turn[0])]
        tracker.observe_view(batch.views()[0])
        assert tracker.actions == actions
        seen, length = tracker.history()
        tokens, lengths = batch.history()
        assert length == lengths[0]
        assert _in_order(game, seen).tolist() == _in_order(game, tokens[0, :length]).tolist()
        action = int(rng.choice(np.flatnonzero(batch.action_mask()[0])))
        tracker.record_own_action(action)
        actions.append(action)
        batch.step([action])


def _in_order(game: Rules, tokens: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Events with the first face-up cards of an open stock in ascending order, which no view tells."""
    first = 1 + 2 * game.hand
    tokens = tokens.copy()
    if game.open_stock > 1:
        tokens[first : first + game.open_stock, 2].sort()
    return tokens


@pytest.mark.parametrize("preset", rule_names())
def test_views_tell_the_history_in_every_preset(preset: str) -> None:
    for seed in range(30):
        check(rules(preset), seed)


@settings(max_examples=150, deadline=None)
@given(games(), seeds)
def test_views_tell_the_history_in_any_game(game: Rules, seed: int) -> None:
    check(game, seed)
