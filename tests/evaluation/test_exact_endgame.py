"""Matches in which both sides play the endgame out exactly."""

from __future__ import annotations

from typing import Any

import pytest

from german_whist.evaluation.match import play_match

GAMES = ["classic", "small:counts=all,race=9,points=difference,slam=0,book=null", "high_low", "draft"]


def figures(result: Any) -> dict[str, Any]:
    plain: dict[str, Any] = result.to_dict()
    for name in ("first", "second", "endgame"):
        del plain[name]
    return plain


@pytest.mark.parametrize("rules", GAMES)
@pytest.mark.parametrize("first", ["random", "greedy+exact"])
def test_exact_endgame_of_match(rules: str, first: str) -> None:
    result = play_match(first, "heuristic", deals=20, seed=3, rules=rules, endgame="exact")
    assert (result.first, result.second, result.endgame) == (first, "heuristic", "exact")
    both = play_match(f"{first.removesuffix('+exact')}+exact", "heuristic+exact", deals=20, seed=3, rules=rules)
    assert both.endgame == "played"
    assert figures(result) == figures(both)
