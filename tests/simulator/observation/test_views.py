"""Views hold nothing that a seat did not see; that they hold all of it, the reference's comparison says."""

from __future__ import annotations

import numpy as np
import pytest

from german_whist.game.cards import cards_of
from german_whist.game.rules import rule_names, rules
from tests.redeal import Redeal
from tests.reference.plain import same_views


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", rule_names())
def test_hidden_cards_are_hidden(name: str, seat: int) -> None:
    game_rules = rules(name)
    hidden: set[bytes] = set()
    for seed in range(6):
        redeal = Redeal(game_rules, seed, seat, steps=5 * seed + 1)
        for deal, others in redeal.steps():
            mine = deal.views(seats=[seat])
            whose = np.full(others.size, seat)
            assert same_views(np.repeat(mine, others.size), others.views(seats=whose))
            assert (others.observe(seats=whose) == deal.observe(seats=[seat])).all()
            assert (others.history(seats=whose)[0] == deal.history(seats=[seat])[0]).all()
        hidden |= {row.tobytes() for row in others.states["deck"]}
    # There were others than the six dealt; with three hidden cards there are few.
    assert len(hidden) > (6 if name == "six_cards" else 12)


def test_humbug_redeals_vary_hidden_cards() -> None:
    for seat in (0, 1):
        redeal = Redeal("humbug", 3, seat, steps=2)
        *_, (deal, others) = redeal.steps()
        unseen = set(cards_of(deal.views(seats=[seat])["unseen"][0]))
        varied = 0
        for start in range(4):  # the four hands of the deal
            hands = np.unique(np.sort(others.states["deck"][:, start::4]), axis=0)
            hidden = unseen & set(hands[0].tolist())
            assert (len(hands) > 10) == bool(hidden)
            varied += bool(hidden)
        assert varied == (2 if deal.states["exchanged"][0, seat] else 3)
