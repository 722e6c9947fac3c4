"""Endgames looked up in a table have the values of the search."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import german_whist
from german_whist.game.utils.backend import TorchBackend
from german_whist.simulator.batch import DealBatch
from german_whist.solver import endgame_batch, exact_endgame
from german_whist.solver.endgame_batch import EndgameBatch
from german_whist.solver.tablebase.build import build_in_memory
from german_whist.solver.tablebase.kinds import TablebaseKind
from german_whist.solver.tablebase.tablebase_file import Tablebase

CPU = TorchBackend("cpu")


LARGEST = 7  # cards of a hand


@cache
def small_table(trump: bool, low: bool) -> Tablebase:
    return build_in_memory(TablebaseKind(trump, low), LARGEST)


@pytest.fixture(autouse=True)
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that hold all endgames of these tests, in the place of complete ones."""
    monkeypatch.setattr(endgame_batch, "open_complete_tablebase", small_table)


def some_endgames(count: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    hands = np.zeros((2, count), np.uint64)
    leds = np.full(count, -1, np.int8)
    for row in range(count):
        size = rng.integers(1, LARGEST + 1)
        cards = rng.permutation(52)[: 2 * size].tolist()
        hands[0, row], hands[1, row] = (sum(1 << card for card in part) for part in (cards[:size], cards[size:]))
        leds[row] = cards[0] if rng.integers(2) else -1
    trumps, lows = rng.integers(-1, 4, count).astype(np.int8), rng.integers(0, 2, count) == 1
    return {"leaders": hands[0], "followers": hands[1], "trumps": trumps, "lows": lows, "leds": leds}


def test_device_endgames_match_search() -> None:
    endgames = some_endgames(2000)
    expected = german_whist.solve_endgames(**endgames)
    np.testing.assert_array_equal(EndgameBatch(**endgames).look_up(), expected)
    tensors = {name: torch.from_numpy(column) for name, column in endgames.items()}
    for given in (endgames, tensors):
        np.testing.assert_array_equal(EndgameBatch(**given, backend=CPU).look_up().numpy(), expected)


@pytest.mark.parametrize("rules", ["tiny", "six_cards", "high_low:ranks=6,hand=6,stock=12"])
def test_deals_end_with_perfect_play(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arrays, tensors = DealBatch(rules, 50, endgame="exact"), DealBatch(rules, 50, device="cpu", endgame="exact")
    looks_up = SimpleNamespace(is_gpu=True, empty=CPU.empty, launch=CPU.launch)
    monkeypatch.setattr(exact_endgame, "backend_holding", lambda states: looks_up)
    while not arrays.done.all():
        actions = arrays.action_mask().argmax(axis=1)
        arrays.step(actions)
        tensors.step(actions)
    assert arrays.states.tobytes() == tensors.states.bytes.numpy().tobytes()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"leaders": [0b11]}, "is in both hands"),
        ({"followers": [0b01]}, "is in both hands"),
        ({"followers": [1, 2]}, "followers"),
        ({"leaders": [0.5]}, "leaders must be int"),
        ({"leaders": [-1]}, "leaders must be integers from 0"),
        ({"trumps": 4}, "trumps must be integers from -1 to 3"),
        ({"leds": 52}, "leds must be integers from -1 to 51"),
    ],
)
def test_wrong_endgame_is_refused(change: dict[str, Any], words: str) -> None:
    endgame: dict[str, Any] = {"leaders": [0b01], "followers": [0b10], "trumps": -1, "lows": False, "leds": -1}
    with pytest.raises(ValueError, match=words):
        EndgameBatch(**{**endgame, **change}, backend=CPU)
