from __future__ import annotations

import functools
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_checker import data_equivalence as same

import german_whist as gw
from german_whist.envs.gymnasium_env import GermanWhistEnv
from german_whist.envs.gymnasium_vector_env import GermanWhistVectorEnv
from german_whist.game.rules import rules
from german_whist.game.scoring import reward_limit
from german_whist.simulator.batch import DealBatch
from tests.dealing import deal_deck
from tests.players import Lowest, Random, random_legal

GAME = "german_whist:GermanWhist-v0"
pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("settings", [{}, {"rules": "humbug"}, {"rules": "draft", "canonical": True, "dense": True}])
def test_gymnasium_checker_passes(settings: dict[str, Any]) -> None:
    check_env(gymnasium.make(GAME, opponent=Random(), **settings).unwrapped)


@pytest.mark.parametrize(
    ("action", "reward"),
    [("masked", "win"), ("masked", "points"), *((action, "margin") for action in (52, -1, 10**30, 2**63, 1e300))],
)
def test_illegal_action_ends_the_episode(action: Any, reward: str) -> None:
    environment = GermanWhistEnv(Lowest(), reward=reward)
    _, info = environment.reset(seed=1)
    assert info["illegal"] is False
    if action == "masked":
        action = int(np.flatnonzero(info["action_mask"] == 0)[0])
    observation, paid, terminated, truncated, info = environment.step(action)
    assert (terminated, truncated) == (True, False)
    assert paid == -reward_limit(rules("classic").record, reward)
    assert info["illegal"] is True
    assert not info["action_mask"].any()
    assert environment.observation_space.contains(observation)


@pytest.mark.parametrize("endgame", ["played", "exact"])
@pytest.mark.parametrize("keys", [None, ("observations", "action_mask"), ["obs", "mask"]])
def test_episode_is_the_engines_deal(endgame: str, keys: Any, rng: np.random.Generator) -> None:
    opponent = Lowest()
    environment = GermanWhistEnv(opponent, endgame=endgame, observation_keys=keys)
    for index in range(8):
        seen, info = environment.reset(seed=3 if index == 0 else None)
        batch = DealBatch("classic", 1, seed=3, first=index, endgame=endgame)
        reward, terminated = 0.0, False
        while True:
            while not batch.done[0] and batch.turn[0] != environment.learner:
                batch.step(opponent.act(batch.decisions()))
            vector, mask = batch.observe(seats=[environment.learner])[0], batch.action_mask()[0]
            assert environment.observation_space.contains(seen)
            np.testing.assert_equal(seen, vector if keys is None else dict(zip(keys, (vector, mask), strict=True)))
            np.testing.assert_array_equal(info["action_mask"], mask)
            assert keys is None or not np.shares_memory(seen[keys[1]], info["action_mask"])
            assert environment.deal == (3, index)
            assert isinstance(reward, float)
            assert (reward, terminated) == (batch.returns()[0, environment.learner], batch.done[0])
            if terminated:
                break
            action = random_legal(info["action_mask"], rng)
            batch.step([action])
            seen, reward, terminated, _, info = environment.step(action)


WHOLE_NUMBERS = [np.uint8, float, np.array, lambda card: np.array([float(card)], np.float32)]


@pytest.mark.parametrize("kind", WHOLE_NUMBERS)
def test_action_types_are_integers(kind: Any) -> None:
    environment, other = GermanWhistEnv(Lowest()), GermanWhistEnv(Lowest())
    _, info = environment.reset(seed=1)
    other.reset(seed=1)
    arrays = [np.array(wrong) for wrong in ([1, 2], [[5]], ["5"])]
    for wrong in [5.5, None, "S2", True, np.True_, [5], np.nan, np.inf, *arrays]:
        with pytest.raises(ValueError, match="integer"):
            environment.step(wrong)  # type: ignore[arg-type]
    card = int(np.flatnonzero(info["action_mask"])[0])
    assert same(environment.step(kind(card)), other.step(card), exact=True)


def test_calls_before_reset_raise() -> None:
    for make, action in ((gymnasium.make, 0), (gymnasium.make_vec, [0])):
        environment = make(GAME, opponent=Lowest(), render_mode="ansi").unwrapped
        for name, arguments in (("step", [action]), ("render", []), ("action_masks", [])):
            with pytest.raises(gymnasium.error.ResetNeeded, match=f"^{name} was called before the first reset"):
                getattr(environment, name)(*arguments)


