"""Near the endgame the teacher tries cards in several worlds: the true deal, and those of ``mc``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from german_whist.agents.base import Agent
from german_whist.agents.mc_bot import MonteCarloBot
from german_whist.agents.registry import make_agent
from german_whist.agents.world_states import write_known, write_world
from german_whist.agents.worlds import HIDDEN, count_hands
from german_whist.envs.batch import DealBatch
from german_whist.envs.cards import cards_of
from german_whist.envs.jit import kernel
from german_whist.training.lessons import Lessons
from german_whist.training.playout_network import PlayoutNetwork
from tests.training.taught import by_playing_on, config
from tests.training.test_student import lowest_of_its_run, some_student

WORLDS = 12


class Given:
    """Randomness that gives the keys of worlds that are already drawn."""

    def __init__(self, keys: np.ndarray[Any, Any]) -> None:
        self._keys = keys

    def integers(self, low: int, high: int, size: int) -> np.ndarray[Any, Any]:
        return self._keys.astype(np.int64)


def play_at_random(lessons: Lessons) -> None:
    lessons.collect(lambda cells: torch.zeros((len(cells), lessons.batch.num_actions)))


@pytest.mark.parametrize(
    ("rules", "stock"),
    [("classic", 4), ("no_trump", 6), ("small", 4), ("high_low", 2), ("open_stock", 6), ("draft", 4)],
)
def test_their_mean_is_what_is_learnt(rules, stock):
    alone, more = (
        Lessons(config(rules=rules, rows=24, steps=1, worlds=worlds, worlds_stock=stock), {}) for worlds in (1, WORLDS)
    )
    tried = 0
    for _ in range(3 * alone.batch.rules.stock):  # until all have been there
        for lessons in (alone, more):
            play_at_random(lessons)
        views = more.batch.views()
        for lessons in (alone, more):
            lessons._look(0)
        near = views["stock"] <= stock
        if not near.any():
            assert (alone._worth_by_name == more._worth_by_name).all()
            continue
        keys = Given(more._keys)
        others = MonteCarloBot(WORLDS).totals(views, keys) - MonteCarloBot(1).totals(views, keys)
        for row in np.flatnonzero(near & (views["stock"] > 0)):
            for action in cards_of(int(views["legal"][row])):
                total = WORLDS * more._worth_by_name[row, action] - alone._worth_by_name[row, action]
                if others[row].any() and others[row, action]:  # of neighbours mc tries one
                    assert total == pytest.approx(others[row, action], abs=1e-3)
                    tried += 1
        if tried > 200:
            break
    assert tried > 50


@kernel
def write_first_world(view, key, hidden, game, state):
    """What the kernels of ``mc`` make of world 1 of a key."""
    count_hands(view, hidden)
    write_known(view, state)
    write_world(view, hidden, key, np.uint64(1), game, state)


def test_in_a_world_the_same_bots_play_on():
    student, heuristic = some_student("small", "live"), make_agent("heuristic")
    settings = config(rules="small", rows=32, steps=1, worlds=2, worlds_stock=8, opponents={"heuristic": 1.0})
    lessons = Lessons(settings, {"heuristic": lambda _: heuristic})
    lessons.play_on(PlayoutNetwork.of(student.checkpoint.layers))
    for _ in range(lessons.batch.rules.stock - 8 + 2):
        play_at_random(lessons)
    lessons._look(0)
    assert set(lessons.batch.turn) == {0, 1}
    world = SimpleNamespace(batch=DealBatch("small", 1))  # as lessons of one row
    tried = 0
    for row, view in enumerate(lessons.batch.views()):
        seat = int(lessons.batch.turn[row])
        bots: list[Agent] = [student, student]
        bots[1 - seat] = heuristic
        true = by_playing_on(lessons, row, bots)
        hidden, game = np.zeros(1, HIDDEN), lessons.batch.rules.game
        write_first_world(view, lessons._keys[row], hidden[0], game[0], world.batch.states[0])
        imagined = by_playing_on(world, 0, [student, heuristic])  # the seat to act is seat 0
        if len(true) == 1 or view["stock"] > 8:
            continue
        stand_for = lowest_of_its_run(lessons, row)
        for action in true:
            expected = (true[stand_for[action]] + imagined[stand_for[action]]) / 2
            assert lessons._worth_by_name[row, action] == expected
            tried += 1
    assert tried > 40


def test_a_run_draws_them_alike_each_time():
    settings = config(rules="small", rows=8, steps=30, worlds=5, worlds_stock=8)
    first, second = (Lessons(settings, {}) for _ in range(2))
    for lessons in (first, second):
        play_at_random(lessons)
    assert torch.equal(first.worth, second.worth)
    assert (first._keys[:-1] != first._keys[1:]).all()
