"""Histories, which the reference checks event by event: perfect recall, and what a batch does with them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest

from german_whist.envs.engine.rules import Rules
from german_whist.envs.observation.history import max_events, max_game_length
from german_whist.envs.observation.views import VIEW
from german_whist.envs.simulator.batch import DealBatch
from tests.conftest import play_randomly, random_actions

# Decks small enough to enumerate every deal and every course of play.
TINY = {
    "plain": Rules(suits=1, ranks=4, hand=1, stock=2),
    "two_cards": Rules(suits=1, ranks=6, hand=2, stock=2),
    "two_suits": Rules(suits=2, ranks=3, hand=2, stock=2, counts="all"),
    "foreplay": Rules(suits=2, ranks=3, hand=1, stock=4),
    "face_down": Rules(suits=2, ranks=3, hand=1, stock=4, open_stock=0, trump="none"),
    "draft": Rules(suits=2, ranks=3, hand=1, stock=4, draft=True),
    "open_2": Rules(suits=2, ranks=3, hand=1, stock=4, open_stock=2),
    "open_3": Rules(suits=2, ranks=3, hand=1, stock=4, open_stock=3, high_low=True),
    "race": Rules(suits=2, ranks=3, hand=2, stock=2, counts="all", race=1),
    "humbug": Rules(suits=1, ranks=4, hand=1, stock=0, humbug=True),
    "humbug_2": Rules(suits=2, ranks=4, hand=2, stock=0, humbug=True, high_low=True),
}
PACKED = np.dtype([(name, VIEW[name]) for name in VIEW.names or ()])  # without padding between the fields


def every_course(rules: Rules) -> Iterator[DealBatch]:
    """Every deal and every course of play, one action at a time."""
    if len(rules.cards) <= 6:
        decks = [list(deck) for deck in permutations(rules.cards)]
    else:
        rng = np.random.default_rng(1)
        decks = [rng.permutation(rules.cards).tolist() for _ in range(400)]
    dealers = [0, 1] if len(decks) == 24 else [1]  # both if that is cheap
    batch = DealBatch(rules, len(dealers) * len(decks), history=True)
    batch.deal_decks(decks * len(dealers), np.repeat(dealers, len(decks)))
    while True:
        yield batch
        rows, actions = np.nonzero(batch.action_mask())
        if not rows.size:
            return
        after = DealBatch(rules, rows.size, history=True)
        after.set_state(batch.get_state(rows))
        after.step(actions)
        batch = after


@pytest.mark.parametrize("rules", TINY.values(), ids=TINY)
def test_perfect_recall(rules: Rules) -> None:
    known: list[dict[bytes, bytes]] = [{}, {}]
    nodes = 0
    for batch in every_course(rules):
        nodes += batch.size
        for seat in (0, 1):
            whose = np.full(batch.size, seat)
            views, observations = batch.views(seats=whose).astype(PACKED), batch.observe(seats=whose)
            for tokens, view, observation in zip(batch.history(seats=whose)[0], views, observations, strict=True):
                shown = view.tobytes() + observation.tobytes()
                assert known[seat].setdefault(tokens.tobytes(), shown) == shown
    assert max(map(len, known)) < nodes  # some deals are indistinguishable, or nothing was tested


@pytest.mark.parametrize("rules", ["classic", "short", "draft", "no_trump", "small", "open_stock:open_stock=26"])
def test_full_length(rules: str, rng: np.random.Generator) -> None:
    batch = DealBatch(rules, 2, history=True)
    play_randomly(batch, rng)
    assert batch.history()[1].tolist() == [max_events(rules)] * 2
    assert batch.log is not None
    assert batch.log.counts.max() <= max_game_length(batch.rules)


# The batch's bookkeeping


def test_redealt_rows() -> None:
    rng = np.random.default_rng(5)
    batch = DealBatch("tiny", 3, history=True)
    fresh = DealBatch("tiny", 1, first=9, history=True)
    batch.step(random_actions(batch, rng))
    before, _ = batch.history(seats=[0, 0, 0])
    batch.deal_rows([1], [9])
    after, _ = batch.history(seats=[0, 0, 0])
    np.testing.assert_array_equal(after[[0, 2]], before[[0, 2]])
    np.testing.assert_array_equal(after[1], fresh.history(seats=[0])[0][0])
    batch.reset(0)
    np.testing.assert_array_equal(batch.history()[0], DealBatch("tiny", 3, history=True).history()[0])


def test_partial_steps() -> None:
    whole, parts = DealBatch("tiny", 2, history=True), DealBatch("tiny", 2, history=True)
    while not whole.done.all():
        actions = whole.action_mask().argmax(axis=1)
        whole.step(actions)
        with pytest.raises(ValueError, match="illegal"):
            parts.step([51, 99])
        parts.step(actions[:1], rows=[0])
        parts.step(actions[1:], rows=[1])
    np.testing.assert_array_equal(whole.history()[0], parts.history()[0])
    done = parts.history()[0]
    parts.step([5, 5])
    np.testing.assert_array_equal(parts.history()[0], done)


def test_out_array() -> None:
    batch = DealBatch("tiny", 2, history=True)
    out = np.full((2, max_events("tiny"), 4), 9, np.int8)
    tokens, _ = batch.history(out)
    assert tokens is out
    np.testing.assert_array_equal(out, batch.history()[0])
    with pytest.raises(ValueError, match=r"out must have shape \(.*\), got \(1, 2, 3\)"):
        batch.history(np.zeros((1, 2, 3), np.int8))
    with pytest.raises(ValueError, match="seats"):
        batch.history(seats=[0, 2])
