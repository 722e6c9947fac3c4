"""Cards relabeled for networks, and decoded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from german_whist.game.cards import NUM_CARDS, cards_of, hand_text, mask_of
from german_whist.game.rules import Rules
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.canonical import canonical_views, decode_actions, decode_values
from german_whist.simulator.observation.canonical_kernels import TRUMP_SLOT
from german_whist.simulator.observation.views import RANK_NAMINGS, VIEW
from tests.agents.positions import view
from tests.players import play_randomly
from tests.strategies import games, seeds

MASKS = [name for name in VIEW.names if VIEW[name] == np.uint64]
BY_SUIT = ["void_self", "void_opponent", "drawn_self", "drawn_opponent"]
OPTIONS = 3 << NUM_CARDS  # actions that are not cards, as the mask says


@given(games(), seeds, st.integers(0, 51), st.sampled_from(RANK_NAMINGS))
def test_relabeling_is_inverted(game: Rules, seed: int, steps: int, ranks: str) -> None:
    batch = DealBatch(game, 4, seed, first=0)
    play_randomly(batch, np.random.default_rng(seed % 1000), min(steps, 2 * game.tricks))
    views = batch.views(seats=[0, 1, 0, 1])
    canonical, relabeling = canonical_views(views, ranks)
    behind, encoded, suits = relabeling[:, :52], relabeling[:, 52:104], relabeling[:, 104:]
    assert (np.sort(suits, axis=1) == range(4)).all()
    every = np.arange(NUM_CARDS)
    assert (np.take_along_axis(encoded, behind.astype(int), axis=1) == every).all()
    for before, after, names, order in zip(views, canonical, relabeling, suits, strict=True):
        back = decode_actions(every, np.repeat(names[None], NUM_CARDS, axis=0))
        assert (back // 13 == np.repeat(order, 13)).all()
        for name in MASKS:
            cards, choices = int(after[name]) & ~OPTIONS, int(after[name]) & OPTIONS
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


def test_live_ranks_close_gaps() -> None:
    # Of hearts the ace and the jack are played: the queen is the second highest left, the nine the fourth.
    row = view("5.Q92.65.87", "H", face_up="HK", played=".AJ..")
    canonical, relabeling = canonical_views(row, "live")
    assert hand_text(int(canonical["hand"][0])).split(".")[0] == "KJ4"
    assert hand_text(int(canonical["face_up"][0])).split(".")[0] == "A"
    assert hand_text(int(canonical["played_self"][0] | canonical["played_opponent"][0])).split(".")[0] == "32"
    assert hand_text(mask_of(int(card) for card in relabeling[0, 39:52][[12, 11, 9, 2, 1, 0]])) == ".AKQJ92.."


def test_decode_values_inverts_relabeling() -> None:
    batch = DealBatch("draft", 20)
    play_randomly(batch, np.random.default_rng(0), 5)
    _, relabeling = canonical_views(batch.views(), "live")
    numbers = np.random.default_rng(2).random((20, 54))
    decoded = decode_values(numbers, relabeling)
    for row in range(20):
        cards = decode_actions(np.arange(54), np.repeat(relabeling[row : row + 1], 54, axis=0))
        np.testing.assert_array_equal(decoded[row, cards], numbers[row])


def test_actions_of_other_decisions_are_not_decoded() -> None:
    relabeling = canonical_views(DealBatch("classic", 2).views())[1]
    for chosen in ([20], [20] * 3, [[20], [20]], [20.7, 20.0]):
        with pytest.raises(ValueError, match="chosen"):
            decode_actions(np.array(chosen), relabeling)
