"""Agents that remember their earlier decisions of a deal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from german_whist.agents.bots.base import DEAL
from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.arena.explanation import explain_deal
from german_whist.arena.match import play_match
from german_whist.arena.series import play_series

GAME = np.dtype([("deal", DEAL), ("decisions", np.int64), ("hand", np.uint64)])


class Remembers:
    """Checks that its memory is that of the game it plays, and plays by it.

    It counts its decisions and alternates between the lowest and the highest legal card; every card that it saw in its
    hand is in its hand now or played by itself.
    """

    name = "remembers"

    def __init__(self) -> None:
        self.deals: list[tuple[int, int, int]] = []
        self.decisions = 0

    def initial_memory(self, deals: np.ndarray) -> np.ndarray:
        assert deals.dtype == DEAL
        self.deals += [tuple(deal) for deal in deals.tolist()]
        memory = np.zeros(len(deals), GAME)
        memory["deal"] = deals
        return memory

    def act(self, views: np.ndarray, rng: Any, memory: np.ndarray) -> np.ndarray:
        self.decisions += len(views)
        played = np.array([mask.bit_count() for mask in views["played_self"].tolist()])
        assert (memory["decisions"] == played).all()
        assert not (memory["hand"] & ~(views["hand"] | views["played_self"])).any()
        memory["hand"] |= views["hand"]
        memory["decisions"] += 1
        legal = views["legal"].tolist()
        highest = [mask.bit_length() - 1 for mask in legal]
        lowest = [(mask & -mask).bit_length() - 1 for mask in legal]
        return np.where(memory["decisions"] % 2, lowest, highest)


def test_a_match_keeps_the_memory_of_every_game_and_says_which_it_is() -> None:
    agent = Remembers()
    play_match(agent, "random", deals=5, seed=8, batch_size=2, first_deal=40)
    assert agent.decisions == 2 * 5 * 26
    (match,) = {deal[0] for deal in agent.deals}
    assert match != 8
    assert sorted(agent.deals) == sorted((match, index, seat) for index in range(40, 45) for seat in (0, 1))


def test_the_result_is_the_same_in_batches_of_any_size() -> None:
    results = [play_match(Remembers(), "greedy", deals=9, seed=2, batch_size=size) for size in (1, 4, 9)]
    assert results[0] == results[1] == results[2]
    assert (results[0].margins == results[2].margins).all()


def test_one_object_can_play_both_sides() -> None:
    agent = Remembers()
    assert play_match(agent, agent, deals=6).win_rate == 0.5
    assert agent.decisions == 2 * 6 * 52


@pytest.mark.parametrize("endgame", ["played", "exact"])
def test_memory_goes_through_an_exact_endgame(endgame: str) -> None:
    agent = Remembers()
    games: list[Any] = []
    play_match(ExactEndgame(agent), "greedy", deals=4, endgame=endgame, record=games.append)
    assert len(games) == 8
    assert agent.decisions == 2 * 4 * 13


def test_a_series_begins_every_deal_with_a_fresh_memory() -> None:
    agent = Remembers()
    result = play_series(agent, "random", "best_of:3", 4, seed=3, rules="small")
    assert len(agent.deals) == len(set(agent.deals)) == result.deals_per_match * 8
    again = play_series(Remembers(), "random", "best_of:3", 4, seed=3, rules="small", batch_size=1)
    assert again == result


def test_an_explained_deal_is_played_as_in_the_match() -> None:
    games: list[Any] = []
    play_match(Remembers(), "greedy", deals=1, seed=4, first_deal=6, record=games.append)
    from german_whist.agents.registry import make_agent

    explained = explain_deal((Remembers(), make_agent("greedy")), ("a", "b"), "classic", 4, 6, worlds=0)
    assert tuple(move.action for move in explained.moves) == games[0].actions


@pytest.mark.parametrize(
    ("memory", "shown"), [(lambda deals: None, "NoneType"), (lambda deals: np.zeros((3, 2)), r"\[3, 2\]")]
)
def test_a_memory_without_a_row_per_deal_is_refused(memory: Any, shown: str) -> None:
    class Forgets(Remembers):
        name = "forgets"

        def initial_memory(self, deals: np.ndarray) -> np.ndarray:
            return memory(deals)

    with pytest.raises(ValueError, match=f"^agent 'forgets': initial_memory returned {shown} for 10 deals: an array"):
        play_match(Forgets(), "random", deals=5)
