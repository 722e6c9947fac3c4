from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from german_whist.envs.gymnasium_vector_env import GermanWhistVectorEnv
from german_whist.game.rules import rules
from german_whist.game.scoring import reward_limit
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.vector import observation_layout
from tests.dealing import deal_deck
from tests.players import Lowest, LowestByMask, Random, ReadsHistory, lowest, random_legal

GAME = "german_whist:GermanWhist-v0"
pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("reward", ["margin", "win", "points"])
def test_illegal_action_ends_its_own_episode(reward: str) -> None:
    environment = GermanWhistVectorEnv(Lowest(), 4, reward=reward)
    _, info = environment.reset(seed=2)
    actions = random_legal(info["action_mask"], np.random.default_rng(1))
    actions[1] = np.flatnonzero(info["action_mask"][1] == 0)[0]
    actions[3] = 10**12
    _, rewards, terminations, _, info = environment.step(actions)
    worst = -reward_limit(rules("classic").record, reward)
    assert rewards.tolist() == [0, worst, 0, worst]
    assert terminations.tolist() == info["illegal"].tolist() == [False, True, False, True]
    assert info["final_info"]["illegal"].tolist() == [False, True, False, True]
    assert info["action_mask"].any(axis=1).all()
    assert environment.deals.tolist() == [[2, index] for index in (0, 5, 2, 7)]
    assert environment.final_deals.tolist() == [[0, 0], [2, 1], [0, 0], [2, 3]]


@pytest.mark.parametrize("device", [None, "cpu"])
def test_rows_play_successive_deals(device: str | None, rng: np.random.Generator) -> None:
    environment = GermanWhistVectorEnv(Random(), 3, rules="tiny", seat=0, device=device)
    seen, info = environment.reset(seed=4)
    np.testing.assert_array_equal(seen[:, :52], DealBatch("tiny", 3, seed=4).observe(seats=[0, 0, 0])[:, :52])
    ended = np.zeros(3, np.int64)
    for _ in range(20):
        assert environment.deals.tolist() == [[4, row + 3 * ended[row]] for row in range(3)]
        before = environment.deals
        _, _, terminations, _, info = environment.step(lowest(info["action_mask"]))
        assert environment.final_deals[terminations].tolist() == before[terminations].tolist()
        ended += np.asarray(terminations)
    assert ended.all()
    environment.reset()
    assert environment.deals.tolist() == [[4, row + 3 * (ended[row] + 1)] for row in range(3)]


def test_reset_options_choose_the_deals() -> None:
    environment = GermanWhistVectorEnv(Lowest(), 3, seat=1)
    environment.reset(options={"deal": (6, 10)})
    assert environment.deals.tolist() == [[6, 10], [6, 11], [6, 12]]
    observations, _ = environment.reset(options={"dealer": 0, "unknown": 3})
    assert environment.deals.tolist() == [[6, 13], [6, 14], [6, 15]]
    dealer = observation_layout("classic")["dealer"].start
    assert not observations[:, dealer].any()
    assert environment.reset(options={"dealer": 1})[0][:, dealer].all()
    deck = deal_deck(environment.rules.cards, 1, 1)
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
    assert environment.deals.tolist() == [[3, 0], [3, 1]]
