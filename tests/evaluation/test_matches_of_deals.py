"""Matches of several deals between agents: mirrored, in lockstep, and the same in every batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from german_whist.agents.registry import make_agent
from german_whist.evaluation.match import play_match
from german_whist.simulator.episode import Episode

GREEDY = make_agent("greedy")
HEURISTIC = make_agent("heuristic")


def by_hand(agents: tuple[Any, Any], game: str, match: str, seed: int, number: int) -> tuple[tuple[float, float], int]:
    """One match at the environments' table, ``agents[seat]`` in each seat: the final scores and the deals played."""
    table = Episode(game, match)
    table.reset(options={"match": (seed, number)})
    deals = set()
    while table.legal:
        deals.add(table.address)
        assert table.play(int(agents[table.turn].act(table.decisions())[0]))
    return table.scores, len(deals)


@pytest.mark.parametrize(("game", "match"), [("small", "first_to:8"), ("humbug", "best_of:3")])
def test_matches_match_environment(game: str, match: str) -> None:
    played = play_match(HEURISTIC, GREEDY, match=match, deals=8, first_deal=5, seed=3, rules=game)
    lengths = []
    for place, number in enumerate(range(5, 13)):
        for seat, agents in enumerate(((HEURISTIC, GREEDY), (GREEDY, HEURISTIC))):
            scores, count = by_hand(agents, game, match, 3, number)
            assert played.margins[place, seat] == scores[seat] - scores[1 - seat]
            lengths.append(count)
    assert (played.wins, played.losses) == ((played.margins > 0).sum(), (played.margins < 0).sum())
    assert played.deals_per_match == np.mean(lengths)
    assert (played.deals, played.first_deal, played.match) == (8, 5, match)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"match": "best_of:2"}, "odd"),
        ({"first_deal": 2**52}, "first_deal .* got 4503599627370496"),
        ({"record": print}, "record"),
        ({"device": "cpu"}, "device"),
    ],
)
def test_impossible_match_is_refused(wrong: dict[str, Any], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        play_match("greedy", "greedy", **{"match": "best_of:3", "deals": 2, **wrong})
