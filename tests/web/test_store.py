"""The sessions of a server: on disk after every card, in memory while they are played, and never mixed up."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from german_whist.session.game_session import Session
from german_whist.web import app
from german_whist.web.requests import ApiError
from german_whist.web.service import ServeOptions
from german_whist.web.store import IDLE_SECONDS, SessionStore
from tests.session.playing import play, session
from tests.web.conftest import BASE, TOKEN


def store(folder: Path, **limits: float) -> SessionStore:
    return SessionStore(folder, **limits)  # type: ignore[arg-type]


def small(**settings: object) -> Session:
    return session("tiny", "greedy", **settings)  # type: ignore[arg-type]


def test_idle_sessions_leave_the_memory_and_come_back_from_disk(tmp_path: Path) -> None:
    sessions = store(tmp_path, idle_seconds=0)
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


def test_a_session_that_a_request_holds_stays(tmp_path: Path) -> None:
    sessions = store(tmp_path, idle_seconds=-1, max_in_memory=1)
    entry = sessions.add(small())
    with sessions.open(entry.id):
        assert sessions.forget_idle() == 1
        sessions.add(small())
        assert sessions.in_memory == 2
    sessions.forget_idle()
    assert sessions.in_memory == 0


def test_the_memory_is_limited_but_nothing_is_lost(tmp_path: Path) -> None:
    sessions = store(tmp_path, max_in_memory=3)
    entries = [sessions.add(small(seed=seed)) for seed in range(8)]
    assert sessions.in_memory == 3
    for entry in entries:
        with sessions.open(entry.id) as found:
            assert found.session.settings.seed == entry.session.settings.seed
    assert sessions.in_memory == 3


def test_finished_sessions_make_room_on_disk_and_games_in_play_do_not(tmp_path: Path) -> None:
    sessions = store(tmp_path, max_saved=3)
    playing = [sessions.add(small()) for _ in range(2)]
    practice = sessions.add(small(kind="practice"))
    newest = sessions.add(small())
    assert {path.stem for path in tmp_path.glob("*.json")} == {one.id for one in (*playing, newest)}
    with pytest.raises(ApiError) as error, sessions.open(practice.id):
        pass
    assert error.value.status == 404
    with pytest.raises(ApiError) as error:
        sessions.add(small())
    assert error.value.status == 429
    sessions.delete(newest.id)
    assert sessions.add(small()).id
    assert store(tmp_path, max_saved=3).summaries()


def test_games_without_end_make_room_between_two_deals_and_matches_do_not(tmp_path: Path) -> None:
    sessions = store(tmp_path, max_saved=3)
    match, dealing, old = (sessions.add(small(match=match)) for match in ("best_of:9", None, None))
    for entry in (match, old):
        play(entry.session)
        sessions.save(entry)
    assert (match.session.over, old.session.over) == (False, False)
    newest = sessions.add(small())
    assert {path.stem for path in tmp_path.glob("*.json")} == {match.id, dealing.id, newest.id}
    with pytest.raises(ApiError, match="3 sessions in play") as error:
        sessions.add(small())
    assert error.value.status == 429


def test_a_deleted_session_is_gone_for_requests_that_waited_for_it(tmp_path: Path) -> None:
    sessions = store(tmp_path)
    entry = sessions.add(small())
    seen: list[int] = []

    def ask() -> None:
        try:
            with sessions.open(entry.id):
                seen.append(200)
        except ApiError as error:
            seen.append(error.status)

    with sessions.open(entry.id):
        waiting = threading.Thread(target=ask)
        waiting.start()
        (tmp_path / f"{entry.id}.json").unlink()
        del sessions._entries[entry.id]
    waiting.join()
    assert seen == [404]


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}", '{"session": {}}', '{"session": null, "summary": null}'),
        *('{"session": {}, "summary": NaN}', '{"session": "\\ud800"}', "[" * 100_000),
        '{"summary": {"id": "x", "kind": 1e300}}',
    ],
)
def test_a_damaged_file_is_an_error_and_no_more(tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    sessions = store(tmp_path)
    entry = sessions.add(small())
    path = tmp_path / f"{entry.id}.json"
    path.write_text(text)
    fresh = store(tmp_path)
    other = fresh.add(small())
    with pytest.raises(ApiError, match=r"^The session cannot be read: .{9}") as error, fresh.open(entry.id):
        pass
    assert (error.value.status, error.value.code) == (500, "server_error")
    assert f"{path} cannot be read: " in caplog.text
    for _ in range(2):
        assert [one["id"] for one in fresh.summaries()] == [other.id]
    assert caplog.text.count(f"{path} is left out: ") == 1
    assert path.read_text() == text
    fresh.delete(entry.id)
    assert not path.exists()


def test_a_folder_in_the_place_of_a_file_is_an_error_and_no_more(tmp_path: Path) -> None:
    (tmp_path / f"{'A' * 16}.json").mkdir()
    sessions = store(tmp_path)
    message = r"^The session cannot be read: Is a directory$"
    with pytest.raises(ApiError, match=message) as error, sessions.open("A" * 16):
        pass
    assert error.value.status == 500
    assert sessions.summaries() == []


def test_a_session_that_cannot_be_written_takes_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = store(tmp_path, max_saved=1)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("german_whist.web.store.write_atomically", full)
        with pytest.raises(OSError, match="No space left"):
            sessions.add(small())
    assert sessions.add(small()).id


@pytest.mark.parametrize("field", ["id", "kind"])
def test_room_is_made_by_one_session_whatever_its_file_says(
    tmp_path: Path, field: str, caplog: pytest.LogCaptureFixture
) -> None:
    sessions = store(tmp_path, max_saved=3)
    practice = [sessions.add(small(kind="practice")) for _ in range(3)]
    for entry in practice:
        path = tmp_path / f"{entry.id}.json"
        data = json.loads(path.read_text())
        data["summary"][field] = []
        path.write_text(json.dumps(data))
    with pytest.raises(ApiError) as error:
        sessions.add(small())
    assert error.value.status == 429
    assert len(list(tmp_path.glob("*.json"))) == 3
    assert all(f"{entry.id}.json is left out: summary" in caplog.text for entry in practice)


def test_files_hold_what_is_needed_to_go_on(tmp_path: Path) -> None:
    sessions = store(tmp_path)
    entry = sessions.add(small())
    data = json.loads((tmp_path / f"{entry.id}.json").read_text())
    assert data["summary"]["id"] == entry.id
    assert data["session"]["table"]["deck"]
    assert [path.name for path in tmp_path.iterdir()] == [f"{entry.id}.json"]


def test_many_threads_play_their_own_sessions(tmp_path: Path) -> None:
    sessions = store(tmp_path, max_in_memory=2)
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
