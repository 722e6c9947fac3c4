"""How strong the bots are: facts of fixed seeds, far from their bounds."""

from __future__ import annotations

import pytest

from german_whist.envs.engine.rules import rule_names
from german_whist.evaluation.match import play_match


@pytest.mark.parametrize(
    ("first", "second", "at_least"),
    [("heuristic", "random", 0.85), ("heuristic", "greedy", 0.60), ("greedy", "random", 0.80)],
)
def test_share_of_mirrored_deals_won(first: str, second: str, at_least: float) -> None:
    result = play_match(first, second, deals=2000, seed=2)
    assert result.interval[0] > at_least
    assert result.margin_interval[0] > 0


# Two tricks of a tiny deck leave most to the cards.
LUCKIER = {"six_cards": 0.53, "tiny": 0.53}


@pytest.mark.parametrize("rules", rule_names())
def test_the_heuristic_bot_beats_random_play_in_every_preset(rules: str) -> None:
    result = play_match("heuristic", "random", deals=2000, seed=2, rules=rules)
    assert result.interval[0] > LUCKIER.get(rules, 0.75)
