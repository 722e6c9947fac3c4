from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

from german_whist.envs.pettingzoo_env import env, raw_env
from german_whist.game.cards import deck_text
from german_whist.game.rules import rules
from german_whist.game.scoring import REWARDS, reward_limit
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.full_state import full_states
from tests.dealing import deal_deck
from tests.players import is_at_deal, random_legal

with warnings.catch_warnings():
    # Importing PettingZoo's tests makes it import two of its own environments in a way it has deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, seed_test

pytestmark = [
    pytest.mark.filterwarnings("error"),
    # PettingZoo's api_test knows its own environments by name; any other one whose observation is a dictionary with
    # an action mask, which PettingZoo itself recommends, gets these two warnings.
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
]

CARDS = rules("classic").cards


@pytest.mark.parametrize("make", [env, raw_env])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rules": "draft", "canonical": True, "dense": True},
        {"rules": "humbug", "observation": "history"},
        {"rules": "draft", "observation": "both", "canonical": True},
        {"rules": "tiny", "match": "best_of:3"},
    ],
    ids=str,
)
def test_pettingzoo_checks_pass(make: Any, settings: dict[str, Any]) -> None:
    api_test(make(**settings), num_cycles=200)
    seed_test(lambda: make(**settings))


# Deals and options


def test_seed_and_address_choose_the_deal() -> None:
    environment = env()
    for settings, seed, first in (({"seed": 5}, 5, 0), ({"seed": 1, "options": {"deal": (7, 3)}}, 7, 3)):
        environment.reset(**settings)  # type: ignore[arg-type]
        for index in range(first, first + 4):
            assert is_at_deal(environment, seed, index)
            assert environment.unwrapped.deal == (seed, index)
            environment.reset()
    environment.reset(seed=5)
    assert is_at_deal(environment, 5, 0)


@pytest.mark.parametrize("dealer", [None, 0, 1])
@pytest.mark.parametrize("form", [deck_text, np.array, list])
def test_deck_and_dealer_are_options(dealer: int | None, form: Any) -> None:
    deck = deal_deck(CARDS, 3, 4).tolist()
    environment = env()
    environment.reset(seed=5)
    environment.reset(options={"deck": form(deck), "dealer": dealer})
    leader = f"player_{1 - (dealer or 0)}"
    assert environment.agent_selection == leader
    assert np.flatnonzero(environment.observe(leader)["observation"][:52]).tolist() == sorted(deck[0:26:2])
    environment.reset()
    assert is_at_deal(environment, 5, 2)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [({"reward": "margins"}, "margin"), ({"render_mode": "humman"}, "human")],
)
def test_bad_argument_names_the_right_one(wrong: dict[str, str], word: str) -> None:
    with pytest.raises(ValueError, match=f"did you mean '{word}'"):
        env(**wrong)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"dealer": 2}, "dealer"),
        ({"deck": "C2 " * 52}, "deck: card C2"),
        ({"deal": 3}, "deal"),
        ({"deal": (1, -2)}, "option deal: .* -2"),
        ({"deal": (1, 2), "deck": list(CARDS)}, "deal and deck"),
        ("deck", "options"),
    ],
)
def test_wrong_option_keeps_the_deal(options: Any, word: str) -> None:
    environment = env()
    environment.reset(seed=2)
    with pytest.raises(ValueError, match=word):
        environment.unwrapped.reset(options=options)
    assert is_at_deal(environment, 2, 0)
    environment.reset()
    assert is_at_deal(environment, 2, 1)


# Play


GAMES = ["classic", "draft", "high_low", "humbug", "race", "tiny:open_stock=4", "classic:points=over_book,slam=10"]


NAMES = ("observation", "action_mask")
OTHERS = [("observations", "action_mask"), ("obs", "mask"), None]


@pytest.mark.parametrize(("name", "reward"), list(zip(GAMES, itertools.cycle(REWARDS), strict=False)))
def test_deal_matches_engine(name: str, reward: str, rng: np.random.Generator) -> None:
    play_beside_the_engine(name, "played", NAMES, reward, rng)


@pytest.mark.parametrize("keys", OTHERS)
def test_observation_keys_and_exact_endgame(keys: Any, rng: np.random.Generator) -> None:
    play_beside_the_engine("classic", "played", keys, "margin", rng)
    play_beside_the_engine("draft", "exact", keys, "margin", rng)


