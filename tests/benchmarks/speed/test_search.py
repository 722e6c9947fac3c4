"""The benchmark of the search: what it measures; speed is not tested."""

from __future__ import annotations

import pytest

from german_whist.agents.registry import make_agent
from german_whist.benchmarks.harness.figures import Figure
from german_whist.benchmarks.speed import search


def test_the_search_and_flat_monte_carlo_decide_in_the_same_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("DEALS", 1), ("WORLDS", 2), ("PEER_WORLDS", 2)):
        monkeypatch.setattr(search, name, value)
    (figure,) = search.measure(0.01, lambda share: None)
    assert isinstance(figure, Figure)
    assert figure.name == "champion:search=2 decisions"
    assert figure.theirs is not None
    assert min(figure.ours, figure.theirs) > 0


def test_the_positions_are_those_of_the_foreplay() -> None:
    positions = search.foreplay_positions()
    assert len(positions) == 26
    assert all((views["stock"] > 0).all() for views, _ in positions)
    assert search.choose(make_agent("random"), positions) == 26 * search.DEALS
