"""Suits renamed by role for networks, and cards named back."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from german_whist.agents.canonical import TRUMP_SLOT, canonical_views, true_cards
from german_whist.envs.batch import DealBatch
from german_whist.envs.cards import NUM_CARDS, cards_of, hand_text, mask_of
from german_whist.envs.rules import Rules
from german_whist.envs.views import VIEW
from tests.agents.positions import view
from tests.conftest import play_randomly
from tests.strategies import games, seeds

MASKS = [name for name in VIEW.names if VIEW[name] == np.uint64]
BY_SUIT = ["void_self", "void_opponent", "drawn_self", "drawn_opponent"]
CHOICES = 3 << NUM_CARDS  # actions that are not cards, as the mask says


@given(games(), seeds, st.integers(0, 51))
def test_naming_back_undoes_the_renaming(game: Rules, seed: int, steps: int) -> None:
    batch = DealBatch(game, 4, seed, first=0)
    play_randomly(batch, np.random.default_rng(seed % 1000), min(steps, 2 * game.tricks))
    views = batch.views(seats=[0, 1, 0, 1])
    renamed, suits = canonical_views(views)
    assert (np.sort(suits, axis=1) == range(4)).all()
    every = np.arange(NUM_CARDS)
    for before, after, order in zip(views, renamed, suits, strict=True):
        back = true_cards(every, np.repeat(order[None], NUM_CARDS, axis=0))
        for name in MASKS:
            cards, choices = int(after[name]) & ~CHOICES, int(after[name]) & CHOICES
            assert mask_of(back[list(cards_of(cards))]) | choices == before[name]
        assert before["led"] == (back[after["led"]] if after["led"] >= 0 else -1)
        for name in BY_SUIT:
            assert before[name][order].tolist() == after[name].tolist()
        if before["trump"] >= 0:
            assert order[TRUMP_SLOT] == before["trump"]
            assert after["trump"] == TRUMP_SLOT
        else:
            assert after["trump"] == -1
        for name in set(VIEW.names) - {*MASKS, *BY_SUIT, "led", "trump"}:
            assert (before[name] == after[name]).all()


def test_plain_suits_go_by_length_then_ranks_and_trumps_are_spades() -> None:
    renamed, suits = canonical_views(view("K.A32.65.87", "H", face_up="H9"))
    # Trumps are hearts. Spades are the shortest; diamonds are below clubs.
    assert suits[0].tolist() == [3, 1, 0, 2]
    assert hand_text(int(renamed["hand"][0])) == "A32.87.65.K"


def test_suits_alike_in_the_hand_go_by_the_unseen_cards() -> None:
    # Of the unseen cards, hearts lack the ace, diamonds the king and clubs only lower ones.
    row = view("AK.7.7.7", "S", face_up="S2", played=".A.K.QJ")
    assert canonical_views(row)[1][0].tolist() == [2, 1, 0, 3]


def test_views_are_left_as_they_are() -> None:
    views = DealBatch("classic", 5).views()
    before = views.copy()
    canonical_views(views[::2])
    assert all((views[name] == before[name]).all() for name in VIEW.names)
