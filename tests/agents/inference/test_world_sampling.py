"""Worlds are those that a view allows, each as likely as any other, and they can be played on."""

from __future__ import annotations

import itertools
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

import german_whist as gw
from german_whist.agents.inference.world_sampling_kernels import (
    HAND_COUNTS,
    count_hands,
)
from german_whist.game.rules import Rules, rule_names, rules
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.views import VIEW
from tests.agents.positions import draw
from tests.players import play_randomly, random_legal
from tests.presets import PRESETS
from tests.reference.plain import same_views
from tests.strategies import games, seeds


def find_view(game: Rules, restricted: bool, most_hands: int) -> Any:
    """The view of a random position with as many hidden hands as there may be, with or without a void that tells."""
    best, found = None, 1
    hidden = np.zeros(1, HAND_COUNTS)
    batch = DealBatch(game, 300, seed=3)
    for step in range(2 * game.tricks):
        for view in batch.views()[~batch.done]:
            hands = int(count_hands(game.record[0], view, hidden[0]))
            is_restricted = hands < comb(int(view["unseen"]).bit_count(), int(hidden[0]["held"]))
            if is_restricted == restricted and found < hands <= most_hands:
                best, found = view, hands
        play_randomly(batch, np.random.default_rng(step), 1)
    assert best is not None
    return best


FIVES = Rules(suits=2, ranks=5, hand=3, stock=4)


@pytest.mark.parametrize(
    ("game", "restricted"),
    [
        (rules("tiny"), False),
        (Rules(suits=2, ranks=4, hand=2, stock=4, open_stock=0, trump="none"), False),
        (Rules(suits=2, ranks=3, hand=1, stock=4, draft=True), False),
        (FIVES, True),
        (replace(FIVES, draft=True), True),
        (Rules(suits=3, ranks=4, hand=4, stock=4), True),
    ],
)
def test_worlds_are_uniform(game: Rules, restricted: bool) -> None:
    view = find_view(game, restricted, most_hands=30)
    rebuilt, states = draw(game, view, [1, 2], 20_000)
    hands, hand = np.unique(states["hands"][:, 1], return_inverse=True)
    assert len(hands) == count_hands(game.record[0], view, np.zeros(1, HAND_COUNTS)[0])
    top = int(states[0]["top"])
    face_down = int(rebuilt[0]["cards"]) - top
    orders = {order: number for number, order in enumerate(itertools.permutations(range(face_down)))}
    counts = np.zeros((len(hands), len(orders)), np.int64)
    for which, deck in zip(hand.ravel(), states["deck"][:, top : top + face_down], strict=True):
        counts[which, orders[tuple(np.argsort(np.argsort(deck)).tolist())]] += 1
    assert chisquare(counts.ravel()).pvalue > 0.001


@settings(max_examples=60)
@given(games() | st.sampled_from([*map(rules, rule_names())]), seeds, st.integers(0, 60))
def test_worlds_give_same_view(game: Rules, seed: int, steps: int) -> None:
    batch = DealBatch(game, 4, seed)
    play_randomly(batch, np.random.default_rng(seed % 2**32), steps)
    for view in batch.views()[~batch.done]:
        rebuilt, states = draw(game, view, [seed], 8)
        worlds = DealBatch(game, 8)
        worlds.states[:] = states
        assert same_views(worlds.views(seats=[0] * 8), np.repeat(np.array([view], VIEW), 8))
        whole = np.uint64(rebuilt[0]["deck"])
        held = states["hands"][:, 0] | states["hands"][:, 1] | states["played"].sum(axis=1)
        for state, cards in zip(states, held, strict=True):
            down = state["deck"][state["top"] : rebuilt[0]["cards"]]
            assert len(set(down.tolist())) == len(down)
            hidden = int(sum(1 << int(card) for card in down)) | int(state["face_up"])
            assert not hidden & int(cards)
            assert (hidden | int(cards)) == int(whole) or game.humbug


@pytest.mark.parametrize("name", PRESETS)
def test_sampled_states_play_out(name: str) -> None:
    rng = np.random.default_rng(3)
    batch = DealBatch(name, 1, seed=3)
    worlds = DealBatch(name, 16)
    while not batch.done[0]:
        view = batch.views()
        worlds.set_state(gw.sample_states(view[0], name, count=16, rng=rng))
        assert (worlds.views() == view[0]).all()
        hands = set(worlds.states["hands"][:, 1].tolist())
        assert len(hands) > 1 or batch.states["played"].any()
        while not worlds.done.all():
            worlds.step(worlds.action_mask().argmax(axis=1))
        batch.step([random_legal(batch.action_mask()[0], rng)])


def test_sample_states_repeats_with_a_seed() -> None:
    view = DealBatch("classic").views()
    first = gw.sample_states(view, "classic", count=4, rng=7)
    assert np.array_equal(gw.sample_states(view, "classic", count=4, rng=np.random.default_rng(7)).states, first.states)
    assert not np.array_equal(gw.sample_states(view, "classic", count=4, rng=8).states, first.states)


def test_sample_states_refuses_other_views() -> None:
    batch = DealBatch("classic", 2)
    wrong: list[Any] = [batch.views(), batch.views([0], [1 - batch.turn[0]]), np.zeros(1), np.zeros(1, VIEW), 5]
    for view in wrong:
        with pytest.raises(ValueError, match="one view of a seat to act"):
            gw.sample_states(view, "classic")
