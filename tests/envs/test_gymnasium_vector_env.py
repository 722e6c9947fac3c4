from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.vector import AutoresetMode

import german_whist as gw
from german_whist.envs.engine.dealing import deal_deck
from german_whist.envs.engine.rules import rules
from german_whist.envs.engine.scoring import reward_limit
from german_whist.envs.gymnasium_env import GermanWhistEnv
from german_whist.envs.gymnasium_vector_env import GermanWhistVectorEnv
from tests.envs.players import Lowest, Random, Stubborn

GAME = "german_whist:GermanWhist-v0"
pytestmark = pytest.mark.filterwarnings("error")


def choose(info: dict[str, Any], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """A random legal action in each row."""
    mask = info["action_mask"]
    return (rng.random(mask.shape) * mask).argmax(axis=1)


class Singles:
    """The same deals in as many single environments."""

    def __init__(self, num_envs: int, seed: int, opponent: Any, **settings: Any) -> None:
        self.games = [GermanWhistEnv(opponent, **settings) for _ in range(num_envs)]
        self.seed = seed
        self.deals = list(range(num_envs))

    def reset(self, row: int) -> tuple[Any, dict[str, Any]]:
        return self.games[row].reset(options={"deal": (self.seed, self.deals[row])})

    def step(self, row: int, action: int) -> dict[str, Any]:
        observation, reward, terminated, _, info = self.games[row].step(action)
        outcome: dict[str, Any] = {"reward": reward, "terminated": terminated}
        if terminated:
            outcome["final_obs"], outcome["final_info"] = observation, info
            self.deals[row] += len(self.games)
            observation, info = self.reset(row)
        return {**outcome, "observation": observation, "action_mask": info["action_mask"]}


@pytest.mark.parametrize("opponent", [Lowest(), Random()])
@pytest.mark.parametrize(
    ("name", "num_envs", "seat", "reward"),
    [
        ("classic", 5, "alternate", "margin"),
        ("tiny", 7, 0, "win"),
        ("tiny:counts=all", 1, 1, "points"),
        ("tiny:draft=true", 3, "alternate", "points"),
        ("tiny:open_stock=4", 3, 0, "margin"),
        ("humbug", 3, "alternate", "points"),
        ("race", 3, 1, "margin"),
    ],
)
def test_equals_the_same_number_of_single_environments(
    opponent: Any, name: str, num_envs: int, seat: Any, reward: str, rng: np.random.Generator
) -> None:
    settings = {"rules": name, "seat": seat, "reward": reward}
    batch = GermanWhistVectorEnv(opponent, num_envs, **settings)
    singles = Singles(num_envs, 21, opponent, **settings)
    observations, info = batch.reset(seed=21)
    for row in range(num_envs):
        observation, single_info = singles.reset(row)
        np.testing.assert_array_equal(observations[row], observation)
        np.testing.assert_array_equal(info["action_mask"][row], single_info["action_mask"])
    ends = 0
    for _ in range(120):
        actions = choose(info, rng)
        wild = rng.random(num_envs) < 0.01
        actions[wild] = rng.integers(-3, 60, wild.sum())
        observations, rewards, terminations, truncations, info = batch.step(actions)
        assert not truncations.any()
        assert ("final_obs" in info) == terminations.any()
        for row in range(num_envs):
            expected = singles.step(row, int(actions[row]))
            np.testing.assert_array_equal(observations[row], expected["observation"])
            np.testing.assert_array_equal(info["action_mask"][row], expected["action_mask"])
            assert rewards[row] == expected["reward"]
            assert terminations[row] == expected["terminated"]
            if expected["terminated"]:
                ends += 1
                assert info["_final_obs"][row]
                assert info["_final_info"][row]
                np.testing.assert_array_equal(info["final_obs"][row], expected["final_obs"])
                for key, value in expected["final_info"].items():
                    assert info["final_info"][f"_{key}"][row]
                    np.testing.assert_array_equal(info["final_info"][key][row], value)
                assert info["illegal"][row] == expected["final_info"]["illegal"]
    assert ends > 2 * num_envs


def test_make_vec_gives_the_native_batch() -> None:
    environment = gymnasium.make_vec(GAME, num_envs=6, opponent="random", rules="tiny", reward="win", seat=0)
    assert isinstance(environment, GermanWhistVectorEnv)
    assert environment.num_envs == 6
    assert environment.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert type(environment.opponent) is type(gw.make_agent("random"))
    observations, info = environment.reset(seed=1)
    assert environment.observation_space.contains(observations)
    assert observations.shape == (6, *environment.single_observation_space.shape)  # type: ignore[misc]
    assert info["action_mask"].shape == (6, 52)
    assert info["action_mask"].dtype == np.int8
    observations, rewards, terminations, truncations, info = environment.step(choose(info, np.random.default_rng(1)))
    assert environment.observation_space.contains(observations)
    assert (rewards.dtype, terminations.dtype, truncations.dtype) == (np.float64, np.bool_, np.bool_)
    assert environment.action_space.contains(environment.action_space.sample())
    environment.close()
    environment.close()


@pytest.mark.parametrize("reward", ["margin", "win", "points"])
def test_an_illegal_action_ends_its_row_alone_with_the_worst_loss(reward: str) -> None:
    environment = GermanWhistVectorEnv(Lowest(), 4, reward=reward)
    _, info = environment.reset(seed=2)
    actions = choose(info, np.random.default_rng(1))
    actions[1] = np.flatnonzero(info["action_mask"][1] == 0)[0]
    actions[3] = 10**12
    _, rewards, terminations, _, info = environment.step(actions)
    worst = -reward_limit(rules("classic").game, reward)
    assert rewards.tolist() == [0, worst, 0, worst]
    assert terminations.tolist() == info["illegal"].tolist() == [False, True, False, True]
    assert info["final_info"]["illegal"].tolist() == [False, True, False, True]
    assert info["action_mask"].any(axis=1).all()
    assert environment._episodes.indices.tolist() == [0, 5, 2, 7]


def test_row_j_plays_the_deals_j_and_then_every_num_envs_th(rng: np.random.Generator) -> None:
    environment = GermanWhistVectorEnv(Lowest(), 3, rules="tiny", seat=0)
    _, info = environment.reset(seed=4)
    ended = np.zeros(3, np.int64)
    for _ in range(20):
        for row in range(3):
            index = row + 3 * int(ended[row])
            deck = deal_deck(environment.rules.cards, 4, index)
            np.testing.assert_array_equal(environment._batch.states["deck"][row, :8], deck)
        _, _, terminations, _, info = environment.step(choose(info, rng))
        ended += terminations
    before = environment._episodes.indices.copy()
    environment.reset()
    assert environment._episodes.indices.tolist() == (before + 3).tolist()


def test_a_seed_repeats_the_episodes_and_no_seed_draws_one() -> None:
    def course(environment: GermanWhistVectorEnv, seed: int | None) -> list[Any]:
        rng = np.random.default_rng(3)
        observations, info = environment.reset(seed=seed)
        arrays = [observations]
        for _ in range(40):
            observations, rewards, terminations, _, info = environment.step(choose(info, rng))
            arrays += [observations, rewards, terminations]
        return arrays

    first, second = (GermanWhistVectorEnv(Random(), 4) for _ in range(2))
    expected = course(first, 5)
    np.testing.assert_equal(course(second, 5), expected)
    np.testing.assert_equal(course(first, 5), expected)
    fresh = GermanWhistVectorEnv(Random(), 4)
    fresh.reset()
    other = GermanWhistVectorEnv(Random(), 4)
    other.reset()
    assert (fresh._episodes.seeds != other._episodes.seeds).all()


def test_options_choose_the_deals() -> None:
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


def test_one_call_to_the_opponent_serves_all_rows_that_wait() -> None:
    opponent = Lowest()
    environment = GermanWhistVectorEnv(opponent, 64)
    _, info = environment.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(60):
        opponent.calls = 0
        _, _, _, _, info = environment.step(choose(info, rng))
        assert opponent.calls <= 2


def test_returned_arrays_are_never_overwritten(rng: np.random.Generator) -> None:
    environment = GermanWhistVectorEnv(Random(), 5, rules="tiny")
    observations, info = environment.reset(seed=1)
    kept: list[Any] = [observations, info["action_mask"]]
    copies = [array.copy() for array in kept]
    for _ in range(20):
        observations, rewards, terminations, _, info = environment.step(choose(info, rng))
        final = [array for array in info.get("final_obs", []) if array is not None]
        new = [observations, rewards, terminations, info["action_mask"], info["illegal"], *final]
        kept += new
        copies += [array.copy() for array in new]
    np.testing.assert_equal(kept, copies)
    kept[-1][:] = 0


@pytest.mark.parametrize(
    "actions",
    [np.zeros(3, np.int64), np.zeros((4, 1), np.int64), np.zeros(3), [0.5] * 4, ["S2"] * 4, [True] * 4, 0],
)
def test_actions_of_another_shape_or_type_are_refused(actions: Any) -> None:
    environment = GermanWhistVectorEnv(Lowest(), 4)
    environment.reset(seed=1)
    with pytest.raises(ValueError, match=r"actions must be integers, int\[4\], got"):
        environment.step(actions)


def test_calls_before_the_first_reset_are_refused() -> None:
    environment = GermanWhistVectorEnv(Lowest(), 2, render_mode="ansi")
    for name, call in (
        ("step", lambda: environment.step(np.zeros(2, np.int64))),
        ("render", environment.render),
        ("action_masks", environment.action_masks),
    ):
        with pytest.raises(gymnasium.error.ResetNeeded, match=f"^{name} was called before the first reset$"):
            call()


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"num_envs": 0}, "0"),
        ({"num_envs": 2.5}, "2.5"),
        ({"opponent": "greedy"}, "gymnasium.make"),
        ({"rules": "clasic"}, "classic"),
        ({"reward": "margn"}, "margin"),
        ({"seat": 2}, "seat must be 0, 1 or 'alternate', got 2"),
        ({"render_mode": "human"}, "ansi"),
    ],
)
def test_a_bad_argument_is_named(wrong: dict[str, Any], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        GermanWhistVectorEnv(**{"opponent": Lowest(), "num_envs": 2, **wrong})


def test_a_bad_option_or_seed_is_named_and_changes_nothing() -> None:
    environment = GermanWhistVectorEnv(Lowest(), 2)
    environment.reset(seed=3)
    with pytest.raises(ValueError, match="option dealer must be 0 or 1, got 3"):
        environment.reset(options={"dealer": 3})
    with pytest.raises(ValueError, match=r"seed must be an integer .*, got -4"):
        environment.reset(seed=-4)
    with pytest.raises(ValueError, match="the number of seeds must be 2, as num_envs, got 3"):
        environment.reset(seed=[1, 2, 3])
    with pytest.raises(ValueError, match=r"seed must be an integer .*, got -1"):
        environment.reset(seed=[1, -1])
    with pytest.raises(ValueError, match="deal index"):
        environment.reset(options={"deal": (1, 2**64 - 1)})
    assert environment._episodes.indices.tolist() == [0, 1]
    assert environment._episodes.seeds.tolist() == [3, 3]


def test_an_opponent_that_plays_an_illegal_card_or_too_few_is_named() -> None:
    environment = GermanWhistVectorEnv(Stubborn(), 32)
    with pytest.raises(ValueError, match=r"^agent 'Stubborn' chose action 0 \(C2\): it may play"):
        environment.reset(seed=1)
    silent = Lowest()
    silent.act = lambda views, rng: np.zeros(0, np.int64)  # type: ignore[method-assign]
    with pytest.raises(ValueError, match=r"agent 'Lowest' must return int64\[\d+\], got int64\[0\]"):
        GermanWhistVectorEnv(silent, 32).reset(seed=1)


def test_ansi_gives_a_text_per_row_from_the_learners_side() -> None:
    environment = GermanWhistVectorEnv(Lowest(), 3, render_mode="ansi")
    environment.reset(seed=1)
    texts = environment.render()
    assert texts is not None
    assert len(texts) == 3
    assert all("unseen" in text for text in texts)
