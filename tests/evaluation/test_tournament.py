"""Tournaments: every pair on the same deals, standings, reports."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from german_whist.evaluation.match import play_match
from german_whist.evaluation.tournament.play import play_tournament
from german_whist.evaluation.tournament.standings import Margins, Standings, standings
from german_whist.game.rules import rules
from tests.players import Lowest

GAME = {"deals": 6, "seed": 3, "rules": "small"}


def margins_of(found: Standings, first: str, second: str) -> Margins:
    return found.margins[found.agents.index(first), found.agents.index(second)]


def test_pairs_play_same_deals() -> None:
    match = play_match("greedy", "random", **GAME)
    for agents in (["random", "greedy", "heuristic"], ["heuristic", "greedy", "random"]):
        found = play_tournament(agents, **GAME)
        assert np.array_equal(margins_of(found, "greedy", "random"), match.margins)
        assert np.array_equal(margins_of(found, "random", "greedy"), -match.margins[:, ::-1])
        third = play_match("greedy", "heuristic", **GAME).margins
        assert np.array_equal(margins_of(found, "greedy", "heuristic"), third)


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        (["greedy"], "the number of agents must be .*, got 1"),
        (["greedy", "random", "greedy"], "agent 'greedy' is given twice"),
        ([Lowest(), Lowest()], "agent 'Lowest' is given twice: objects are told apart by their attribute name"),
    ],
)
def test_wrong_agents_are_refused(agents: list[Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play_tournament(agents)


def made_up(rates: list[list[float]], deals: int = 400) -> dict[tuple[int, int], Margins]:
    """The margins of a tournament in which agent i wins the given share of the deals against agent j, both games."""
    margins = {}
    for i in range(len(rates)):
        for j in range(i + 1, len(rates)):
            won = np.random.default_rng([i, j]).permutation(deals) < round(rates[i][j] * deals)
            margins[i, j] = np.where(won, 3, -3)[:, None].repeat(2, axis=1)
    return margins


def ranked(margins: dict[tuple[int, int], Margins]) -> Standings:
    names = tuple("abcdefgh"[: 1 + max(j for _, j in margins)])
    return standings(names, margins, rules("classic"), 0, "played")


def test_standings_are_led_by_the_best_rating() -> None:
    # b beats c and d by much and has the best rating, but loses to a.
    found = ranked(made_up([[0, 0.6, 0.55, 0.55], [0, 0, 0.9, 0.9], [0, 0, 0, 0.5], [0, 0, 0, 0]]))
    assert found.agents[:2] == ("b", "a")
    assert found.pairs[1, 0].win_rate == pytest.approx(0.6)
    assert found.pairs[0, 1].margin == pytest.approx(-0.6)
    assert found.upsets == [(1, 0)]
    assert "Against the order: a beats b, 60.0 ± 4.8 %." in str(found)
    assert sum(found.ratings) == pytest.approx(0, abs=1e-6)
    assert all(low < rating < high for rating, (low, high) in zip(found.ratings, found.intervals, strict=True))


@pytest.mark.parametrize(
    ("repeats", "lowest", "highest"), [(60, 0.88, 1.0), pytest.param(400, 0.92, 0.98, marks=pytest.mark.nightly)]
)
def test_rating_interval_covers_95_percent(repeats: int, lowest: float, highest: float) -> None:
    rng, truth, covered = np.random.default_rng(1), {"a": 150.0, "b": 0.0, "c": -150.0}, []
    elos = list(truth.values())
    for _ in range(repeats):
        margins = {
            (i, j): np.where(rng.random((200, 2)) < 1 / (1 + 10 ** ((elos[j] - elos[i]) / 400)), 3, -3)
            for i, j in ((0, 1), (0, 2), (1, 2))
        }
        found = ranked(margins)
        for agent, (low, high) in zip(found.agents, found.intervals, strict=True):
            covered.append(low <= truth[agent] <= high)
    assert lowest <= np.mean(covered) <= highest


def test_single_deal_leaves_ratings_unbounded() -> None:
    found = ranked(made_up([[0, 1, 0], [0, 0, 1], [0, 0, 0]], 1))  # a > b > c > a
    assert found.intervals == ((-np.inf, np.inf),) * 3
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [one["interval"] for one in content["agents"]] == [[None, None]] * 3
    assert str(found).count("unbounded") == 3


def test_agents_that_tie_in_every_pair() -> None:
    found = ranked({(0, 1): np.tile([5, -5], (100, 1))})
    rate, (low, high) = found.pairs[0, 1].win_rate, found.pairs[0, 1].interval
    assert rate == 0.5
    assert found.ratings == pytest.approx((0, 0), abs=1e-9)
    for interval in found.intervals:  # half the difference of the two, whose sum is 0
        expected = [200 * math.log10(end / (1 - end)) for end in (low, high)]
        assert interval == pytest.approx(expected, rel=0.01)


def test_agent_whose_results_do_not_differ() -> None:
    found = ranked(made_up([[0, 1, 1], [0, 0, 0.6], [0, 0, 0]], 100))
    low, high = found.intervals[0]
    assert found.agents[0] == "a"
    assert -np.inf < low < found.ratings[0] - 50
    assert high == pytest.approx(found.ratings[0])  # it won all games