def play_beside_the_engine(name: str, endgame: str, keys: Any, reward: str, rng: np.random.Generator) -> None:
    settings: dict[str, Any] = {"rules": name, "reward": reward, "endgame": endgame}
    environment = env(**settings, observation_keys=keys, render_mode="ansi")
    histories = raw_env(**settings, observation="history")
    batch = DealBatch(name, 1, seed=4, history=True, endgame=endgame)
    environment.reset(seed=4)
    histories.reset(seed=4)
    while True:
        over, turn = bool(batch.done[0]), int(batch.turn[0])
        assert environment.state_space.contains(environment.state())
        np.testing.assert_array_equal(environment.state(), full_states(batch.rules, batch.states)[0])
        for seat, agent in enumerate(environment.possible_agents):
            vector, mask = batch.observe(seats=[seat])[0], batch.action_mask()[0] * (seat == turn and not over)
            seen = environment.observe(agent)
            assert environment.observation_space(agent).contains(seen)
            np.testing.assert_equal(seen, vector if keys is None else dict(zip(keys, (vector, mask), strict=True)))
            np.testing.assert_array_equal(environment.infos[agent]["action_mask"], mask.astype(np.int8), strict=True)
            tokens, length = batch.history(seats=[seat])
            np.testing.assert_array_equal(histories.observe(agent)["observation"], tokens[0])
            assert histories.observe(agent)["length"].tolist() == length.tolist()
        assert [*environment.rewards.values()] == batch.returns(reward)[0].tolist()
        assert [*environment.terminations.values()] == [over, over]
        if over:
            break
        assert environment.agent_selection == f"player_{turn}"
        np.testing.assert_array_equal(environment.action_masks(), batch.action_mask()[0].astype(bool), strict=True)
        action = random_legal(batch.action_mask()[0], rng)
        for one in (environment, histories):
            one.step(action)
        batch.step([action])
    assert max(environment.rewards.values()) <= environment.unwrapped.reward_limit
    assert "finished" in environment.render()


@pytest.mark.parametrize("keys", [NAMES, None])
@pytest.mark.parametrize("reward", REWARDS)
def test_illegal_action_loses_the_deal(reward: str, keys: Any) -> None:
    environment = env(reward=reward, observation_keys=keys)
    environment.reset(seed=1)
    mover, other = environment.agent_selection, "player_0" if environment.agent_selection == "player_1" else "player_1"
    environment.step(int(np.flatnonzero(~environment.action_masks())[0]))
    assert all(environment.terminations.values())
    assert environment.rewards == {mover: -reward_limit(rules("classic").record, reward), other: 0.0}
    bare = environment.unwrapped
    for agent in (mover, other):
        seen = bare.observe(agent)
        masks = [bare.action_mask(agent), bare.infos[agent]["action_mask"], *([] if keys is None else [seen[keys[1]]])]
        assert not np.any(masks)
    assert not bare.action_masks().any()
    for _ in environment.agent_iter():
        environment.step(None)
    assert environment.agents == []
    environment.reset()
    assert environment.agents == ["player_0", "player_1"]
    assert environment.action_masks().any()


@pytest.mark.parametrize(
    ("make", "action", "error", "words"),
    [
        *((env, action, AssertionError, "action is not in action space") for action in (-1, 0.5, None)),
        *((raw_env, n, ValueError, "illegal") for n in (-1, 52, 64, 10**30)),
        *((raw_env, n, ValueError, "integer") for n in (0.5, None, True, np.array([1, 2]))),
    ],
)
def test_wrong_action_keeps_the_deal(make: Any, action: Any, error: Any, words: str) -> None:
    environment = make()
    environment.reset(seed=1)
    with pytest.raises(error, match=words):
        environment.step(action)
    assert is_at_deal(environment, 1, 0)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.array, float])
@pytest.mark.parametrize("make", [env, raw_env])
def test_action_types_play_the_same_card(kind: Any, make: Any) -> None:
    environment = make()
    environment.reset(seed=1)
    action = int(np.flatnonzero(environment.last()[0]["action_mask"])[0])
    environment.step(kind(action))
    assert environment.observe("player_0")["observation"][104 + action] == 1
    environment.reset(seed=1)
    environment.step(np.array([kind(action)]))
    assert environment.observe("player_0")["observation"][104 + action] == 1
