"""``tools.small_games``: its NashConv is that of this package."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel")

import german_whist as gw
from german_whist.agents.base import Evaluation, Field
from german_whist.evaluation.exploitability.best_response import exploitability
from tools.small_games import SmallGame

RULES = "six_cards"


class HighCards(gw.Agent):
    """Prefers high cards, by a fixed ratio: its policy differs from view to view."""

    name = "high cards"
    evaluates = frozenset({"policy"})

    def act(self, decisions: gw.Decisions) -> Any:
        raise AssertionError("its policy is known")

    def evaluate(self, decisions: gw.Decisions, *fields: Field) -> Evaluation:
        return Evaluation(policy=self.policy(decisions))

    def policy(self, decisions: gw.Decisions) -> Any:
        weights = decisions.action_masks * 1.3 ** np.arange(gw.rules(RULES).num_actions)
        return weights / weights.sum(axis=1, keepdims=True)


def test_nash_conv_of_the_tree() -> None:
    small = SmallGame(RULES)
    policy = small.policy(HighCards().policy)
    assert small.nash_conv(policy) == pytest.approx(exploitability(HighCards(), RULES).nash_conv, abs=1e-9)
