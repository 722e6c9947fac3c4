"""Luck and accuracy of finished deals: worked out unasked, and never while somebody waits for the server."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from german_whist.session.statistics import Statistics
from german_whist.web import rating
from german_whist.web.rating import Rater
from german_whist.web.store import SessionStore
from tests.session.playing import play, session
from tests.web.conftest import Table


def test_a_finished_deal_is_rated_without_a_review_being_asked_for(
    table: Callable[..., Table], client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = table(rules="tiny")
    made.play()
    statistics = client.app.application.state.service.statistics  # type: ignore[attr-defined]
    ends = time.monotonic() + 60
    while statistics.missing("accuracy") and time.monotonic() < ends:
        time.sleep(0.05)
    (rated,) = client.get("api/statistics").json()["recent"]
    monkeypatch.setattr(rating, "review", None)  # the review has been kept
    review = client.get(f"{made.address}/review").json()
    assert (rated["accuracy"], rated["luck"]) == (review["accuracy"]["you"], review["luck"])


@pytest.fixture
def rated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Rater, Statistics, list[str], list[bool]]:
    """A rater of two finished deals whose play-outs and reviews are noted, and whether the server is idle."""
    done: list[str] = []
    monkeypatch.setattr(rating, "luck", lambda deal, seat: done.append("luck") or 1)
    found: dict[str, Any] = {"accuracy": {"you": 50.0}, "luck": 1}
    monkeypatch.setattr(rating, "review", lambda deal, seat, names: done.append("review") or found)
    store, statistics, idle = SessionStore(tmp_path / "sessions"), Statistics(tmp_path / "statistics.json"), [False]
    rater = Rater(store, statistics, lambda: idle[0])
    for _ in range(2):
        entry = store.add(play(session("tiny")))
        statistics.record(entry.id, entry.session)
    return rater, statistics, done, idle


def test_nothing_is_rated_while_somebody_waits(rated: tuple[Rater, Statistics, list[str], list[bool]]) -> None:
    rater, statistics, done, idle = rated
    assert not rater.step()
    idle[0] = True
    assert rater.step()
    idle[0] = False
    assert not rater.step()
    assert done == ["luck"]
    idle[0] = True
    while rater.step():
        pass
    assert done == ["luck", "luck", "review", "review"]
    assert statistics.missing("luck") == statistics.missing("accuracy") == []


def test_a_deal_whose_session_is_gone_is_given_up(
    rated: tuple[Rater, Statistics, list[str], list[bool]], tmp_path: Path
) -> None:
    rater, statistics, done, idle = rated
    idle[0] = True
    for path in (tmp_path / "sessions").glob("*.json"):
        rater._store.delete(path.stem)
    while rater.step():
        pass
    assert done == []
    assert len(statistics.missing("luck")) == 2


def test_deals_of_an_earlier_run_get_their_luck_but_no_review(
    rated: tuple[Rater, Statistics, list[str], list[bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    rater, statistics, done, idle = rated
    idle[0] = True
    monkeypatch.setattr(rater, "_began", "2100-01-01")
    while rater.step():
        pass
    assert done == ["luck", "luck"]
    assert len(statistics.missing("accuracy")) == 2
