"""Copies of running environments, by ``copy.deepcopy`` and ``pickle``: they keep the position and go on apart."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest

import german_whist as gw
from german_whist.envs.simulator.batch import DealBatch
from tests.envs.players import Random

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
        agent = environment.agent_selection
        done = environment.terminations[agent]
        info = environment.infos[agent]
        told += [agent, environment.observe(agent), environment._cumulative_rewards[agent], copy.deepcopy(info)]
        told += [environment.unwrapped.state(), environment.unwrapped.deal, environment.unwrapped.scores]
        environment.step(None if done else int(rng.choice(np.flatnonzero(info["action_mask"]))))
    return told


@pytest.mark.parametrize("make", [gw.env, gw.raw_env], ids=["wrapped", "bare"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"observation": "history"},
        {"rules": "tiny", "match": "first_to:4"},
        {"endgame": "exact"},
        {"rules": "draft"},
    ],
    ids=str,
)
def test_a_copy_of_a_running_aec_environment_goes_on_alike_and_by_itself(copied: Any, make: Any, settings: Any) -> None:
    environment = make(**settings)
    environment.reset(seed=5)
    environment.reset()
    play_aec(environment, 1, steps=7)
    twin = copied(environment)
    before = play_aec(copied(environment), 2)
    expected = play_aec(environment, 2)
    assert len(expected) > 7
    np.testing.assert_equal(before, expected)
    np.testing.assert_equal(play_aec(twin, 2), expected)
    for one in (environment, twin):
        one.reset()
    np.testing.assert_equal(play_aec(twin, 3), play_aec(environment, 3))


def plain(answer: Any) -> Any:
    """Return an answer with lists for arrays of objects, which NumPy's comparison of arrays cannot compare."""
    if isinstance(answer, tuple):
        return tuple(map(plain, answer))
    if isinstance(answer, dict):
        return {key: plain(value) for key, value in answer.items()}
    return answer.tolist() if isinstance(answer, np.ndarray) and answer.dtype == object else answer


def play_gymnasium(environment: Any, info: dict[str, Any], seed: int, steps: int) -> list[Any]:
    """Play some steps of random legal cards and return all that is told."""
    rng = np.random.default_rng(seed)
    told = []
    for _ in range(steps):
        mask = np.atleast_2d(info["action_mask"])
        cards = (rng.random(mask.shape) * mask).argmax(axis=1)
        answer = environment.step(cards if info["action_mask"].ndim == 2 else int(cards[0]))
        info = answer[4]
        told.append(plain(answer))
        if np.ndim(answer[2]) == 0 and answer[2]:
            answer = environment.reset()
            info = answer[1]
            told.append(plain(answer))
    return told


@pytest.mark.parametrize("settings", [{}, {"match": "best_of:3", "rules": "tiny"}, {"endgame": "exact"}], ids=str)
@pytest.mark.parametrize(
    "make",
    [
        lambda **settings: gymnasium.make(GAME, **settings),
        lambda **settings: gymnasium.make_vec(GAME, num_envs=3, autoreset_mode="NEXT_STEP", **settings),
        lambda **settings: gymnasium.make_vec(GAME, num_envs=3, **settings),
    ],
    ids=["single", "next_step", "same_step"],
)
def test_a_copy_of_a_running_gymnasium_environment_goes_on_alike_and_by_itself(
    copied: Any, make: Any, settings: Any
) -> None:
    environment = make(opponent=Random(), **settings)
    _, info = environment.reset(seed=5)
    info = play_gymnasium(environment, info, 1, steps=9)[-1][-1]
    environment.action_space.seed(3)
    twin = copied(environment)
    before = play_gymnasium(copied(environment), info, 2, 30)
    expected = play_gymnasium(environment, info, 2, 30)
    np.testing.assert_equal(before, expected)
    np.testing.assert_equal(play_gymnasium(twin, info, 2, 30), expected)
    np.testing.assert_equal(twin.action_space.sample(), environment.action_space.sample())


def test_a_copy_of_a_batch_goes_on_alike_and_by_itself(copied: Any, rng: np.random.Generator) -> None:
    batch = DealBatch("draft", 5, seed=3, history=True, endgame="exact")
    for _ in range(9):
        batch.step((rng.random((5, 54)) * batch.action_mask()).argmax(axis=1))
    twin = copied(batch)
    assert np.array_equal(twin.states, batch.states)
    before = batch.states.copy()
    while not twin.done.all():
        twin.step(twin.action_mask().argmax(axis=1))
    assert np.array_equal(batch.states, before)
    while not batch.done.all():
        batch.step(batch.action_mask().argmax(axis=1))
    np.testing.assert_equal(twin.history(), batch.history())
    np.testing.assert_array_equal(twin.returns(), batch.returns())
