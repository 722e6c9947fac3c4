from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from german_whist.envs.gymnasium_vector_env import GermanWhistVectorEnv
from german_whist.game.rules import rules
from german_whist.game.scoring import reward_limit
from tests.dealing import deal_deck
from tests.players import Lowest, LowestByMask, Random, ReadsHistory, random_legal

GAME = "german_whist:GermanWhist-v0"
pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("reward", ["margin", "win", "points"])
def test_illegal_action(reward: str) -> None:
    environment = GermanWhistVectorEnv(Lowest(), 4, reward=reward)
    _, info = environment.reset(seed=2)
    actions = random_legal(info["action_mask"], np.random.default_rng(1))
    actions[1] = np.flatnonzero(info["action_mask"][1] == 0)[0]
    actions[3] = 10**12
    _, rewards, terminations, _, info = environment.step(actions)
    worst = -reward_limit(rules("classic").game, reward)
    assert rewards.tolist() == [0, worst, 0, worst]
    assert terminations.tolist() == info["illegal"].tolist() == [False, True, False, True]
    assert info["final_info"]["illegal"].tolist() == [False, True, False, True]
    assert info["action_mask"].any(axis=1).all()
    assert environment._episodes.indices.tolist() == [0, 5, 2, 7]


def test_deals_of_rows(rng: np.random.Generator) -> None:
    environment = GermanWhistVectorEnv(Random(), 3, rules="tiny", seat=0)
    _, info = environment.reset(seed=4)
    ended = np.zeros(3, np.int64)
    for _ in range(20):
        for row in range(3):
            index = row + 3 * int(ended[row])
            deck = deal_deck(environment.rules.cards, 4, index)
            np.testing.assert_array_equal(environment._batch.states["deck"][row, :8], deck)
        _, _, terminations, _, info = environment.step(random_legal(info["action_mask"], rng))
        ended += terminations
    before = environment._episodes.indices.copy()
    environment.reset()
    assert environment._episodes.indices.tolist() == (before + 3).tolist()


def test_reset_options() -> None:
    environment = GermanWhistVectorEnv(Lowest(), 3, seat=1)
    cards = environment.rules.cards
    environment.reset(options={"deal": (6, 10)})
    decks = environment._batch.states["deck"]
    np.testing.assert_array_equal(decks, [deal_deck(cards, 6, index) for index in (10, 11, 12)])
    environment.reset(options={"dealer": 0, "unknown": 3})
    np.testing.assert_array_equal(decks, [deal_deck(cards, 6, index) for index in (13, 14, 15)])
    assert environment._batch.states["dealer"].tolist() == [0, 0, 0]
    deck = deal_deck(cards, 1, 1)
    observations, _ = environment.reset(options={"deck": deck, "dealer": 0})
    assert np.flatnonzero(observations[2, :52]).tolist() == sorted(deck[:26:2].tolist())


@pytest.mark.parametrize("settings", [{}, {"num_envs": 3}, {"num_envs": 3, "device": "cpu"}], ids=["1", "3", "tensors"])
def test_opponent_can_change(settings: dict[str, Any]) -> None:
    make: Any = gymnasium.make_vec if settings else gymnasium.make
    environment = make(GAME, opponent="random", **settings).unwrapped
    _, info = environment.reset(seed=4)

    def play() -> None:
        nonlocal info
        for _ in range(10):
            *_, info = environment.step(info["action_mask"].argmax(-1))

    lowest, reader = Lowest(), ReadsHistory()
    for opponent in (lowest, LowestByMask(), "greedy"):
        play()
        environment.opponent = opponent
    assert lowest.calls
    assert environment.opponent.name == "greedy"
    _, info = environment.reset()
    if "device" in settings:
        with pytest.raises(ValueError, match="reads"):
            environment.opponent = reader
        assert environment.opponent.name == "greedy"
    else:
        play()
        environment.opponent = reader
        play()
        assert reader.decisions


def test_opponent_calls_are_batched() -> None:
    opponent = Lowest()
    environment = GermanWhistVectorEnv(opponent, 64)
    _, info = environment.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(60):
        opponent.calls = 0
        _, _, _, _, info = environment.step(random_legal(info["action_mask"], rng))
        assert opponent.calls <= 2


def test_arrays_are_not_overwritten(rng: np.random.Generator) -> None:
    environment = GermanWhistVectorEnv(Random(), 5, rules="tiny")
    observations, info = environment.reset(seed=1)
    kept: list[Any] = [observations, info["action_mask"]]
    copies = [array.copy() for array in kept]
    for _ in range(20):
        observations, rewards, terminations, _, info = environment.step(random_legal(info["action_mask"], rng))
        final = [array for array in info.get("final_obs", []) if array is not None]
        new = [observations, rewards, terminations, info["action_mask"], info["illegal"], *final]
        kept += new
        copies += [array.copy() for array in new]
    np.testing.assert_equal(kept, copies)
    kept[-1][:] = 0


def test_bad_option_or_seed() -> None:
    environment = GermanWhistVectorEnv(Lowest(), 2)
    environment.reset(seed=3)
    with pytest.raises(ValueError, match="option dealer must be 0 or 1, got 3"):
        environment.reset(options={"dealer": 3})
    for options in (None, {"deal": (6, 10)}):
        with pytest.raises(ValueError, match=r"seeds must be 2, .* got 3"):
            environment.reset(seed=[1, 2, 3], options=options)
    with pytest.raises(ValueError, match="deal index"):
        environment.reset(options={"deal": (1, 2**64 - 1)})
    assert environment._episodes.indices.tolist() == [0, 1]
    assert environment._episodes.seeds.tolist() == [3, 3]
