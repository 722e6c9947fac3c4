"""Whatever happens between two writes: every deal that is over is saved and counted, and counted once."""

from __future__ import annotations

import shutil
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from german_whist.session.database import NAME
from german_whist.session.saved import load_session
from german_whist.web import service as web_service
from german_whist.web.app import make_app
from german_whist.web.service import ServeOptions, Service
from german_whist.web.store import Entry
from tests.disk import full_disk
from tests.web.conftest import BASE, TOKEN, Table

MATCH = {"rules": "tiny", "agent": "greedy", "match": "best_of:3", "seed": 3, "seat": 1}
READABLE = ("api/sessions", "api/statistics", "api/statistics/export", "api/catalog")


@pytest.fixture(autouse=True)
def no_ratings(monkeypatch: pytest.MonkeyPatch) -> None:
    """They come whenever nobody waits."""
    monkeypatch.setattr(web_service, "_IDLE_SECONDS", 1e9)


def served(folder: Path) -> TestClient:
    return TestClient(make_app(ServeOptions(), folder, TOKEN), base_url=BASE)


def service_of(client: TestClient) -> Service:
    service: Service = client.app.application.state.service  # type: ignore[attr-defined]
    return service


def begin(client: TestClient) -> Table:
    return Table(client, client.post("api/sessions", json=MATCH).json())


def play_match(made: Table) -> dict[str, Any]:
    """Play to the end of the match, and return what it came to, without what is drawn at random."""
    while True:
        made.play()
        if not made.session["can"]["next"]:
            return outcome(made)
        made.post("next")


def outcome(made: Table) -> dict[str, Any]:
    counted = made.client.get("api/statistics").json()
    finished = {(one["margin"], one["assisted"]) for one in made.session["deals"]}
    assert counted["deals"] == len(made.session["deals"])
    assert {(one["margin"], one["assisted"]) for one in counted["recent"]} == finished
    assert sum(one["won"] + one["lost"] for one in counted["matches"]) == (made.session["match"]["winner"] is not None)
    return {"deals": made.session["deals"], "match": made.session["match"], "position": made.session["position"]}


def copy_before_every_statement(made: Table, folder: Path, to: Path) -> list[tuple[Path, int]]:
    """Copy the database before every statement from now on: what a process leaves behind that is killed then.

    Returns a list that is filled with the folders of the copies, and the version of the session that was last answered.
    """
    copies: list[tuple[Path, int]] = []

    def copy(statement: str) -> None:
        copies.append((to / str(len(copies)), made.session["version"]))
        copies[-1][0].mkdir(parents=True)
        for name in (NAME, f"{NAME}-wal"):
            if (folder / name).exists():
                shutil.copy(folder / name, copies[-1][0])

    with service_of(made.client).database.read() as connection:
        connection.set_trace_callback(copy)
    return copies


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the match comes to if nothing happens."""
    with served(tmp_path_factory.mktemp("whole")) as client:
        return play_match(begin(client))


def test_a_server_killed_before_any_statement_goes_on_and_counts_every_deal_once(
    folder: Path, tmp_path: Path, whole: dict[str, Any]
) -> None:
    with served(folder) as client:
        made = begin(client)
        copies = copy_before_every_statement(made, folder, tmp_path / "copies")
        assert play_match(made) == whole
    assert len(copies) > 50
    for copy, answered in copies:
        with served(copy) as client:
            again = Table(client, client.get(made.address).json())
            assert again.session["version"] >= answered
            assert outcome(again)
            assert play_match(again) == whole


def everything(made: Table) -> list[Any]:
    """All that can be read."""
    there = [f"{made.address}{name}" for name in ("", "/review", "/recording") if not name or made.session["deals"]]
    answers = [made.client.get(address) for address in (*there, *READABLE)]
    assert {answer.status_code for answer in answers} == {200}
    return [answer.text for answer in answers]


def refused(answer: Any) -> bool:
    message = "This cannot be saved, so nothing has changed: disk I/O error."
    expected = {"error": {"code": "insufficient_storage", "message": message}}
    return (answer.status_code, answer.json()) == (507, expected)


def test_a_full_disk_changes_nothing_and_the_match_ends_as_if_it_had_not_been(
    folder: Path, whole: dict[str, Any]
) -> None:
    with served(folder) as client:
        made = begin(client)
        while made.session["match"]["winner"] is None:
            decision = made.session["position"]["decision"]
            asked = [("next", {})] if decision is None else [("hint", {}), ("action", decision["actions"][0])]
            before = everything(made)
            with full_disk():
                for name, fields in asked:
                    body = {
                        "version": made.session["version"],
                        **{key: fields[key] for key in fields if key == "action"},
                    }
                    assert refused(client.post(f"{made.address}/{name}", json=body))
                    assert everything(made) == before
            made.play(1) if decision else made.post("next")
        assert outcome(made) == whole


def test_on_a_full_disk_nothing_is_created_or_deleted(folder: Path) -> None:
    with served(folder) as client:
        made = begin(client)
        made.play()
        before = everything(made)
        with full_disk():
            for address in ("api/sessions", "api/lesson", f"{made.address}/swap"):
                assert refused(client.post(address, json={}))
            for address in (made.address, "api/statistics"):
                assert refused(client.delete(address))
            assert everything(made) == before
        assert client.delete("api/statistics").json() == client.delete(made.address).json() == {}


def test_a_reply_that_the_disk_has_no_room_for_is_shown_and_saved_with_the_next_card(
    folder: Path, tmp_path: Path, whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(folder) as client:
        made = begin(client)
        store = service_of(client).store
        save = store.save

        def save_cards_alone(entry: Entry, *, durable: bool = True) -> None:
            with full_disk() if entry.session.version > made.session["version"] + 1 else nullcontext():
                save(entry, durable=durable)

        monkeypatch.setattr(store, "save", save_cards_alone)
        unsaved = 0
        while made.session["match"]["winner"] is None:
            made.play(1) if made.session["position"]["decision"] else made.post("next")
            killed = shutil.copytree(folder, tmp_path / str(made.session["version"]))
            with served(killed) as other:
                unsaved += load_session(service_of(other).database, made.session["id"]).waits_for_agent
                assert other.get(made.address).json() == made.session
            assert client.get(made.address).json() == made.session
        assert unsaved > 3
        assert outcome(made) == whole