def test_steps_after_the_end(rng: np.random.Generator) -> None:
    environment = GermanWhistEnv(Lowest())
    _, info = environment.reset(seed=1)
    terminated = False
    while not terminated:
        _, _, terminated, _, info = environment.step(random_legal(info["action_mask"], rng))
    for action in (0, 52):
        _, reward, terminated, _, info = environment.step(action)
        assert (reward, terminated, info["illegal"]) == (0.0, True, False)
    assert environment.reset()[1]["action_mask"].any()


@pytest.mark.parametrize("seat", [0, 1, "alternate"])
def test_seats_alternate_or_stay(seat: Any) -> None:
    environment = GermanWhistEnv(Lowest(), seat=seat)
    met = []
    for index in range(4):
        environment.reset(seed=6 if index == 0 else None)
        met.append((environment.learner, environment.deal[1] % 2))
    alternating = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert sorted(met) == (alternating if seat == "alternate" else [(seat, 0), (seat, 0), (seat, 1), (seat, 1)])


def test_reset_options_choose_the_deal() -> None:
    environment = GermanWhistEnv(Lowest(), seat=0)
    batch = DealBatch("classic", 1, seed=8, first=5)
    observation, _ = environment.reset(options={"deal": (8, 5), "unknown": 1})
    assert batch.turn[0] == 0
    np.testing.assert_array_equal(observation, batch.observe()[0])
    deck = deal_deck(environment.rules.cards, 2, 2)
    observation, _ = environment.reset(options={"deck": deck, "dealer": 1})
    assert np.flatnonzero(observation[:52]).tolist() == sorted(deck[:26:2].tolist())


def test_an_unseeded_episode_can_be_repeated() -> None:
    environment = GermanWhistEnv(Lowest())
    first, _ = environment.reset()
    environment.reset()
    again, _ = environment.reset(seed=environment.np_random_seed)
    np.testing.assert_array_equal(first, again)


def test_rows_that_have_not_begun_ask_no_opponent() -> None:
    opponent = Lowest()
    vector = gymnasium.make_vec(GAME, num_envs=8, opponent=opponent, seat=1)
    _, info = vector.reset(seed=3, options={"reset_mask": np.arange(8) < 1})
    assert not info["action_mask"][1:].any()
    assert opponent.rows <= 1


def test_misspelt_option_names_the_right_one() -> None:
    single, match = GermanWhistEnv(Lowest()), GermanWhistEnv(Lowest(), match="best_of:3")
    vector = gymnasium.make_vec(GAME, num_envs=2, opponent=Lowest())
    for environment in (single, match, vector, gw.env()):
        with pytest.raises(ValueError, match="'dealr': did you mean 'dealer'"):
            environment.reset(options={"dealr": 1})  # type: ignore[attr-defined]
        environment.reset(seed=1, options={"difficulty": 3, "batch": 1})  # type: ignore[attr-defined]


def test_ansi_shows_learners_side() -> None:
    for make, rows in ((gymnasium.make, 1), (lambda *given, **more: gymnasium.make_vec(*given, num_envs=3, **more), 3)):
        environment = make(GAME, opponent=Lowest(), render_mode="ansi", seat=1)
        environment.reset(seed=1)
        texts = environment.render()
        texts = [texts] if isinstance(texts, str) else texts
        assert len(texts) == rows
        for text in texts:
            assert "unseen" in text
            assert text.index("player_0") < text.index("player_1")


@pytest.mark.parametrize("make", [GermanWhistEnv, functools.partial(GermanWhistVectorEnv, num_envs=2)])
@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"reward": "margn"}, "did you mean 'margin'"),
        ({"seat": 2}, "seat .* 2"),
        ({"render_mode": "rgb"}, "'rgb'"),
        ({"observation": "both", "observation_keys": ("history", "mask")}, "'history'"),
        ({"observation": "history", "observation_keys": ("length", "mask")}, "'length'"),
    ],
)
def test_bad_argument_is_refused(make: Any, wrong: dict[str, Any], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        make(**{"opponent": Lowest(), **wrong})
