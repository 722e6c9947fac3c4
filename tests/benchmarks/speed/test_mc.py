"""The benchmark of the Monte Carlo bot: what it measures; speed is not tested."""

from __future__ import annotations

import pytest

from german_whist.agents.registry import make_agent
from german_whist.benchmarks.harness.figures import Figure
from german_whist.benchmarks.speed import mc


def test_leaders_and_followers_of_the_first_trick_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mc, "DEALS", 2)
    monkeypatch.setattr(mc, "WORLDS", 2)
    lines = mc.measure(0.01, lambda share: None)
    figures = [line for line in lines if isinstance(line, Figure)]
    assert figures == lines
    assert [figure.name for figure in figures] == ["both, 2 worlds", "leader, 2 worlds", "follower, 2 worlds"]
    for figure in figures:
        assert figure.theirs is not None
        assert 0 < figure.ours < figure.theirs
    both, leading, following = (figure.ours for figure in figures)
    assert 2 / both == pytest.approx(1 / leading + 1 / following)


def test_the_views_are_those_of_the_first_trick() -> None:
    views = mc.first_trick()
    assert (views[mc.LEADING]["led"] < 0).all()
    assert (views[mc.FOLLOWING]["led"] >= 0).all()
    for seats in views.values():
        assert (seats["stock"] == 26).all()
        assert (seats["turn"] == 1).all()
    assert mc.choose(make_agent("random"), views[mc.LEADING]) == mc.DEALS
