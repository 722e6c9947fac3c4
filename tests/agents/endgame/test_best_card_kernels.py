"""The kernel for one endgame chooses the cards that the batch does."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.agents.endgame.best_card_kernels import MARGIN_ROWS, perfect_card, write_exact_margins
from german_whist.agents.endgame.open_hands import best_cards, exact_margins, open_hands, opponent_hand_known
from german_whist.simulator.batch import DealBatch
from german_whist.solver.search.transposition_table import race_transposition_table
from german_whist.solver.tablebase.cache import open_tablebase


@pytest.mark.parametrize("rules", ["small", "high_low", "no_trump", "race9:counts=endgame", "draft:counts=all"])
def test_cards_and_margins_of_one_endgame_are_those_of_a_batch(rules, rng, endgame_tables):
    batch = DealBatch(rules, 12, seed=4)
    scratch = np.zeros((MARGIN_ROWS, 52), np.int8)
    compared = 0
    while not batch.done.all():
        decisions = batch.decisions()
        views = decisions.views[opponent_hand_known(decisions.views)]
        if len(views):
            cards, margins = best_cards(open_hands(views)), exact_margins(views)
            for row, view in enumerate(views):
                tablebase = open_tablebase(bool(view["trump"] >= 0), bool(view["low"]))
                transpositions = race_transposition_table()
                assert perfect_card(tablebase, transpositions, view, scratch) == cards[row]
                write_exact_margins(tablebase, transpositions, view, scratch[0])
                np.testing.assert_array_equal(scratch[0], margins[row])
                compared += 1
        masks = decisions.action_masks
        batch.step((rng.random(masks.shape) * masks).argmax(axis=1), decisions.rows)
    assert compared > 10
