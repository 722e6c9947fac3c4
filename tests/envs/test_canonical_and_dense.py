"""Environments with relabelled suits, and those that pay trick by trick."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import german_whist as gw
from german_whist.envs.pettingzoo_env import env
from german_whist.game.rules import rule_names, rules
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.history import EVENTS
from tests.dealing import deal_deck
from tests.players import random_legal
from tests.strategies import seeds

GAME = "german_whist:GermanWhist-v0"
SIDES = ("player_0", "player_1")
pytestmark = pytest.mark.filterwarnings("error")
presets = st.sampled_from(rule_names())


# Canonical


@pytest.mark.parametrize("name", ["classic", "draft", "humbug"])
def test_canonical_histories_match_relabeled_ones(name: str, rng: np.random.Generator) -> None:
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
        actions = random_legal(plain.action_mask(), rng)
        encoded = gw.canonical_views(plain.views())[1][np.arange(20), 52 + np.minimum(actions, 51)]
        shown.step(np.where(actions < 52, encoded, actions))
        plain.step(actions)


def other_names(cards: Any, names: Any) -> Any:
    """Cards where suit ``s`` is called ``names[s]``; what is not a card stays."""
    cards = np.asarray(cards)
    return np.where(cards < 52, 13 * np.array(names)[np.minimum(cards, 51) // 13] + cards % 13, cards)


@given(presets, seeds, st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_suit_names_change_nothing(name: str, seed: int, random: Any) -> None:
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


# Dense


@given(presets, seeds, st.sampled_from(["played", "exact"]))
@settings(max_examples=30)
def test_dense_rewards_add_up(name: str, seed: int, endgame: str) -> None:
    if endgame == "exact" and name not in ("classic", "small", "tiny", "six_cards"):
        endgame = "played"
    dense, sparse = (env(rules=name, endgame=endgame, dense=dense) for dense in (True, False))
    rng = np.random.default_rng(seed)
    for one in (dense, sparse):
        one.reset(seed=seed)
    batch = DealBatch(name, seed=seed, endgame=endgame)
    read, added = dict.fromkeys(SIDES, 0.0), dict.fromkeys(SIDES, 0.0)
    for agent in dense.agent_iter():
        observation, reward, terminated, _, _ = dense.last()
        read[agent] += reward
        action = None if terminated else random_legal(observation["action_mask"], rng)
        dense.step(action)
        if terminated:
            continue
        sparse.step(action)
        assert sum(dense.rewards.values()) == 0
        added = {side: added[side] + dense.rewards[side] for side in SIDES}
        batch.step([action])
        assert [added[side] for side in SIDES] == batch.margins()[0].tolist()
        if sparse.terminations[agent]:
            paid = dict(sparse.rewards)
    assert read == added == paid


@pytest.mark.parametrize("reward", ["win", "points"])
@pytest.mark.parametrize("make", [env, lambda **chosen: gymnasium.make(GAME, **chosen)])
def test_dense_needs_margin(make: Any, reward: str) -> None:
    with pytest.raises(ValueError, match=f"reward='margin', got '{reward}'"):
        make(reward=reward, dense=True)
    with pytest.raises(ValueError, match="leave match out"):
        make(match="best_of:3", dense=True)
    for device in (None, "cpu"):
        with pytest.raises(ValueError, match=f"reward='margin', got '{reward}'"):
            gymnasium.make_vec(GAME, 2, reward=reward, dense=True, device=device)
