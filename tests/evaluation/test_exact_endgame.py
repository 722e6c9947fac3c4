"""Matches in which both sides play the endgame out exactly."""

from __future__ import annotations

from typing import Any

import pytest

from german_whist.evaluation.match import play_match
from german_whist.evaluation.recording import Recording

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


def test_recording_has_endgame() -> None:
    games: list[Recording] = []
    recorded = play_match(
        "random", "greedy+exact", deals=10, seed=3, rules="small", endgame="exact", record=games.append
    )
    assert recorded == play_match("random", "greedy+exact", deals=10, seed=3, rules="small", endgame="exact")
    assert len(games) == 20
    assert {len(game.actions) for game in games} == {28}
    assert {game.names for game in games} == {("random+exact", "greedy+exact"), ("greedy+exact", "random+exact")}


def test_exact_endgame_of_whole_match() -> None:
    result = play_match("greedy", "random", match="first_to:10", deals=15, seed=2, rules="small", endgame="exact")
    both = play_match("greedy+exact", "random+exact", match="first_to:10", deals=15, seed=2, rules="small")
    assert (result.endgame, both.endgame) == ("exact", "played")
    assert figures(result) == figures(both)
