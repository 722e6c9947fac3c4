"""Agents get histories where they declare ``uses_histories``, and keys for a state of their own."""

from __future__ import annotations

import gc
from typing import Any
from weakref import WeakKeyDictionary

import gymnasium
import numpy as np
import pytest

from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.evaluation.match import play_match
from german_whist.simulator.decisions import Decisions
from tests.players import Lowest, ReadsHistory


class Remembers:
    """Keeps what it saw in every game, checks that it is of the game that it plays, and plays by it.

    It counts its decisions and alternates between the lowest and the highest legal card; every card that it saw in its
    hand is in its hand now or played by itself.
    """

    name = "remembers"

    def __init__(self) -> None:
        self.decisions = self.begun = 0
        self.seen: WeakKeyDictionary[Any, tuple[int, int]] = WeakKeyDictionary()

    def act(self, decisions: Decisions) -> np.ndarray:
        chosen = []
        for view, game in zip(decisions.views, decisions.game_ids, strict=True):
            self.begun += game not in self.seen
            played, hand = self.seen.get(game, (0, 0))
            assert played == int(view["played_self"]).bit_count()
            assert not hand & ~(int(view["hand"]) | int(view["played_self"]))
            self.seen[game] = played + 1, hand | int(view["hand"])
            legal = int(view["legal"])
            chosen.append(legal.bit_length() - 1 if played % 2 else (legal & -legal).bit_length() - 1)
        self.decisions += len(decisions)
        return np.array(chosen)


def test_matches_keep_histories() -> None:
    agent = ReadsHistory()
    result = play_match(agent, "random", deals=4, seed=2, batch_size=3)
    assert agent.decisions == 4 * 2 * 26
    assert result.margin == play_match(Lowest(), "random", deals=4, seed=2).margin
    play_match(agent, "random", match="best_of:3", deals=3, seed=1, rules="small")
    assert agent.decisions > 4 * 2 * 26
    before = agent.decisions
    play_match(ExactEndgame(agent), agent, deals=3, seed=2, rules="small")
    assert agent.decisions > before


@pytest.mark.parametrize("kind", [ReadsHistory, Remembers])
def test_gymnasium_keeps_histories(kind: Any) -> None:
    agent = kind()
    env: Any = gymnasium.make("german_whist:GermanWhist-v0", rules="small", opponent=agent)
    _, info = env.reset(seed=3)
    over = False
    while not over:
        *_, over, _, info = env.step(int(info["action_mask"].argmax()))
    assert agent.decisions == 14
    vector: Any = gymnasium.make_vec("german_whist:GermanWhist-v0", num_envs=5, rules="small", opponent=agent)
    _, info = vector.reset(seed=3)
    for _ in range(20):  # beyond the end of the first deals
        *_, info = vector.step(info["action_mask"].argmax(axis=1))
    assert agent.decisions > 5 * 14


def test_finished_games_are_forgotten() -> None:
    agent = Remembers()
    play_match(agent, "random", deals=5, seed=8, batch_size=2)
    assert agent.decisions == 2 * 5 * 26
    assert agent.begun == 2 * 5
    gc.collect()
    assert not agent.seen
