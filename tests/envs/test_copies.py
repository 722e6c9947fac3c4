"""Copies of running environments, by ``copy.deepcopy`` and ``pickle``: they keep the position and go on apart."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

import german_whist as gw
from tests.players import Random, random_legal

GAME = "german_whist:GermanWhist-v0"
COPIES = [copy.deepcopy, lambda environment: pickle.loads(pickle.dumps(environment))]
pytestmark = pytest.mark.parametrize("copied", COPIES, ids=["deepcopy", "pickle"])


def play_aec(environment: Any, seed: int, steps: int = 10_000) -> list[Any]:
    """Play to the end of this episode, or some steps of it, and return all that is seen."""
    rng = np.random.default_rng(seed)
    told = []
    for _ in range(steps):
        if not environment.agents:
            break
        observation, reward, done, _, info = environment.last()
        told += [environment.agent_selection, observation, reward, done, copy.deepcopy(info)]
        told += [environment.unwrapped.state(), environment.unwrapped.deal, environment.unwrapped.scores]
        environment.step(None if done else random_legal(info["action_mask"], rng))
    return told


@pytest.mark.parametrize(
    ("make", "settings"),
    [
        (gw.env, {}),
        (gw.env, {"rules": "tiny", "match": "first_to:4"}),
        (gw.raw_env, {"observation": "history"}),
        (gw.raw_env, {"endgame": "exact", "rules": "draft"}),
    ],
)
def test_copy_of_aec_env(copied: Any, make: Any, settings: Any) -> None:
    environment = make(**settings)
    environment.reset(seed=5)
    play_aec(environment, 1, steps=7)
    twin = copied(environment)
    before, expected = play_aec(copied(environment), 2), play_aec(environment, 2)
    assert len(expected) > 7
    np.testing.assert_equal(before, expected)
    np.testing.assert_equal(play_aec(twin, 2), expected)


def play_gymnasium(environment: Any, info: dict[str, Any], seed: int, steps: int) -> list[Any]:
    """Play some steps of random legal cards, or to the end of a single episode, and return all that is told."""
    rng = np.random.default_rng(seed)
    told = []
    for _ in range(steps):
        mask = np.atleast_2d(info["action_mask"])
        cards = random_legal(mask, rng)
        answer = environment.step(cards if info["action_mask"].ndim == 2 else int(cards[0]))
        info = answer[4]
        told.append(answer)
        if np.ndim(answer[2]) == 0 and answer[2]:
            break
    return told


@pytest.mark.parametrize("settings", [{"match": "best_of:3", "rules": "tiny"}, {"endgame": "exact"}], ids=str)
@pytest.mark.parametrize(
    "make",
    [gymnasium.make, lambda *words, **settings: gymnasium.make_vec(*words, 3, autoreset_mode="NEXT_STEP", **settings)],
    ids=["single", "vector"],
)
def test_copy_of_gymnasium_env(copied: Any, make: Any, settings: Any) -> None:
    environment = make(GAME, opponent=Random(), **settings)
    _, info = environment.reset(seed=5)
    info = play_gymnasium(environment, info, 1, steps=5)[-1][-1]
    twin = copied(environment)
    before, expected = play_gymnasium(copied(environment), info, 2, 30), play_gymnasium(environment, info, 2, 30)
    assert data_equivalence(before, expected, exact=True)
    assert data_equivalence(play_gymnasium(twin, info, 2, 30), expected, exact=True)
