"""Environments with relabelled suits, and those that pay trick by trick."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

import german_whist as gw
from german_whist.envs.engine.rules import rule_names, rules
from german_whist.envs.observation.history import EVENTS
from german_whist.envs.observation.spaces import OBSERVATIONS
from german_whist.envs.pettingzoo_env import env, raw_env
from german_whist.envs.simulator.batch import DealBatch
from tests.dealing import deal_deck
from tests.presets import PRESETS
from tests.strategies import seeds

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test

GAME = "german_whist:GermanWhist-v0"
SIDES = ("player_0", "player_1")
pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
]
BOTH = {"canonical": True, "dense": True}
presets = st.sampled_from(rule_names())


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("make", [env, raw_env])
@pytest.mark.parametrize("name", ["draft", "humbug"])
def test_passes_pettingzoos_api_test(make: Any, name: str, observation: str) -> None:
    api_test(make(rules=name, observation=observation, **BOTH), num_cycles=200)


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("name", ["draft", "humbug"])
def test_passes_gymnasiums_checker(name: str, observation: str) -> None:
    check_env(gymnasium.make(GAME, opponent="random", rules=name, observation=observation, **BOTH).unwrapped)


# Canonical


@pytest.mark.parametrize("name", PRESETS)
def test_histories_are_relabelled_as_the_views_are(name: str, rng: np.random.Generator) -> None:
    plain, shown = (DealBatch(name, 20, 3, history=True, canonical=canonical) for canonical in (False, True))
    listed = [number for number, event in enumerate(EVENTS) if event.name in ("dealt", "took", "drew")]
    while not plain.done.all():
        seats = rng.integers(0, 2, 20)
        relabeling = gw.canonical_views(plain.views(seats=seats))[1]
        tokens, lengths = plain.history(seats=seats)
        for row, length in enumerate(lengths):
            cards = tokens[row, :length, 2]
            cards[cards > 0] = 1 + relabeling[row, 52:104][cards[cards > 0] - 1]
            alike = [(*event,) for event in tokens[row, :length, [0, 1, 3]].T.tolist()]
            for kind in {event for event in alike if event[0] in listed}:  # they are listed from low to high
                where = [i for i, event in enumerate(alike) if event == kind]
                cards[where] = np.sort(cards[where])
        found, its_lengths = shown.history(seats=seats)
        assert (found == tokens).all()
        assert (its_lengths == lengths).all()
        masks = plain.action_mask()
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        encoded = gw.canonical_views(plain.views())[1][np.arange(20), 52 + np.minimum(actions, 51)]
        shown.step(np.where(actions < 52, encoded, actions))
        plain.step(actions)


def test_equal_deals_have_one_canonical_history() -> None:
    deck, names = deal_deck(rules("classic").cards, 5, 0), [2, 0, 1, 3]
    batch = DealBatch("classic", 2, history=True, canonical=True)
    batch.deal_decks([list(deck), other_names(deck, names).tolist()], [0, 0])
    while not batch.done.all():
        for seat in (0, 1):
            first, second = batch.history(seats=[seat, seat])[0]
            assert (first == second).all()
        batch.step(batch.action_mask().argmax(axis=1))


def other_names(cards: Any, names: Any) -> Any:
    """Cards where suit ``s`` is called ``names[s]``; what is not a card stays."""
    cards = np.asarray(cards)
    return np.where(cards < 52, 13 * np.array(names)[np.minimum(cards, 51) // 13] + cards % 13, cards)


@given(presets, seeds, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_the_names_of_plain_suits_change_nothing_that_is_shown(name: str, seed: int, random: Any) -> None:
    game = rules(name)
    deck = deal_deck(game.cards, seed, 0)
    plain, shown = DealBatch(game, 2), DealBatch(game, 2, canonical=True)
    plain.deal_decks([deck, deck], [0, 0])
    trump = int(plain.states["trump"][0])
    suits = [suit for suit in range(game.suits) if suit != trump]
    names = np.arange(4)
    names[suits] = random.sample(suits, len(suits))
    decks = [list(deck), other_names(deck, names).tolist()]
    pair = [env(rules=game, canonical=True) for _ in decks]
    for batch in (plain, shown):
        batch.deal_decks(decks, [0, 0])
    for one, its_deck in zip(pair, decks, strict=True):
        one.reset(seed=0, options={"deck": its_deck, "dealer": 0})
    while not plain.done[0]:
        for first, second in ((shown.observe(), shown.action_mask()), (shown.observe(seats=1 - plain.turn),) * 2):
            assert (first[0] == first[1]).all()
            assert (second[0] == second[1]).all()
        for side in SIDES:
            seen = [one.observe(side) for one in pair]
            assert all((seen[0][key] == seen[1][key]).all() for key in seen[0])
        agent = f"player_{plain.turn[0]}"
        assert (pair[0].observe(agent)["observation"] == shown.observe()[0]).all()
        assert (pair[0].observe(agent)["action_mask"] == shown.action_mask()[0]).all()
        # The same true card in both: two suits may look alike to one seat and not be.
        card = random.choice(np.flatnonzero(plain.action_mask()[0]).tolist())
        cards = np.array([card, int(other_names(card, names))])
        relabeling = gw.canonical_views(plain.views())[1]
        actions = [int(relabeling[row, 52 + card]) if card < 52 else int(card) for row, card in enumerate(cards)]
        for one, action in zip(pair, actions, strict=True):
            one.step(action)
        shown.step(actions)
        plain.step(cards)
    assert (shown.states == plain.states).all()
    assert pair[0].rewards == pair[1].rewards
    assert [pair[0].rewards[side] for side in SIDES] == plain.returns()[0].tolist()


@pytest.mark.parametrize("name", ["classic", "draft", "no_trump"])
def test_a_learner_sees_canonical_views_and_the_opponent_plays_as_ever(name: str, rng: np.random.Generator) -> None:
    plain, shown = (
        gymnasium.make(GAME, rules=name, opponent="heuristic", canonical=canonical) for canonical in (False, True)
    )
    for index in range(6):
        (seen, info), (other, its_info), over = plain.reset(seed=index), shown.reset(seed=index), False
        while True:
            views = gw.view_from_observation(seen, name)
            canonical, relabeling = gw.canonical_views(views)
            assert (other == gw.observe(canonical, name)[0]).all()
            assert (its_info["action_mask"] == gw.action_mask(canonical, name)[0]).all()
            assert (shown.unwrapped.action_masks() == its_info["action_mask"]).all()
            if over:
                break
            action = int(rng.choice(np.flatnonzero(its_info["action_mask"])))
            seen, reward, over, _, info = plain.step(int(gw.decode_actions(np.array([action]), relabeling)[0]))
            other, its_reward, its_over, _, its_info = shown.step(action)
            assert (reward, over, info["illegal"]) == (its_reward, its_over, its_info["illegal"])


@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP"])
@pytest.mark.parametrize("match", [None, "best_of:3"])
def test_rows_show_canonical_views_to_the_last(mode: str, match: str | None, rng: np.random.Generator) -> None:
    make: dict[str, Any] = {"rules": "small", "opponent": "greedy", "match": match, "autoreset_mode": mode}
    plain, shown = (gymnasium.make_vec(GAME, 8, canonical=canonical, **make) for canonical in (False, True))
    (seen, _), (other, info) = plain.reset(seed=3), shown.reset(seed=3)

    def relabeled(observations: Any) -> tuple[Any, Any]:
        canonical, relabeling = gw.canonical_views(gw.view_from_observation(observations, "small", match))
        vectors = gw.observe(canonical, "small")
        return np.concatenate([vectors, observations[:, vectors.shape[1] :]], axis=1), relabeling

    ended = 0
    for _ in range(120):
        expected, relabeling = relabeled(seen)
        assert (other == expected).all()
        actions = (rng.random(info["action_mask"].shape) * info["action_mask"]).argmax(axis=1)
        actions[rng.random(8) < 0.02] = rng.choice([-1, 51, 52, 10**12])
        other, rewards, over, _, info = shown.step(actions)
        seen, same_rewards, same_over, _, same_info = plain.step(gw.decode_actions(actions, relabeling))
        assert (rewards == same_rewards).all()
        assert (over == same_over).all()
        assert (info["illegal"] == same_info["illegal"]).all()
        for row in np.flatnonzero(over) if mode == "SAME_STEP" else ():
            assert (info["final_obs"][row] == relabeled(same_info["final_obs"][row][None])[0][0]).all()
        ended += int(over.sum())
    assert ended > 8


def test_an_illegal_canonical_action_is_named_as_it_was_given() -> None:
    environment, batch = raw_env(canonical=True), DealBatch("classic", 1, canonical=True)
    environment.reset(seed=0)
    batch.reset(0)
    wrong = int(batch.action_mask()[0].argmin())
    before = environment.state()
    for play in (lambda: environment.step(wrong), lambda: batch.step([wrong])):
        with pytest.raises(ValueError, match=rf"action {wrong} \({gw.card_text(wrong)}\) is illegal"):
            play()
    assert (environment.state() == before).all()
    ended = env(canonical=True)
    ended.reset(seed=0)
    ended.step(wrong)
    assert sorted(ended.rewards.values()) == [-13, 0]


# Dense


@given(presets, seeds, st.sampled_from(["played", "exact"]))
@settings(max_examples=60)
def test_both_seats_are_paid_trick_by_trick_what_the_deal_pays(name: str, seed: int, endgame: str) -> None:
    if endgame == "exact" and name not in ("classic", "small", "tiny", "six_cards"):
        endgame = "played"
    dense, sparse = (env(rules=name, endgame=endgame, dense=dense) for dense in (True, False))
    rng = np.random.default_rng(seed)
    for one in (dense, sparse):
        one.reset(seed=seed)
    read, added = dict.fromkeys(SIDES, 0.0), dict.fromkeys(SIDES, 0.0)
    for agent in dense.agent_iter():
        observation, reward, terminated, _, _ = dense.last()
        read[agent] += reward
        action = None if terminated else int(rng.choice(np.flatnonzero(observation["action_mask"])))
        dense.step(action)
        if terminated:
            continue
        sparse.step(action)
        assert sum(dense.rewards.values()) == 0
        added = {side: added[side] + dense.rewards[side] for side in SIDES}
        margins = dense.unwrapped._episode.batch.margins()[0]
        assert [added[side] for side in SIDES] == margins.tolist()
        if sparse.terminations[agent]:
            paid = dict(sparse.rewards)
    assert read == added == paid


@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP", "DISABLED"])
@pytest.mark.parametrize("name", PRESETS)
def test_rows_and_learners_are_paid_trick_by_trick_what_the_deal_pays(
    mode: str, name: str, rng: np.random.Generator
) -> None:
    make: dict[str, Any] = {"rules": name, "opponent": "greedy", "autoreset_mode": mode}
    dense, sparse = (gymnasium.make_vec(GAME, 6, dense=dense, **make) for dense in (True, False))
    single = gymnasium.make(GAME, rules=name, opponent="greedy", dense=True)
    (seen, info), _ = dense.reset(seed=2), sparse.reset(seed=2)
    single.reset(options={"deal": (2, 0)})
    single_is_over = False
    added, ended, between = np.zeros(6), 0, 0
    for _ in range(120):
        actions = (rng.random(info["action_mask"].shape) * info["action_mask"]).argmax(axis=1)
        actions[rng.random(6) < 0.01] = -1
        seen, rewards, over, _, info = dense.step(actions)
        same, paid, same_over, _, _ = sparse.step(actions)
        assert (seen == same).all()
        assert (over == same_over).all()
        if not single_is_over:
            _, reward, single_is_over, _, _ = single.step(int(actions[0]))
            assert reward == rewards[0]
        added += rewards
        assert (added[over] == paid[over]).all()
        between += int((rewards[~over] != 0).sum())
        ended += int(over.sum())
        added[over] = 0
        if mode == "DISABLED" and over.any():
            for one in (dense, sparse):
                _, info = one.reset(options={"reset_mask": over})
    assert ended > 6
    assert single_is_over
    assert between or name == "one_card"


def test_an_illegal_action_costs_what_it_costs_at_the_end(rng: np.random.Generator) -> None:
    dense = env(rules="classic:counts=all", dense=True)
    dense.reset(seed=1)
    totals = dict.fromkeys(SIDES, 0.0)
    for step in range(12):
        mask = dense.last()[0]["action_mask"]
        mover = dense.agent_selection
        dense.step(int(mask.argmin()) if step == 11 else int(rng.choice(np.flatnonzero(mask))))
        totals = {side: totals[side] + dense.rewards[side] for side in SIDES}
    assert all(dense.terminations.values())
    assert totals.pop(mover) == -26
    assert list(totals.values()) == [0]


@pytest.mark.parametrize("reward", ["win", "points"])
@pytest.mark.parametrize("make", [env, lambda **chosen: gymnasium.make(GAME, **chosen)])
def test_only_the_margin_of_a_deal_is_paid_trick_by_trick(make: Any, reward: str) -> None:
    with pytest.raises(ValueError, match=f"reward='margin', got '{reward}'"):
        make(reward=reward, dense=True)
    with pytest.raises(ValueError, match="leave match out"):
        make(match="best_of:3", dense=True)
    for device in (None, "cpu"):
        with pytest.raises(ValueError, match=f"reward='margin', got '{reward}'"):
            gymnasium.make_vec(GAME, 2, reward=reward, dense=True, device=device)
