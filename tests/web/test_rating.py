"""Par and accuracy of finished deals: worked out unasked, and never while somebody waits for the server."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from starlette.testclient import TestClient

from german_whist.session.database import Database
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
    while statistics.missing("given_away") and time.monotonic() < ends:
        time.sleep(0.05)
    (rated,) = client.get("api/statistics").json()["groups"]
    monkeypatch.setattr(rating, "review", None)  # the review has been kept
    review = client.get(f"{made.address}/review").json()
    assert (rated["accuracy"], rated["luck"]) == (review["accuracy"]["you"], review["par"]["tricks"]["you"])


class Rated(NamedTuple):
    """A rater of two finished deals, what it has done, and whether its server is idle."""

    rater: Rater
    store: SessionStore
    statistics: Statistics
    done: list[str]
    idle: list[bool]

    def all(self) -> list[str]:
        """Let it rate all that it can, and return what it has done."""
        self.idle[0] = True
        while self.rater.step():
            pass
        return self.done


@pytest.fixture
def rated(database: Database, monkeypatch: pytest.MonkeyPatch) -> Rated:
    done: list[str] = []
    found: dict[str, Any] = {"tricks_given_away": {"you": 0.5}, "tricks_at_stake": {"you": 1.0}, "par": {"margin": 1}}
    monkeypatch.setattr(rating, "par", lambda deal: done.append("par") or deal)
    monkeypatch.setattr(rating, "review", lambda deal, seat, names: done.append("review") or found)
    store, statistics, idle = SessionStore(database), Statistics(database), [False]
    rater = Rater(store.open, statistics, lambda: idle[0])
    for _ in range(2):
        store.add(play(session("tiny")))
    return Rated(rater, store, statistics, done, idle)


def test_nothing_is_rated_while_somebody_waits(rated: Rated) -> None:
    assert not rated.rater.step()
    rated.idle[0] = True
    assert rated.rater.step()
    rated.idle[0] = False
    assert not rated.rater.step()
    assert rated.done == ["par"]
    assert rated.all() == ["par", "par", "review", "review"]
    assert rated.statistics.missing("par") == rated.statistics.missing("given_away") == []


def test_a_deal_whose_session_is_gone_is_given_up(rated: Rated, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    for summary in rated.store.summaries():
        rated.store.delete(summary["id"])
    assert rated.all() == []
    assert len(rated.statistics.missing("par")) == 2
    assert {record.levelname for record in caplog.records} == {"INFO"}
    assert "There is no such session" in caplog.text


def test_a_fault_is_logged_as_one_and_the_other_deals_are_rated(
    rated: Rated, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def par(deal: Any) -> Any:
        rated.done.append("par")
        if len(rated.done) == 1:
            raise RuntimeError("a fault")
        return deal

    monkeypatch.setattr(rating, "par", par)
    assert rated.all() == ["par", "par", "review", "review"]
    (record,) = caplog.records
    assert (record.levelname, record.exc_info is not None) == ("ERROR", True)
    assert "par of deal 1 of " in record.message


def test_deals_of_an_earlier_run_get_their_par_but_no_review(rated: Rated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rated.rater, "_began", "2100-01-01")
    assert rated.all() == ["par", "par"]
    assert len(rated.statistics.missing("given_away")) == 2
