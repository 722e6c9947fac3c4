"""The lengths of the opponent's suits, against counting the worlds that a view allows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from german_whist.agents.inference.suit_lengths import suit_lengths
from german_whist.game.cards import SUIT_MASKS, cards_of, mask_of
from german_whist.simulator.batch import DealBatch
from tests.players import play_randomly


def counted(row: np.void, held: int) -> tuple[list[float], list[float]]:
    """Expected cards and chance of a void, from a list of all hands that the known cards and voids allow."""
    hands = []
    latest_first = sorted(range(4), key=lambda suit: -row["void_opponent"][suit])
    for cards in itertools.combinations(list(cards_of(row["unseen"])), held):
        hand = mask_of(cards)
        so_far, allowed = 0, True
        for suit in latest_first:
            so_far += (hand & SUIT_MASKS[suit]).bit_count()
            if row["void_opponent"][suit] and so_far > row["drawn_opponent"][suit]:
                allowed = False
        if allowed:
            hands.append(hand | int(row["opponent_known"]))
    counts = np.array([[(hand & mask).bit_count() for mask in SUIT_MASKS] for hand in hands])
    return counts.mean(axis=0).tolist(), (counts == 0).mean(axis=0).tolist()


@pytest.mark.parametrize("steps", [0, 3, 6, 9, 12])
def test_suit_lengths_by_enumeration(steps: int) -> None:
    batch = DealBatch("classic:ranks=4,hand=4,stock=8", 40, seed=steps)
    play_randomly(batch, np.random.default_rng(steps), steps)
    views = batch.views()[~batch.done]
    lengths = suit_lengths(views, batch.rules)
    voids = 0
    for i, row in enumerate(views):
        own = int(row["hand"]).bit_count() - int(row["opponent_known"]).bit_count() - (row["led"] >= 0)
        expected, void = counted(row, own)
        assert lengths.expected[i] == pytest.approx(expected)
        assert lengths.void[i] == pytest.approx(void)
        voids += int((row["void_opponent"] > 0).any())
    assert voids or steps < 6
