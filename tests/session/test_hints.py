"""Hints: what the hardest level plays, and why, where winning and making tricks part ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from german_whist.agents.endgame.open_hands import opponent_hand_known
from german_whist.agents.registry import make_agent
from german_whist.envs.engine.actions import action_text
from german_whist.envs.engine.cards import cards_of
from german_whist.envs.engine.rules import rules
from german_whist.envs.simulator.batch import DealBatch
from german_whist.session.coach.advice import Advice
from german_whist.session.coach.hints import hint
from german_whist.session.coach.reasons import reason
from german_whist.session.deal.table_deal import TableDeal


def test_a_hint_is_what_the_hardest_level_plays_also_where_another_card_makes_more_tricks() -> None:
    level: Any = make_agent("champion:search=16")
    differs = worse = 0
    for seed in range(9):
        deal = TableDeal.at_address(rules("short"), seed, 0)
        while not opponent_hand_known(deal.views(deal.turn)).any():
            views, histories = deal.views(deal.turn), deal.batch.history(seats=[deal.turn])
            chosen = int(level.search(views, np.random.default_rng(0), histories)[0][0])
            given = hint(deal, 0, 16)
            assert given["action"] == action_text(chosen, deal.rules)
            assert given["by_text"] == "By Champion with search: the win comes first, then tricks."
            more = [option for option in given["options"] if option["value"] > given["options"][0]["value"]]
            differs += bool(more)
            assert given["options"][0]["cost"] == 0
            assert given["options"][0]["best"]
            for option in more:  # it costs no tricks, but must lose no wins either to be as good
                assert option["cost"] == 0
                assert option["best"] == (given["win"] - option["win"] < 0.01)
            worse += sum(not option["best"] for option in more)
            deal.play(chosen)
    assert differs > 3
    assert worse > 0


def test_the_reason_says_that_another_card_makes_more_tricks_but_fewer_wins() -> None:
    batch = DealBatch("small", 1, seed=3)
    view = batch.views()[0]
    actions = tuple(cards_of(int(view["legal"])))
    rest = len(actions) - 2
    for margins, wins, words in (
        ((0.2, 0.6), (0.6, 0.55), "makes about 0.4 tricks more, but wins the deal less often."),
        ((0.2, 0.2), (0.6, 0.55), "makes as many tricks, but wins the deal less often."),
        ((0.2, 0.2), (0.6, 0.6), "is about as good."),
        ((0.2, -0.2), (0.6, 0.55), "costs about 0.4 tricks."),
    ):
        advice = Advice(
            actions, (*margins, *[-1.0] * rest), (*wins, *[0.3] * rest), (0.5,) * len(actions), False, "champion"
        )
        assert reason(view, batch.rules, advice).endswith(words)
