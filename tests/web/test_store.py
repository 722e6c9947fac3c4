"""The sessions of a server: saved after every card, in memory while they are played, and never mixed up."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from german_whist.session.database import Database, NotSavedError
from german_whist.session.game_session import Session
from german_whist.web import app
from german_whist.web.requests import ApiError
from german_whist.web.service import ServeOptions
from german_whist.web.store import IDLE_SECONDS, SessionStore
from tests.session.playing import play, session
from tests.web.conftest import BASE, TOKEN


def store(database: Database, **limits: float) -> SessionStore:
    return SessionStore(database, **limits)  # type: ignore[arg-type]


def ids(sessions: SessionStore) -> set[str]:
    return {one["id"] for one in sessions.summaries()}


def small(**settings: object) -> Session:
    return session("tiny", "greedy", **settings)  # type: ignore[arg-type]


def test_idle_sessions_leave_the_memory_and_come_back_from_the_database(database: Database) -> None:
    sessions = store(database, idle_seconds=0)
    entry = sessions.add(small())
    play(entry.session, 1)
    sessions.save(entry)
    assert sessions.forget_idle() == 0
    with sessions.open(entry.id) as again:
        assert again is not entry
        assert again.session.deal.actions == entry.session.deal.actions


def test_a_running_server_forgets_idle_sessions_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_IDLE_CHECK", 0.01)
    made = app.make_app(ServeOptions(rules="tiny", agent="greedy"), tmp_path, TOKEN)
    with TestClient(made, base_url=BASE) as client:
        sessions = made.application.state.service.store
        idle, recent = (client.post("api/sessions", json={}).json() for _ in range(2))
        with sessions.open(idle["id"]) as entry:
            entry.used -= 2 * IDLE_SECONDS
        for _ in range(3000):
            if sessions.in_memory == 1:
                break
            time.sleep(0.01)
        assert sessions.in_memory == 1
        assert sessions.forget_idle() == 1
        for session in (idle, recent):
            assert client.get(f"api/sessions/{session['id']}").json() == session


def test_a_session_that_a_request_holds_stays(database: Database) -> None:
    sessions = store(database, idle_seconds=-1, max_in_memory=1)
    entry = sessions.add(small())
    with sessions.open(entry.id):
        assert sessions.forget_idle() == 1
        sessions.add(small())
        assert sessions.in_memory == 2
    sessions.forget_idle()
    assert sessions.in_memory == 0


def test_the_memory_is_limited_but_nothing_is_lost(database: Database) -> None:
    sessions = store(database, max_in_memory=3)
    entries = [sessions.add(small(seed=seed)) for seed in range(8)]
    assert sessions.in_memory == 3
    for entry in entries:
        with sessions.open(entry.id) as found:
            assert found.session.settings.seed == entry.session.settings.seed
    assert sessions.in_memory == 3


def test_finished_sessions_make_room_and_games_in_play_do_not(database: Database) -> None:
    sessions = store(database, max_saved=3)
    playing = [sessions.add(small()) for _ in range(2)]
    practice = sessions.add(small(kind="practice"))
    newest = sessions.add(small())
    assert ids(sessions) == {one.id for one in (*playing, newest)}
    with pytest.raises(ApiError) as error, sessions.open(practice.id):
        pass
    assert error.value.status == 404
    with pytest.raises(ApiError) as error:
        sessions.add(small())
    assert error.value.status == 429
    sessions.delete(newest.id)
    assert sessions.add(small()).id
    assert store(database, max_saved=3).summaries()


def test_games_without_end_make_room_between_two_deals_and_matches_do_not(database: Database) -> None:
    sessions = store(database, max_saved=3)
    match, dealing, old = (sessions.add(small(match=match)) for match in ("best_of:9", None, None))
    for entry in (match, old):
        play(entry.session)
        sessions.save(entry)
    assert (match.session.over, old.session.over) == (False, False)
    newest = sessions.add(small())
    assert ids(sessions) == {match.id, dealing.id, newest.id}
    with pytest.raises(ApiError, match="3 sessions in play") as error:
        sessions.add(small())
    assert error.value.status == 429


def test_a_deleted_session_is_gone_for_requests_that_waited_for_it(database: Database) -> None:
    sessions = store(database)
    entry = sessions.add(small())
    seen: list[int] = []

    def ask() -> None:
        try:
            with sessions.open(entry.id):
                seen.append(200)
        except ApiError as error:
            seen.append(error.status)

    with sessions.open(entry.id) as held:
        waiting = threading.Thread(target=ask)
        waiting.start()
        sessions.delete(entry.id)
        with pytest.raises(ApiError, match="no such session"):
            sessions.save(held)
    waiting.join()
    assert seen == [404]
    assert sessions.summaries() == []


def test_a_damaged_session_is_an_error_and_no_more(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    sessions = store(database)
    entry, other = sessions.add(small()), sessions.add(small())
    with database.write() as connection:
        connection.execute("UPDATE deals SET deck = 'SA' WHERE session = ?", (entry.id,))
    fresh = store(database)
    with pytest.raises(ApiError, match=r"^The session cannot be read: .{9}") as error, fresh.open(entry.id):
        pass
    assert (error.value.status, error.value.code) == (500, "server_error")
    assert f"session {entry.id} cannot be read: " in caplog.text
    with fresh.open(other.id):
        pass
    fresh.delete(entry.id)
    assert ids(fresh) == {other.id}


def test_a_session_that_cannot_be_saved_takes_no_place_and_deletes_none(database: Database) -> None:
    sessions = store(database, max_saved=1)
    practice = sessions.add(small(kind="practice"))
    with database.write() as connection:
        connection.execute("CREATE TRIGGER full BEFORE INSERT ON deals BEGIN SELECT raise(ABORT, 'full'); END")
    with pytest.raises(NotSavedError, match="full"):
        sessions.add(small())
    with database.write() as connection:
        connection.execute("DROP TRIGGER full")
    assert ids(sessions) == {practice.id}
    assert ids(sessions) != {sessions.add(small()).id} == ids(sessions)


def test_many_threads_play_their_own_sessions(database: Database) -> None:
    sessions = store(database, max_in_memory=2)
    entries = [sessions.add(small(seed=seed)) for seed in range(6)]

    def play_one(identifier: str) -> None:
        while True:
            with sessions.open(identifier) as entry:
                if entry.session.deal.done:
                    return
                play(entry.session, 1)
                sessions.save(entry)

    threads = [threading.Thread(target=play_one, args=(entry.id,)) for entry in entries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, entry in enumerate(entries):
        with sessions.open(entry.id) as found:
            assert found.session.deal.actions == play(small(seed=seed)).deal.actions
