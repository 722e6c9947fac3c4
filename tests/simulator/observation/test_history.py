"""Histories, which the reference checks event by event: perfect recall, and what a batch does with them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest

from german_whist.game.rules import Rules
from german_whist.simulator.batch import DealBatch
from german_whist.simulator.observation.history import max_events
from german_whist.simulator.observation.views import VIEW

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
def test_histories_have_perfect_recall(rules: Rules) -> None:
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


# The batch's bookkeeping


def test_history_is_written_into_out() -> None:
    batch = DealBatch("tiny", 2, history=True)
    out = np.full((2, max_events("tiny"), 4), 9, np.int8)
    tokens, _ = batch.history(out)
    assert tokens is out
    np.testing.assert_array_equal(out, batch.history()[0])
    with pytest.raises(ValueError, match=r"out must have shape \(.*\), got \(1, 2, 3\)"):
        batch.history(np.zeros((1, 2, 3), np.int8))
    with pytest.raises(ValueError, match="seats"):
        batch.history(seats=[0, 2])
