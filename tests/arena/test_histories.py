"""Agents that are given event histories."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import german_whist as gw
from german_whist.agents.endgame.exact_agent import ExactEndgame
from german_whist.arena.explanation import explain_deal
from german_whist.arena.match import play_match
from german_whist.arena.series import play_series
from german_whist.envs.observation.history import EVENTS

PLAYED = [event.name for event in EVENTS].index("played")


class ReadsHistory:
    """Plays its lowest legal card, and checks that its history is that of the deal that it plays."""

    name = "reads"
    uses_history = True

    def __init__(self) -> None:
        self.decisions = 0

    def act(self, views: np.ndarray, rng: Any, histories: Any = None) -> np.ndarray:
        tokens, lengths = histories
        assert len(tokens) == len(lengths) == len(views)
        for view, events, length in zip(views, tokens, lengths, strict=True):
            played = {1: 0, 2: 0}
            for event, who, card, _ in events[:length]:
                if event == PLAYED:
                    played[who] |= 1 << int(card) - 1
            assert played == {1: int(view["played_self"]), 2: int(view["played_opponent"])}
        self.decisions += len(views)
        return np.array([(int(mask) & -int(mask)).bit_length() - 1 for mask in views["legal"]])


class Forgets(ReadsHistory):
    """The same player without histories."""

    uses_history = False

    def act(self, views: np.ndarray, rng: Any) -> np.ndarray:  # type: ignore[override]
        return np.array([(int(mask) & -int(mask)).bit_length() - 1 for mask in views["legal"]])


def test_matches_and_series_pass_the_history_of_every_game() -> None:
    agent = ReadsHistory()
    result = play_match(agent, "random", deals=4, seed=2, batch_size=3)
    assert agent.decisions == 4 * 2 * 26
    assert result.margin == play_match(Forgets(), "random", deals=4, seed=2).margin
    play_series(agent, "random", "best_of:3", matches=3, seed=1, rules="small")
    assert agent.decisions > 4 * 2 * 26


def test_an_exact_endgame_passes_the_histories_of_the_rows_that_it_does_not_play() -> None:
    agent = ReadsHistory()
    play_match(ExactEndgame(agent), agent, deals=3, seed=2, rules="small")
    assert agent.decisions > 0


def test_explanations_pass_them() -> None:
    agent = ReadsHistory()
    explain_deal((agent, agent), ("one", "two"), "small", 3, 1, worlds=0)
    assert agent.decisions == 28


def test_gymnasium_opponents_get_them() -> None:
    agent = ReadsHistory()
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


def test_the_histories_of_some_rows_are_those_of_all() -> None:
    batch = gw.DealBatch("classic", 5, seed=1, history=True)
    batch.step(batch.action_mask().argmax(axis=1))
    tokens, lengths = batch.history()
    some, of_some = batch.history(rows=[3, 1])
    assert (some == tokens[[3, 1]]).all()
    assert (of_some == lengths[[3, 1]]).all()
    with pytest.raises(ValueError, match="rows"):
        batch.history(rows=[5])
